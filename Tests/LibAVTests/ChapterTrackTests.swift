import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import LibAV

/// Chapters of MP4 as its two lists have them.
@Suite struct ChapterTrackTests {
  /// A file of a tenth of a second of sound with these chapters, whose lengths are theirs alone.
  private func file(
    _ chapters: [(hours: Int64, title: String)], sampleRate: Int
  ) throws -> (folder: TestFolder, path: String) {
    Library.silence()
    let folder = TestFolder()
    let output = BytesOutput()
    let encoder = try Encoder.open(
      .alac(bitDepth: 16), sampleRate: sampleRate, channelMask: 4)
    var start: Int64 = 0
    let placed = chapters.map { chapter in
      let end = start + chapter.hours * 3600 * Int64(sampleRate)
      defer { start = end }
      return Muxer.Chapter(frames: start..<end, title: chapter.title)
    }
    let muxer = try Muxer.open(
      .m4a, to: output, for: .encoder(encoder), chapters: placed)
    let count = encoder.room
    try encoder.fill(count) { _, destination in memset(destination, 0, count * 2) }
    try encoder.submit()
    try encoder.finish()
    while let packet = try encoder.next() { try muxer.write(packet) }
    try muxer.finish()
    try writeFile(folder.path("a.m4a"), output.bytes)
    return (folder, folder.path("a.m4a"))
  }

  private final class BytesOutput: ByteOutput {
    private(set) var bytes: [UInt8] = []
    var size: Int64 { Int64(bytes.count) }

    func write(_ new: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
      let end = Int(offset) + new.count
      if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(Int(offset)..<end, with: new)
      return 0
    }
  }

  private func ffprobe(_ path: String) throws -> [String] {
    try Tool.succeed(
      "ffprobe", "-v", "error", "-show_entries", "chapter=start_time:chapter_tags=title", "-of",
      "csv=p=0", path
    ).text.split(separator: "\n").map(String.init)
  }

  /// Of the chapter track, which comes first.
  private func mediainfo(_ path: String) throws -> [String] {
    try Tool.succeed("mediainfo", path).text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, words[0].hasSuffix(":00:00.000") else { return nil }
      return words[0] + " " + words[2]
    }
  }

  @Test(
    "a chapter of more ticks than 31 bits hold is where it is, by ffprobe, mediainfo and avjob",
    arguments: [8000, 44_100, 96_000, 384_000])
  func longChapter(sampleRate: Int) throws {
    // 2³¹ ticks are 74.6 hours at 8 kHz.
    let (folder, path) = try file([(100, "A"), (1, "B"), (27, "C")], sampleRate: sampleRate)
    try withExtendedLifetime(folder) {
      #expect(try ffprobe(path) == ["0.000000,A", "360000.000000,B", "363600.000000,C"])
      let demuxer = try Demuxer.open(FileBytes(FilePath(path)), named: "a.m4a")
      let starts = demuxer.chapters.map {
        $0.start * Int64($0.timeBase.numerator) / Int64($0.timeBase.denominator)
      }
      #expect(starts == [0, 360_000, 363_600])
      #expect(demuxer.chapters.map(\.title) == ["A", "B", "C"])
      #expect(
        try mediainfo(path).prefix(3) == ["00:00:00.000 A", "100:00:00.000 B", "101:00:00.000 C"])
    }
  }

  @Test("the ticks of a chapter track are frames, if they fit")
  func timescale() {
    let second = Muxer.Chapter(frames: 0..<44_100, title: "A")
    #expect(Muxer.Chapter.trackTimescale([second], sampleRate: 44_100) == 44_100)
    for frames in [1 << 31 - 2, 1 << 31 - 1, 1 << 31, 1 << 40] as [Int64] {
      let chapter = Muxer.Chapter(frames: 10..<10 + frames, title: "A")
      let ticks = Muxer.Chapter.trackTimescale([second, chapter], sampleRate: 44_100)
      #expect(frames * Int64(ticks) / 44_100 < 1 << 31 - 1)
      #expect(ticks == 44_100 || frames * Int64(ticks) / 44_100 > 1 << 29)
    }
  }

  @Test("Nero's list is written if it has room for all chapters and their titles")
  func neroList() throws {
    func list(_ chapters: [(Int64, String)]) throws -> Int? {
      let (folder, path) = try file(chapters.map { (hours: $0.0, title: $0.1) }, sampleRate: 8000)
      return try withExtendedLifetime(folder) {
        let bytes = try readFile(path)
        let name = Array("chpl".utf8)
        return bytes.indices.dropLast(16).first { bytes[$0..<$0 + 4].elementsEqual(name) }
          .map { Int(bytes[$0 + 12]) }
      }
    }
    #expect(try list((0..<255).map { (1, "C\($0)") }) == 255)
    #expect(try list((0..<256).map { (1, "C\($0)") }) == nil)
    #expect(try list([(1, String(repeating: "ä", count: 127))]) == 1)
    #expect(try list([(1, String(repeating: "ä", count: 128))]) == nil)
  }
}
