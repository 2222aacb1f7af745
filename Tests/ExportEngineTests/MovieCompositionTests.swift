import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@Suite("Movies of compositions with tracks of pictures")
struct MovieCompositionTests {
  private let library = MediaLibrary()

  private func asset(_ path: String) throws -> Asset { try library.asset(at: FilePath(path)) }

  /// From hundredths of a second to others.
  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: Time(value: start, timescale: 100), end: Time(value: end, timescale: 100))
  }

  /// Writes `out.mp4` with the picture, and the same sound into `out.wav`.
  private func export(_ composition: Composition, beside films: Films) throws {
    let outputs = [
      Output(path: FilePath(films.path("out.mp4")), format: .m4a(bitRate: 128_000)),
      Output(path: FilePath(films.path("out.wav")), format: .wav(.int16)),
    ]
    let export = Export(name: "movie", composition: composition, outputs: outputs)
    _ = try ExportSession(export, library: library).run()
  }

  @Test("each track has what was inserted into it, at its place")
  func tracks() throws {
    let films = try Films()
    let (talk, other) = (try asset(films.talk), try asset(films.slides))
    var composition = Composition()
    let sound = composition.addMutableTrack(withMediaType: .audio)
    let picture = composition.addMutableTrack(withMediaType: .video)
    try composition.tracks[sound].insertTimeRange(range(50, 250), of: other, at: .zero)
    try composition.tracks[sound].insertTimeRange(range(100, 200), of: talk, at: .invalid)
    try composition.tracks[picture].insertTimeRange(range(52, 180), of: talk, at: .zero)
    try composition.tracks[picture].insertTimeRange(range(100, 200), of: other, at: .invalid)
    // What is at 0.48 s is pushed back, and a part of it is taken out again.
    try composition.tracks[picture].insertTimeRange(
      range(240, 280), of: talk, at: range(48, 49).start)
    try composition.tracks[picture].removeTimeRange(range(100, 128))
    try export(composition, beside: films)

    let expected = Array(13..<25) + (60..<70) + (25..<28) + (35..<45) + (1025..<1050)
    #expect(try films.numbers("out.mp4") == expected)
    let times = try films.times("out.mp4")
    #expect(times.count == expected.count)
    #expect(zip(times, 0...).allSatisfy { abs($0 - Double($1) / 25) < 0.0001 }, "\(times)")
    let (heard, wave) = (try films.sound("out.mp4"), try films.sound("out.wav"))
    #expect(wave.count == 144_000)
    #expect(Signal.correlation(heard.prefix(140_000), wave.prefix(140_000)) > 0.98)
    let slides = try films.sound("slides.mp4")[24_000..<120_000]
    #expect(Signal.correlation(wave.prefix(96_000), slides) > 0.99)
  }

  @Test("a picture needs no sound beside it, and stays over a time without one")
  func silence() throws {
    let films = try Films()
    var composition = Composition(tracks: [Track(mediaType: .video)])
    try composition.tracks[0].insertTimeRange(range(0, 100), of: try asset(films.talk), at: .zero)
    try composition.tracks[0].insertEmptyTimeRange(range(100, 160))
    try composition.tracks[0].insertTimeRange(
      range(100, 200), of: try asset(films.slides), at: .invalid)
    try export(composition, beside: films)
    #expect(try films.numbers("out.mp4") == Array(0..<25) + (1025..<1050))
    #expect(try films.times("out.mp4").dropFirst(25).first == 1.6)
    let sound = try films.sound("out.mp4")
    #expect(!sound.isEmpty && sound.allSatisfy { abs($0) < 1e-4 })
    #expect(composition.assets == [])
    #expect(composition.readAssets.count == 2)
  }

  @Test("a composition takes sound and picture of an asset at one moment")
  func bothAtOnce() throws {
    let films = try Films()
    let (talk, slides) = (try asset(films.talk), try asset(films.slides))
    var composition = Composition()
    // The picture follows its sound, until a track of pictures has it.
    composition.addTrack()
    try composition.tracks[0].insertTimeRange(range(0, 200), of: talk, at: .zero)
    try composition.insertTimeRange(range(100, 200), of: slides, at: range(100, 101).start)
    try composition.scaleTimeRange(range(200, 300), toDuration: range(0, 200).duration)
    try export(composition, beside: films)
    #expect(try films.numbers("out.mp4") == Array(0..<25) + (1025..<1050) + (25..<50))
    let times = try films.times("out.mp4")
    #expect(times.last.map { abs($0 - 3.92) < 0.0001 } == true, "\(times)")
    let wave = try films.sound("out.wav")
    #expect(
      Signal.correlation(
        wave[48_000..<96_000], try films.sound("slides.mp4")[48_000..<96_000]) > 0.99)
  }

  @Test("passthrough copies, and refuses a cut that would need encoding")
  func passthrough() async throws {
    let films = try Films(["-bf", "0"])
    let talk = try asset(films.talk)
    var composition = Composition()
    try composition.insertTimeRange(range(100, 300), of: talk, at: .zero)
    let output = FilePath(films.path("out.mov"))
    let session = try ExportSession(composition, preset: .passthrough, to: output, library: library)
    #expect(session.export.outputs[0].fileType == .mov)
    try await session.export()
    #expect(try films.numbers("out.mov") == Array(25..<75))

    try composition.insertTimeRange(range(50, 150), of: talk, at: .invalid)
    let cut = try ExportSession(
      composition, preset: .passthrough, to: FilePath(films.path("no.mp4")), library: library)
    let failure = await #expect(throws: Failure.self) { try await cut.export() }
    #expect(
      failure?.message.contains("key pictures stand at 0s and 1s") == true, "\(failure as Any)")
  }

  @Test("other presets encode the picture, or leave it out")
  func presets() async throws {
    let films = try Films()
    var composition = Composition()
    try composition.insertTimeRange(range(10, 30), of: try asset(films.talk), at: .zero)
    let presets: [(Output.Preset, String)] = [
      (.highestQuality, "out.mkv"), (.appleM4A, "out.m4a"),
    ]
    for (preset, name) in presets {
      let path = FilePath(films.path(name))
      try await ExportSession(composition, preset: preset, to: path, library: library).export()
    }
    // The start of the range lies in the middle of a picture.
    #expect(try films.numbers("out.mkv") == Array(3..<8))
    #expect(try asset(films.path("out.m4a")).tracks == [])
  }

  @Test(
    "a sized preset scales a larger picture down in its shape, and none up",
    arguments: [
      ("1000x600", Output.Preset.size640x480, "h264,640,384"),
      ("600x1000", .size640x480, "h264,384,640"),
      ("1000x600", .size960x540, "h264,900,540"), ("1000x600", .size1280x720, "h264,1000,600"),
      ("2000x600", .hevc1920x1080, "hevc,1920,576"),
    ])
  func sized(size: String, preset: Output.Preset, expected: String) async throws {
    let folder = TestFolder()
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=\(size):r=25:d=0.2", "-f", "lavfi",
      "-i",
      "sine=d=0.2:r=48000", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
      "-c:a",
      "aac", folder.path("large.mp4"))
    let output = folder.path("out.mp4")
    let composition = try Composition(try asset(folder.path("large.mp4")))
    try await ExportSession(composition, preset: preset, to: FilePath(output), library: library)
      .export()
    let facts = try Tool.succeed(
      "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
      "stream=codec_name,width,height",
      "-of", "csv=p=0", output)
    #expect(facts.text == expected + "\n")
  }

  @Test("the pictures of a silent item are among what its files depend on")
  func fingerprint() throws {
    let films = try Films()
    func fingerprint(_ range: TimeRange) throws -> Fingerprint {
      var segment = Segment(.asset(try asset(films.talk)), source: range, at: .zero)
      segment.mix.gain = .silence
      let export = Export(
        name: "movie", composition: Composition(tracks: [Track(segments: [segment])]),
        outputs: [Output(path: "out.mp4", format: .m4a(bitRate: 128_000))])
      return try ExportSession(export, library: library).fingerprint { $0.bytes }
    }
    let first = try fingerprint(range(0, 100))
    #expect(first.sources.map(\.location) == [.file(FilePath(films.talk))])
    #expect(try fingerprint(range(0, 100)).digests == first.digests)
    #expect(try fingerprint(range(100, 200)).digests != first.digests)
  }

  @Test("a track says by how much its pictures are turned")
  func rotation() throws {
    let films = try Films()
    try Tool.succeed("cp", films.talk, films.path("turned.mp4"))
    try Tool.succeed("python3", "-c", turningScript, films.path("turned.mp4"))
    let turned = try asset(films.path("turned.mp4")).tracks(withMediaType: .video)
    #expect(turned.map(\.rotation) == [270])
    #expect(try asset(films.talk).tracks(withMediaType: .video).map(\.rotation) == [nil])
  }
}
