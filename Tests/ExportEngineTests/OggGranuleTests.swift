import Diagnosis
import SystemPackage
import TestNetwork
import TestSupport
import Testing

@testable import ExportEngine

/// Ogg whose granule positions do not count what its packets hold, and whose first or last page is lost.
@Suite("Granule positions of Ogg, and pages at its ends")
struct OggGranuleTests {
  private let folder = TestFolder()

  static let formats = ["c.ogg -c:a libvorbis", "c.opus -c:a libopus", "c.oga -c:a flac"]

  private func make(_ format: String) throws -> (pages: OggPages, whole: PlayedSound) {
    let parts = format.split(separator: " ", maxSplits: 1).map(String.init)
    let pages = try OggPages(parts[0], parts[1], in: folder)
    return (pages, try PlayedSound(folder.path(parts[0])))
  }

  private func played(_ pages: OggPages) throws -> PlayedSound {
    try pages.write(folder.path("changed.ogg"))
    return try PlayedSound(folder.path("changed.ogg"))
  }

  /// How many samples the format's own decoder makes of a file; nil where it refuses it, and of FLAC, whose
  /// decoder counts by its header.
  private func reference(_ codec: String) throws -> Int? {
    guard codec != "flac" else { return nil }
    let decode =
      codec == "opus" ? "opusdec --quiet --rate 48000 changed.ogg" : "oggdec -Q changed.ogg -o"
    let script =
      "cd \(folder.path("")) && \(decode) r.wav > log 2>&1 && soxi -s r.wav; rm -f r.wav"
    return try Int(Tool.run(["sh", "-c", script]).text.filter(\.isNumber))
  }

  @Test(
    "granule positions of one page, or of all that follow, that are none, negative, too large, or leap, cost no sound",
    arguments: formats, [true, false])
  func wrong(format: String, isOne: Bool) throws {
    let (pages, whole) = try make(format)
    let expected = try whole.whole()
    let middle = pages.all.count / 2
    let padding = Int(whole.asset.encoderPadding ?? 0)
    let changes: [(words: String, change: (Int64) -> Int64)] = [
      ("without a granule position", { _ in -1 }),
      ("without a granule position", { $0 - 1 << 40 }),
      ("without a granule position", { $0 + 1 << 61 }),
      ("leap by 0.083 s at", { $0 + 4000 }),
      ("leap by 1.000 s at", { $0 + 48_000 }),
      ("leap by 36000.000 s at", { $0 + 48_000 * 36_000 }),
      ("go back by 0.083 s at", { $0 - 4000 }),
      ("go back by 1.000 s at", { $0 - 48_000 }),
    ]
    for (words, change) in changes {
      var changed = pages
      for index in middle..<(isOne ? middle + 1 : pages.all.count) {
        changed.set(granule: change(pages.granule(index)), of: index)
      }
      let sound = try played(changed)
      let heard = try sound.whole()
      // The last one says how much of its packets is left out.
      let isOpen = !isOne && words.hasPrefix("without")
      #expect(heard[0].count == expected[0].count + (isOpen ? padding : 0), "\(words)")
      #expect(heard[0].starts(with: expected[0]), "\(words)")
      let words = isOne || !isOpen ? words : "without granule positions"
      #expect(sound.warnings.count == 1, "\(words): \(sound.warnings)")
      #expect(sound.warnings.first?.contains(words) == true, "\(words): \(sound.warnings)")
      if !isOpen, let count = try reference(whole.asset.codec) {
        #expect(heard[0].count == count, "\(words)")
      }
    }
  }

