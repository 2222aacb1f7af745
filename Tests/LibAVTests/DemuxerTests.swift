import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("Reading what is damaged")
struct DemuxerTests {
  private let folder = TestFolder()

  /// Packets that are found in a recording of MPEG-TS, a hole of so many mebibytes, and the recording
  /// again.
  private func packets(aroundHole mebibytes: Int) throws -> Int {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "mp2", "-y", "a.ts",
      in: folder.root)
    try Tool.succeed(
      "sh", "-c", "cp a.ts b.ts; truncate -s +\(mebibytes)M b.ts; cat a.ts >> b.ts", in: folder.root
    )
    let demuxer = try Demuxer.open(FilePath(folder.path("b.ts")))
    var count = 0
    while try demuxer.readWhatIsThere() != nil { count += 1 }
    return count
  }

  @Test("a hole in MPEG-TS is read over; one without an end is the file's end, and soon")
  func holes() throws {
    let whole = try packets(aroundHole: 0)
    #expect(whole > 60)
    #expect(try packets(aroundHole: 30) == whole)
    // Of which the first has its last packet only by what follows.
    #expect((whole / 2 - 1...whole / 2).contains(try packets(aroundHole: 300)))
  }
}
