import LibAV
import SystemPackage
import Tagging
import TestSupport
import Testing

@testable import ExportEngine

/// The walk over an Ogg file's pages, against a slow twin and on damaged files.
@Suite("Walking over pages of Ogg")
struct OggWalkTests {
  private let folder = TestFolder()

  /// Pages of streams of each codec whose packets are counted.
  private func sources() throws -> [OggPages] {
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox -R -n -r 48000 -c 1 -b 16 a.wav synth 2 sine 300-3000 gain -20
      for o in 'libvorbis a.ogg' 'libopus a.opus' 'flac a.oga'; do
        ffmpeg -v error -i a.wav -page_duration 200000 -c:a $o
      done
      """)
    return try ["a.ogg", "a.opus", "a.oga"].map { try OggPages(folder.path($0)) }
  }

  private func links(_ bytes: [UInt8]) throws -> [OggLink] {
    try writeFile(folder.path("x.ogg"), bytes)
    return try OggWalk.links(in: MediumBytes(.file(FilePath(folder.path("x.ogg")))))
  }

  /// `page` with one damage of many, or as it is.
  private func damaged(_ page: [UInt8], _ dice: inout Dice) -> [UInt8] {
    func byte() -> UInt8 { UInt8.random(in: 0...255, using: &dice) }
    var page = page
    switch Int.random(in: 0..<14, using: &dice) {
    case 0: return []
    case 1: return Array(page.prefix(Int.random(in: 0...page.count, using: &dice)))
    case 2: page[Int.random(in: 0..<page.count, using: &dice)] ^= max(1, byte())
    case 3: page.replaceSubrange(6..<14, with: (0..<8).map { _ in byte() })
    case 4: page[5] = byte() & 7
    case 5: page.replaceSubrange(18..<22, with: (0..<4).map { _ in byte() })
    case 6: return page + (0..<Int.random(in: 1...400, using: &dice)).map { _ in byte() }
    case 7: page[Int.random(in: 27..<page.count, using: &dice)] = byte()
    case 8: return Array("OggS".utf8) + [0, 0] + (0..<40).map { _ in byte() } + page
    default: return page
    }
    // Also with the right checksum.
    return OggPage(page)?.size == page.count && Bool.random(using: &dice)
      ? OggPage.checked(page) : page
  }

  private func isChecked(_ page: [UInt8]) -> Bool { OggPage.checked(page) == page }

  /// Where the links of `file` begin, and where the last page of each ends, by a look at each byte.
  private func twin(_ file: [UInt8]) -> (starts: [Int64], ends: [Int64]) {
    var (starts, ends): ([Int64], [Int64]) = ([0], [0])
    var (place, hasContent) = (0, false)
    while place < file.count {
      guard file[place] == UInt8(ascii: "O"), let page = OggPage(file[place...]),
        place + page.size <= file.count, isChecked(Array(file[place..<place + page.size]))
      else {
        place += 1
        continue
      }
      if page.isFirst, hasContent {
        starts.append(Int64(place))
        ends.append(Int64(place))
      }
      hasContent = !page.isFirst
      place += page.size
      ends[ends.count - 1] = Int64(place)
    }
    return (starts, ends)
  }

  @Test("a page is intact with all of its bytes and its checksum, and with nothing else")
  func intactPages() throws {
    let bytes = OggPage.checked(
      Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 20) + [1, 3, 7, 8, 9])
    let page = try #require(OggPage(bytes))
    #expect(page.isIntact(bytes[...]) && page.isIntact(([1] + bytes).dropFirst()))
    #expect(!page.isIntact(bytes + [0]) && !page.isIntact(bytes.dropLast()))
    #expect(!page.isIntact([]) && !page.isIntact(bytes.prefix(20)))
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(!page.isIntact(damaged[...]), "\(index)")
    }
  }

  @Test("links of damaged files are those of a look at each byte, and pages are mended within them")
  func damage() throws {
    let sources = try sources()
    for seed in 0..<60 as Range<UInt64> {
      var dice = Dice(seed)
      var file: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        for page in sources.randomElement(using: &dice)?.all ?? [] { file += damaged(page, &dice) }
      }
      let links = try links(file)
      let (starts, ends) = twin(file)
      #expect(links.map(\.range.lowerBound) == starts, "\(seed)")
      var place: Int64 = 0
      for (link, end) in zip(links, ends) {
        #expect(link.range.lowerBound == place && link.range.upperBound == link.rest.lowerBound)
        // A page that is damaged or cut short is its link's.
        #expect(link.range.upperBound >= end, "\(seed)")
        place = link.rest.upperBound
        for count in link.streams.values.compactMap(\.count) {
          #expect(count.padding >= 0 && count.patches.allSatisfy { $0.bytes.count == 20 })
          let places = count.patches.map(\.offset)
          #expect(zip(places, places.dropFirst()).allSatisfy { $0 + 20 <= $1 }, "\(seed)")
          #expect(places.allSatisfy { link.range ~= $0 && link.range ~= $0 + 19 }, "\(seed)")
        }
      }
      #expect(place == Int64(file.count))
    }
  }

  @Test("any bytes are links that follow one another to the end")
  func anyBytes() throws {
    for seed in 0..<40 as Range<UInt64> {
      var dice = Dice(seed)
      var file: [UInt8] = []
      for _ in 0..<Int.random(in: 0...30, using: &dice) {
        if Bool.random(using: &dice) { file += Array("OggS".utf8) + [0] }
        let count = Int.random(in: 0...300, using: &dice)
        file += (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
      }
      let links = try links(file)
      #expect(links.count == 1 && links[0].streams.isEmpty, "\(seed)")
      #expect(links[0].range.lowerBound == 0 && links[0].rest.upperBound == Int64(file.count))
      #expect(links[0].range.upperBound == links[0].rest.lowerBound)
    }
  }

  @Test("what is mended once needs no second mending")
  func mended() throws {
    for (number, source) in try sources().enumerated() {
      var dice = Dice(UInt64(number))
      var pages = source
      for index in pages.firstOfSound..<pages.all.count where Bool.random(using: &dice) {
        let granule = Int64.random(in: -1...1 << 40, using: &dice)
        pages.set(granule: granule, of: index)
      }
      var file = pages.all.flatMap { $0 }
      let first = try #require(try links(file).first?.streams.values.first?.count)
      #expect(!first.patches.isEmpty)
      for patch in first.patches {
        let place = Int(patch.offset)
        file.replaceSubrange(place..<place + patch.bytes.count, with: patch.bytes)
      }
      let second = try #require(try links(file).first?.streams.values.first?.count)
      #expect(second.leaps.isEmpty && second.unnumbered.count == 0)
      #expect(second.end == first.end && second.start == first.start)
    }
  }

  @Test("a stream beyond those whose pages are looked at is read, and named")
  func manyStreams() throws {
    let source = try sources()[1]
    let streams = (1...OggWalk.mostStreams + 2).map { serial in
      var pages = source
      pages.set(serial: serial)
      return pages.all
    }
    // Headers of all streams come first (RFC 3533, 4).
    let file = streams[0].indices.flatMap { page in streams.flatMap { $0[page] } }
    let links = try links(file)
    #expect(links.count == 1 && links[0].isOverfull)
    #expect(links[0].streams.count == OggWalk.mostStreams)
    for (stream, isNamed) in [(0, false), (OggWalk.mostStreams, true)] {
      let sound = try PlayedSound(folder.path("x.ogg"), stream: stream)
      #expect(sound.asset.frameCount == 96_000)
      #expect(
        sound.warnings.contains {
          $0.hasPrefix("has more than 64 streams, and stream \(stream) is one of those whose pages")
        } == isNamed, "\(sound.warnings)")
    }
  }

  @Test("the checksum of a page is the one that its tools write")
  func checksum() throws {
    for page in try sources().flatMap(\.all) {
      let sum = page[22..<26].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      #expect(page.withUnsafeBytes(Checksum.oggPage) == sum)
      #expect(OggPage.checked(page) == page)
    }
    #expect([UInt8](repeating: 0, count: 26).withUnsafeBytes(Checksum.oggPage) == nil)
  }
}