  @Test("granule positions of Speex that leap or go back cost no sound, and that is said")
  func speex() throws {
    let (pages, whole) = try make("c.ogg -ar 16000 -c:a libspeex -frames_per_packet 2")
    let expected = try whole.whole()
    #expect(whole.warnings == [])
    let middle = pages.all.count / 2
    let changes: [(words: String, change: Int64, end: Int)] = [
      ("leap by 1.000 s at", 16_000, pages.all.count), ("leap by 0.250 s at", 4000, middle + 1),
      ("go back by 0.500 s at", -8000, pages.all.count),
      ("go back by 1.000 s", -16_000, middle + 1),
    ]
    for (words, change, end) in changes {
      var changed = pages
      for index in middle..<end { changed.set(granule: pages.granule(index) + change, of: index) }
      let sound = try played(changed)
      #expect(try sound.whole() == expected, "\(words)")
      #expect(
        sound.warnings.count == 1 && sound.warnings.first?.contains(words) == true,
        "\(words): \(sound.warnings)")
    }
  }

  @Test(
    "granule positions that are rounded here and there keep each sample, without a word",
    arguments: formats, 1...2)
  func rounded(format: String, seed: UInt64) throws {
    let (original, whole) = try make(format)
    let expected = try whole.whole()
    var dice = Dice(seed)
    var pages = original
    var change: Int64 = 0
    for index in pages.firstOfSound + 1..<pages.all.count {
      // The last one counts on from the one before.
      if index + 1 < pages.all.count { change = Int64.random(in: -200...200, using: &dice) }
      pages.set(granule: original.granule(index) + change, of: index)
    }
    let sound = try played(pages)
    #expect(sound.warnings == [])
    #expect(try sound.whole() == expected)
    try sound.expectSlices(of: expected)
  }

  @Test(
    "pages that a program left out, and numbered anew, are no hole, and that is said",
    arguments: formats)
  func cutTogether(format: String) throws {
    let (original, whole) = try make(format)
    var pages = original
    let middle = pages.all.count / 2
    let removed = pages.granule(middle + 1) - pages.granule(middle - 1)
    pages.all.removeSubrange(middle...middle + 1)
    pages.number()
    let sound = try played(pages)
    let isNamed = sound.warnings.contains { $0.hasPrefix("its granule positions leap by 1.") }
    #expect(isNamed, "\(sound.warnings)")
    let heard = try sound.whole()[0]
    // Of Vorbis half of two blocks on each side is one frame less, or more.
    #expect((sound.asset.frameCount + removed - whole.asset.frameCount).magnitude <= 2048)
    #expect(heard.count == Int(sound.asset.frameCount))
    if let count = try reference(whole.asset.codec) { #expect(heard.count == count) }
    let expected = try whole.whole()[0]
    let tail = 48_000
    #expect(Signal.correlation(heard.suffix(tail), expected.suffix(tail)) > 0.99)
  }

  @Test(
    "a server's file whose ends prove no length has the warnings and the sound of a local one",
    arguments: formats)
  func server(format: String) throws {
    try TestNetwork.prepare()
    let (original, _) = try make(format)
    var pages = original
    let late = pages.all.count - 3
    // A page without a position, and a leap near the end.
    pages.set(granule: -1, of: pages.all.count / 2)
    pages.set(granule: pages.granule(late) + 48_000, of: late)
    // Of one number, so that the ends are those of one stream.
    let chain = OggPages((original.all + original.all).flatMap { $0 })
    let server = try FaultServer(of: folder)
    for (name, pages) in [("one", pages), ("two", chain)]
    where name == "one" || format.hasSuffix("flac") {
      let name = "\(name)-\(folder.root.suffix(6)).ogg"
      try pages.write(folder.path(name))
      let local = try PlayedSound(folder.path(name))
      let url = try MediaURL("http://127.0.0.1:\(server.port)/plain/\(name)")
      let remote = try PlayedSound(at: .remote(url))
      #expect(remote.warnings == local.warnings)
      let isNamed = local.warnings.contains { $0.contains("without a granule position") }
      #expect(isNamed == name.hasPrefix("one"), "\(local.warnings)")
      #expect(remote.asset.frameCount == local.asset.frameCount)
      #expect(try remote.whole() == local.whole())
    }
  }

  @Test("a lost page right behind the headers is named, and so is a lost end", arguments: formats)
  func ends(format: String) throws {
    let (pages, whole) = try make(format)
    var changed = pages
    let first = pages.firstOfSound
    changed.all.remove(at: first)
    let late = try played(changed)
    #expect(late.warnings.count >= 1)
    let warning = late.warnings.first { $0.hasPrefix("lacks the first page of its sound, 0.5") }
    #expect(
      warning?.hasSuffix("s by its granule positions; the rest is read") == true, "\(late.warnings)"
    )
    let lost = whole.asset.frameCount - late.asset.frameCount
    #expect(pages.granule(first)...pages.granule(first) + 2048 ~= lost)
    if let count = try reference(whole.asset.codec) { #expect(late.asset.frameCount == count) }
    #expect(
      try Signal.correlation(
        late.whole()[0].suffix(96_000), whole.whole()[0].suffix(96_000)) > 0.99)
    changed = pages
    changed.all.removeLast()
    let short = try played(changed)
    #expect(short.warnings.count == 1)
    #expect(
      short.warnings.first?.hasPrefix("was cut short: its last page is missing") == true,
      "\(short.warnings)")
  }

  @Test(
    "behind a page without a granule position a lost one is as long as it was", arguments: formats)
  func missingBehindUnnumbered(format: String) throws {
    let (original, whole) = try make(format)
    var pages = original
    let middle = pages.all.count / 2
    pages.set(granule: -1, of: middle - 1)
    pages.all.remove(at: middle)
    let sound = try played(pages)
    #expect(sound.asset.frameCount == whole.asset.frameCount)
    #expect(sound.warnings.count == 2, "\(sound.warnings)")
  }
}
