import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

/// What is known to be wrong with pictures before any of them is encoded.
@Suite("Pictures that are refused before a run") struct PictureRefusalTests {
  private let stage = Stage()

  /// A movie of so many seconds at 25 pictures a second, or at those of the options.
  private func movie(_ name: String, seconds: Int = 1, _ options: String = "") throws {
    try Tool.succeed(
      "sh", "-c",
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=\(seconds) -f lavfi -i sine=d=\(seconds) "
        + "-c:a aac -c:v libx264 -preset ultrafast -pix_fmt yuv420p \(options) \(name)",
      in: stage.folder.root)
  }

  /// What an output shows of ranges of movies, in tenths of a second.
  private func plan(
    _ ranges: [(name: String, from: Int64, to: Int64)], _ video: Output.Video
  ) throws -> PicturePlan {
    try #require(try sink(ranges, video).picture)
  }

  /// The output itself.
  private func sink(
    _ ranges: [(name: String, from: Int64, to: Int64)], _ video: Output.Video
  ) throws -> Sink {
    var composition = Composition()
    for (name, from, to) in ranges {
      let range = TimeRange(
        start: Time(value: from, timescale: 10), end: Time(value: to, timescale: 10))
      let asset = try stage.library.asset(at: FilePath(stage.folder.path(name)))
      try composition.insertTimeRange(range, of: asset, at: composition.duration)
    }
    var output = Output(path: "out.mp4", format: .m4a(bitRate: 128_000))
    output.video = video
    let export = Export(name: "movie", composition: composition, outputs: [output])
    return try Graph(compiling: export).sinks[0]
  }

  @Test("a source whose colours are not converted, however late it is shown")
  func colours() throws {
    try movie("plain.mp4")
    // Newer FFmpeg takes colours from the pictures, not from options.
    try movie(
      "pq.mp4", "-vf setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc")
    let settings = VideoSettings()
    let plan = try plan(
      [("plain.mp4", 0, 5), ("plain.mp4", 0, 10), ("pq.mp4", 0, 10)], .encode(settings))
    let reels = PictureReels(
      plan.assets, of: stage.library, areDecoded: true, unless: CancellationFlag())
    let ranges = reels.ranges(of: plan, delayedBy: .zero)
    // What is compared does not disturb what is read.
    let frames = try reels.frames(of: ranges, settings, comparing: 0..<1)
    for _ in 0..<13 { #expect(try frames.next() != nil) }
    let error = #expect(throws: LibAVError.self) {
      _ = try reels.frames(of: ranges, settings, comparing: 0..<2)
    }
    let refusal = error?.cause as? Failure
    #expect(refusal?.message.contains("between which tones are not mapped") == true)
    #expect(refusal?.location == .file(FilePath(stage.folder.path("pq.mp4"))))
    // A plan warns of it.
    #expect(throws: Failure.self) { _ = try stage.library.surveyed(plan) }
  }

  @Test("pictures around a cut far from the start, whose codec FFmpeg lacks, before one is copied")
  func codecs() throws {
    try movie("cut.mp4", seconds: 20, "-preset fast -bf 2 -g 25 -x264-params scenecut=0:b-adapt=0")
    // It begins with a key picture; at its end some are encoded.
    let sink = try sink([("cut.mp4", 20, 176)], .copy)
    let plan = try #require(sink.picture)
    let parts = try stage.library.surveyed(plan).spans[0].parts
    #expect(parts?.map { $0.reason == nil } == [true, false])
    let format = AudioFormat(sampleRate: 44_100, channelLayout: .mono)
    func open(_ codecs: PictureCodecs) throws(Failure) {
      let streams = try MediaLibrary(coding: codecs).openCompanions(
        of: plan, beside: sink, format, counting: PictureTally(), unless: CancellationFlag()
      ) { () throws(Failure) in
        throw Failure(.reportBug, "draws no sound")
      }.streams
      guard case .made = streams else { throw Failure(.reportBug, "is no cut") }
    }
    try open(PictureCodecs())
    for (codecs, name) in [
      (PictureCodecs(decodes: { _ in false }), "FFmpeg's decoder of h264"),
      (PictureCodecs(encodes: { _ in false }), "FFmpeg's libx264"),
    ] {
      let failure = #expect(throws: Failure.self) { try open(codecs) }
      #expect(failure?.code == .libraryMissing && failure?.remedy == .mendMachine)
      #expect(
        failure?.message.hasPrefix("needs \(name) to ") == true, "\(failure as Any)")
    }
    // Between key pictures none is needed.
    let whole = try self.sink([("cut.mp4", 20, 200)], .copy)
    _ = try MediaLibrary(coding: PictureCodecs(decodes: { _ in false }, encodes: { _ in false }))
      .openCompanions(
        of: try #require(whole.picture), beside: whole, format, counting: PictureTally(),
        unless: CancellationFlag()
      ) { () throws(Failure) in throw Failure(.reportBug, "draws no sound") }
  }

  @Test("a range at whose start no edit shows a picture")
  func gap() throws {
    try movie("gap.mp4", seconds: 4, "-vf \"select='lt(t,1)+gte(t,3)'\" -vsync vfr")
    let fine = try plan([("gap.mp4", 0, 5), ("gap.mp4", 30, 35)], .editedCopy)
    #expect(try stage.library.surveyed(fine).spans.allSatisfy { $0.parts?.count == 1 })
    let plan = try plan([("gap.mp4", 0, 5), ("gap.mp4", 25, 35)], .editedCopy)
    let failure = #expect(throws: Failure.self) { _ = try stage.library.surveyed(plan) }
    #expect(
      failure?.message.contains("has no picture that begins where a range of it does, at ") == true,
      "\(failure as Any)")
  }

  @Test("a range behind more pictures than an edit hides")
  func long() throws {
    try Tool.succeed(
      "sh", "-c",
      "ffmpeg -v error -f lavfi -i color=s=16x16:r=500:d=36 -f lavfi -i sine=r=48000:d=36 -c:a aac "
        + "-c:v libx264 -preset ultrafast -g 100000 -x264-params scenecut=0 -pix_fmt yuv420p long.mp4",
      in: stage.folder.root)
    let fine = try plan([("long.mp4", 120, 130)], .editedCopy)
    _ = try stage.library.surveyed(fine)
    let plan = try plan([("long.mp4", 350, 360)], .editedCopy)
    let failure = #expect(throws: Failure.self) { _ = try stage.library.surveyed(plan) }
    #expect(
      failure?.message.contains("has thousands of pictures between the one at 35s and") == true,
      "\(failure as Any)")
  }
}
