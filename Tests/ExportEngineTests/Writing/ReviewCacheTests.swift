import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("One look at the disk for many exports")
struct ReviewCacheTests {
  private let folder = TestFolder()
  private let library = MediaLibrary()

  /// A second of sound with a cover, to be written to `path`.
  private func export(
    to path: String, as format: Output.Format = .mp3(.standard), cover: String = "cover.png"
  ) throws -> Export {
    let source = folder.path("tone.wav")
    if SourceFile.inode(of: FilePath(source)) == nil {
      try Tool.succeed("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", source)
    }
    let asset = try library.asset(at: FilePath(source))
    let segment = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero)
    var metadata = Metadata()
    metadata.cover = .file(FilePath(folder.path(cover)))
    return Export(
      name: "job", composition: Composition(tracks: [Track(segments: [segment])]),
      metadata: metadata, outputs: [Output(path: FilePath(folder.path(path)), format: format)])
  }

  private func problems(_ export: Export, _ look: inout ReviewCache) -> [String] {
    ExportSession(export, library: library).review(predicting: false, seeing: &look)
      .problems.map(\.message)
  }

  @Test("A picture that many share is read once, and again by the next look")
  func pictures() throws {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=40x30", "-frames:v", "1",
      folder.path("cover.png"))
    for format in [Output.Format.mp3(.standard), .aiff(.int16), .flac(bitDepth: 16)] {
      try writeFile(folder.path("copy.png"), try readFile(folder.path("cover.png")))
      var look = ReviewCache()
      #expect(problems(try export(to: "a", as: format, cover: "copy.png"), &look) == [])
      unlink(folder.path("copy.png"))
      #expect(problems(try export(to: "b", as: format, cover: "copy.png"), &look) == [])
      var next = ReviewCache()
      let found = problems(try export(to: "b", as: format, cover: "copy.png"), &next)
      #expect(found == ["cannot open the cover: No such file or directory"])
    }
  }

  @Test("The error of a picture is reported for every export with it")
  func badPictures() throws {
    try writeFile(folder.path("cover.png"), "no picture".utf8)
    var look = ReviewCache()
    for path in ["a.mp3", "b.mp3"] {
      let found = problems(try export(to: path), &look)
      #expect(found == ["the cover is neither a JPEG nor a PNG picture"])
    }
  }

  @Test("A still that cannot be shown is reported, however late it would be")
  func badStills() throws {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=40x30", "-frames:v", "1",
      folder.path("cover.jpg"))
    let bytes = try readFile(folder.path("cover.jpg"))
    try writeFile(folder.path("half.jpg"), bytes.prefix(bytes.count / 2))
    var settings = VideoSettings()
    settings.slides = ["cover.jpg", "half.jpg"].enumerated().map { number, name in
      VideoSettings.Slide(
        .file(FilePath(folder.path(name))), from: Time(value: Int64(number), timescale: 2))
    }
    var export = try export(to: "a.mp4", as: .m4a(bitRate: 64_000), cover: "cover.jpg")
    export.outputs[0].video = .encode(settings)
    var look = ReviewCache()
    #expect(
      problems(export, &look) == ["the image is cut off: its file ends before the picture does"])
  }

  @Test("A folder that is a file is reported for every output in it")
  func folders() throws {
    try writeFile(folder.path("file"), "".utf8)
    var look = FolderCache()
    for path in ["file/a.mp3", "file/b.mp3", "file/new/c.mp3"] {
      let failure = #expect(throws: Failure.self) {
        try OutputFile.requireWritable(FilePath(folder.path(path)), seeing: &look)
      }
      #expect(failure?.message.hasPrefix("cannot write there: Not a dir") == true)
    }
    for path in ["a.mp3", "new/b.mp3", "new/c.mp3", "new/deep/d.mp3"] {
      try OutputFile.requireWritable(FilePath(folder.path(path)), seeing: &look)
    }
    let failure = #expect(throws: Failure.self) {
      try OutputFile.requireWritable(FilePath(folder.path("new/..")), seeing: &look)
    }
    #expect(failure?.message == "is a folder; name a file")
  }

  @Test("Links to one folder lead outputs to one place, whether that is there or not")
  func places() throws {
    try Tool.succeed("mkdir", folder.path("there"))
    try Tool.succeed("ln", "-s", "there", folder.path("link"))
    try Tool.succeed("ln", "-s", "there/new.mp3", folder.path("end.mp3"))
    let paths = [
      "there/a.mp3", "link/a.mp3", "there/b.mp3", "there/x/y/a.mp3", "link/x/y/a.mp3",
      "link/new.mp3", "end.mp3",
    ]
    var registry = PathRegistry()
    let taken = paths.indices.filter { job in
      let file = ExportFiles.File(path: FilePath(folder.path(paths[job])), content: .sound)
      return (try? registry.write(.init(file, job: job, part: 0, number: 0))) == nil
    }
    #expect(taken == [1, 4, 6])
  }
}
