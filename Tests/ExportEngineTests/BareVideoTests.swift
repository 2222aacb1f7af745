import Diagnosis
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Streams of pictures without a container")
struct BareVideoTests {
  private let stage = Stage()

  private func failure(_ name: String) -> Failure? {
    #expect(throws: Failure.self) {
      _ = try stage.library.asset(at: FilePath(stage.folder.path(name)))
    }
  }

  /// Digests of the pictures of a file, as FFmpeg decodes them.
  private func pictures(_ name: String) throws -> [String] {
    try Tool.succeed(
      "sh", "-c",
      "ffmpeg -v error -i \(name) -map 0:v -fps_mode passthrough -f framemd5 - | grep -v '^#'",
      in: stage.folder.root
    ).text.split(separator: "\n").compactMap { $0.split(separator: ",").last.map(String.init) }
  }

  @Test(
    "what the file is and what to do is said, and doing it makes a movie with the same pictures",
    arguments: [
      ("bare.h264", "-c:v libx264 -bf 3", "H.264"),
      ("bare.264", "-c:v libx264 -x264-params aud=1", "H.264"),
      ("bare", "-c:v libx264 -bf 2 -f h264", "H.264"),
      ("bare.hevc", "-c:v libx265 -x265-params log-level=error:aud=1", "HEVC"),
      ("bare.265", "-c:v libx265 -x265-params log-level=error -f hevc", "HEVC"),
      ("bare.m2v", "-c:v mpeg2video -bf 2", "MPEG-1 or MPEG-2"),
      ("bare.m1v", "-c:v mpeg1video", "MPEG-1 or MPEG-2"),
      ("bare.m4v", "-c:v mpeg4 -bf 2 -f m4v", "MPEG-4"),
      ("bare.obu", "-c:v libaom-av1 -usage realtime -cpu-used 8", "AV1"),
      ("bare.ivf", "-c:v libvpx -deadline realtime", "VP8, VP9 or AV1 (IVF)"),
      ("bare.mjpeg", "-c:v mjpeg", "MJPEG"),
      ("bare.y4m", "-pix_fmt yuv420p", "uncompressed pictures (YUV4MPEG2)"),
    ])
  func remedy(name: String, options: String, kind: String) throws {
    try Tool.succeed(
      "sh", "-c",
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -pix_fmt yuv420p \(options) \(name)",
      in: stage.folder.root)
    let failure = failure(name)
    let message = failure?.message ?? ""
    #expect(
      message.hasPrefix("is a stream of pictures without a container: \(kind); put it into one"),
      "\(message)")
    #expect(
      !message.contains("25") || message.hasSuffix("', where 25 is the number of pictures a second")
    )
    #expect(failure?.code == .mediaUnsupported && failure?.remedy == .mendInput)
    let command = try #require(message.split(separator: "'").dropFirst().first)
      .replacing(" OUT", with: " out").replacing("IN", with: name)
    try Tool.succeed("sh", "-c", command + " > /dev/null 2>&1", in: stage.folder.root)
    let track = try stage.library.asset(at: FilePath(stage.folder.path("out.mkv"))).pictureTrack
    #expect(track != nil)
    let found = try pictures("out.mkv")
    #expect(found.count == 50)
    // What is encoded once more is like it.
    if kind != "uncompressed pictures (YUV4MPEG2)" { #expect(found == (try pictures(name))) }
  }

  @Test("a single picture, a text and noise are none of these")
  func others() throws {
    try Tool.succeed(
      "sh", "-c",
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48 -frames:v 1 one.jpg
      printf 'talk\n' > text.h264
      head -c 4096 /dev/zero > zeros.m2v
      printf '\\000\\000\\001\\377\\377\\377' > start.m2v
      """, in: stage.folder.root)
    for name in ["one.jpg", "text.h264", "zeros.m2v", "start.m2v"] {
      #expect(failure(name)?.message.contains("without a container") == false, "\(name)")
    }
  }
}
