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

  @Test("A name that is too long is refused in the same words whether its folder is there or not")
  func longNames() throws {
    mkdir(folder.path("there"), 0o755)
    symlink("gone/\(String(repeating: "l", count: 256))", folder.path("link"))
    symlink("gone/l", folder.path("shortLink"))
    let (fits, long) = (String(repeating: "x", count: 255), String(repeating: "x", count: 256))
    // Of 128 characters.
    let wide = String(repeating: "ä", count: 128)
    var look = FolderCache()
    for place in ["", "there/", "new/", "new/deep/"] {
      for name in [long, wide, "\(long)/a.mp3", "\(long)/\(long)/a.mp3", "a/\(long)/b/c/a.mp3"] {
        let path = FilePath(folder.path(place + name))
        let failure = #expect(throws: Failure.self, "\(path)") {
          try OutputFile.requireWritable(path, seeing: &look)
        }
        #expect(
          failure?.message == "cannot write there: File name too long; use a shorter name")
        #expect(failure?.remedy == .mendJob && failure?.path == path)
      }
      for name in [fits, "\(fits)/a.mp3", "\(fits)/\(fits)/\(fits)"] {
        try OutputFile.requireWritable(FilePath(folder.path(place + name)), seeing: &look)
      }
    }
    #expect(throws: Failure.self) {
      try OutputFile.requireWritable(FilePath(folder.path("link")), seeing: &look)
    }
    try OutputFile.requireWritable(FilePath(folder.path("shortLink")), seeing: &look)
  }

  @Test("A path is refused if it, or that of a temporary file beside it, is too long")
  func longPaths() throws {
    var look = FolderCache()
    let name = String(repeating: "n", count: 200)
    for (length, isAccepted) in [
      (4000, true), (4060, false), (4095, false), (4096, false), (5000, false),
    ] {
      var path = FilePath(folder.path("new"))
      while path.length + 210 < length { path.append(name) }
      path.append(String(repeating: "o", count: length - path.length - 3))
      path.append("p")
      #expect(path.length == length)
      if isAccepted {
        try OutputFile.requireWritable(path, seeing: &look)
        try OutputFile.create(at: path).discard()
      } else {
        let failure = #expect(throws: Failure.self) {
          try OutputFile.requireWritable(path, seeing: &look)
        }
        #expect(
          failure?.message == "cannot write there: File name too long; use a shorter name")
      }
    }
    #expect(try entries(of: folder.root) == [])
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
