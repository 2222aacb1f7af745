import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import LibAV

@Suite("Reading what is damaged")
struct DemuxerTests {
  private let folder = TestFolder()

  /// A recording of MPEG-TS, a hole of so many mebibytes, and the recording again.
  private func recording(aroundHole mebibytes: Int) throws -> Demuxer {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "mp2", "-y", "a.ts",
      in: folder.root)
    try Tool.succeed(
      "sh", "-c", "cp a.ts b.ts; truncate -s +\(mebibytes)M b.ts; cat a.ts >> b.ts", in: folder.root
    )
    return try Demuxer.open(FileBytes(FilePath(folder.path("b.ts"))), named: "b.ts")
  }

  private func count(_ demuxer: Demuxer) throws -> Int {
    var count = 0
    while try demuxer.readWhatIsThere() != nil { count += 1 }
    return count
  }

  @Test("a beginning is not looked for without end")
  func zeros() throws {
    try Tool.succeed("truncate", "-s", "10G", "a.flac", in: folder.root)
    let bytes = try FileBytes(FilePath(folder.path("a.flac")))
    let error = #expect(throws: LibAVError.self) {
      try Demuxer.open(bytes, named: "a.flac").completeParameters()
    }
    #expect(error?.operation == "its first 512 MiB do not say what it is")
    #expect(error?.isInvalidData == true && error?.isUnknownFormat == false)
  }

  @Test("a hole in MPEG-TS is read over, until nobody waits for what lies behind it")
  func holes() throws {
    let whole = try count(recording(aroundHole: 0))
    #expect(whole > 60)
    #expect(try count(recording(aroundHole: 30)) == whole)
    let demuxer = try recording(aroundHole: 30)
    var (packets, asked) = (0, 0)
    let stop = #expect(throws: LibAVError.self) {
      let isCancelled = {
        asked += 1
        return asked > 3
      }
      while try demuxer.readWhatIsThere(unless: isCancelled) != nil { packets += 1 }
    }
    #expect(stop?.posix == EAGAIN)
    #expect(asked == 4)
    #expect(packets < whole)
  }
}
