import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("A source that changes while it is read")
struct SourceChangeTests {
  private let folder = TestFolder()
  private static let message =
    "was changed, moved or removed while avjob was working; run the job again once it stays as it "
    + "is"

  enum Change: String, CaseIterable {
    case cut, replaced, grown, overwritten, removed

    func apply(to path: String) throws {
      let script =
        switch self {
        case .cut: "truncate -s $(($(stat -c %s \"$0\") / 2)) \"$0\""
        case .replaced: "cp \"$0\" \"$0.new\"; mv \"$0.new\" \"$0\""
        case .grown: "head -c 100 /dev/zero >> \"$0\""
        case .overwritten: "printf abc | dd of=\"$0\" bs=1 seek=5000 conv=notrunc status=none"
        case .removed: "rm \"$0\""
        }
      try Tool.succeed("bash", "-c", script, path)
    }
  }

  /// Makes the file; five seconds, of which less than one is read before the first progress.
  private func source(_ name: String) throws -> String {
    let path = folder.path(name)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=5:frequency=300", "-ar", "48000", path)
    return path
  }

  private func export(_ source: String, cover: Artwork? = nil) throws -> ExportSession {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(source))
    var metadata = Metadata()
    metadata.cover = cover
    let output = Output(
      path: FilePath(folder.path("out.flac")), format: .flac(bitDepth: 16), metadata: metadata)
    return ExportSession(
      Export(name: "test", composition: composition(clip(asset)), outputs: [output]),
      library: library)
  }

  /// Runs an export over an older output, with a change at the first progress, and expects it to
  /// fail for the file at `path` and to leave the old output.
  private func expectFailure(
    of session: ExportSession, for path: String, after change: () throws -> Void
  ) throws {
    let output = folder.path("out.flac")
    try writeFile(output, "old".utf8)
    var isChanged = false
    let failure = #expect(throws: Failure.self) {
      _ = try session.run(progress: { _ in
        guard !isChanged else { return }
        isChanged = true
        do { try change() } catch { Issue.record(error) }
      })
    }
    #expect(failure?.remedy == .tryAgain)
    #expect(failure?.path == FilePath(path))
    #expect(failure?.message == Self.message)
    #expect(try readFile(output) == Array("old".utf8))
    #expect(try !entries(of: folder.root).contains { $0.hasSuffix(".tmp") })
  }

  @Test(
    "makes the job fail, and the old output stays",
    arguments: ["a.mp3", "a.wav", "a.flac", "a.m4a", "a.opus", "a.aac", "a.mka"], Change.allCases)
  func changes(_ name: String, _ change: Change) throws {
    let path = try source(name)
    try expectFailure(of: try export(path), for: path) { try change.apply(to: path) }
  }

  @Test("stays what it was if another program only reads it")
  func reading() throws {
    let path = try source("a.mp3")
    let report = try export(path).run(progress: { _ in _ = try? readFile(path) })
    #expect(report.files.count == 1 && report.warnings.isEmpty)
  }

  @Test("makes the job fail if it is a cover", arguments: Change.allCases)
  func cover(_ change: Change) throws {
    let cover = folder.path("c.png")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=320x240:d=1", "-frames:v", "1",
      cover)
    let session = try export(try source("a.wav"), cover: .file(FilePath(cover)))
    try expectFailure(of: session, for: cover) { try change.apply(to: cover) }
  }

  @Test("makes the job fail if only its cover is taken")
  func mediaOfCover() throws {
    let media = folder.path("t.mp3")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-f", "lavfi", "-i",
      "testsrc=s=64x64:d=1", "-map", "0", "-map", "1", "-frames:v", "1", "-c:v", "mjpeg", media)
    let artwork = try MediaLibrary().asset(at: FilePath(media)).metadata.cover
    let session = try export(try source("a.wav"), cover: artwork)
    try expectFailure(of: session, for: media) { try Change.grown.apply(to: media) }
  }
}
