import Diagnosis
import Synchronization
import SystemPackage
import TestNetwork
import TestSupport
import Testing

@testable import ExportEngine

/// Names that libavformat does not read.
@Suite("Names of an MP4's tracks") struct MP4TrackNamesTests {
  private let folder = TestFolder()

  @Test("are found by the tracks' numbers, in MP4 and QuickTime", arguments: ["mp4", "mov"])
  func names(kind: String) throws {
    let path = folder.path("a.\(kind)")
    try Tool.succeed(
      "bash", "-c",
      """
      ffmpeg -v error -f lavfi -i sine=d=1 -map 0 -map 0 -map 0 -c:a aac -metadata:s:0 title=Gäme \
        -metadata:s:2 title=Mic \(path)
      """)
    let found = try MP4Track.names(in: try MediumBytes(.file(FilePath(path))))
    #expect(found == [1: "Gäme", 3: "Mic"])
  }

  /// A source of which reads fail behind the first ones.
  private final class FailingSource: MediaSource {
    struct Lost: Error {}

    let name = "lost.mp4"
    private let bytes: [UInt8]
    private let rest: Mutex<Int>

    init(_ bytes: [UInt8], after count: Int) {
      self.bytes = bytes
      rest = Mutex(count)
    }

    func contentInformation() throws -> MediaContentInformation {
      MediaContentInformation(contentLength: Int64(bytes.count), validator: "1")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let isLost = rest.withLock { rest in
        rest -= 1
        return rest < 0
      }
      if isLost { throw Lost() }
      let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
      buffer.copyBytes(from: part)
      return part.count
    }
  }

  @Test(
    "streams of a file that cannot be read at any moment are a failure, and have no other names")
  func unreadable() throws {
    try TestNetwork.prepare()
    let path = folder.path("a.mp4")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=0.1", "-c:a", "aac",
      "-metadata:s:0", "title=Mic", path)
    let bytes = try readFile(path)
    var failures = 0
    while failures < 1000 {
      let source = FailingSource(bytes, after: failures)
      do throws(Failure) {
        let streams = try MediaLibrary().streams(at: .source(source))
        #expect(streams.map(\.title) == ["Mic"])
        break
      } catch {
        #expect(error.message.hasPrefix("cannot be read at byte"), "\(error)")
        failures += 1
      }
    }
    #expect(3..<1000 ~= failures)
  }

  @Test("a file without tracks has none")
  func none() throws {
    let path = folder.path("a.flac")
    try Tool.succeed("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", path)
    #expect(try MP4Track.names(in: try MediumBytes(.file(FilePath(path)))) == [:])
  }
}
