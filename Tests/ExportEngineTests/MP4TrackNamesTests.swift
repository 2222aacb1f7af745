import SystemPackage
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

  @Test("a file without tracks has none")
  func none() throws {
    let path = folder.path("a.flac")
    try Tool.succeed("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", path)
    #expect(try MP4Track.names(in: try MediumBytes(.file(FilePath(path)))) == [:])
  }
}
