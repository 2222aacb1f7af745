import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

/// Sounds that are brought to a level, checked with ffmpeg's meter.
@Suite("Loudness of outputs") struct NormalizationTests {
  let stage = Stage()

  private func export(
    _ segment: Segment, _ outputs: [Output], to target: LoudnessTarget?
  ) -> Export {
    var export = Export(name: "job", composition: composition(segment), outputs: outputs)
    export.loudness = target
    return export
  }

  private func output(_ name: String, _ format: Output.Format) -> Output {
    Output(path: FilePath(stage.folder.path(name)), format: format)
  }

  @Test(
    "files have their loudness and keep below the ceiling when they are encoded",
    arguments: [
      ("librivox-sonnet.mp3", -16.0, -1.0), ("librivox-sonnet.mp3", -23, -1),
      ("feelings.ogg", -14, -1), ("camera.ogv", -20, -2), ("librivox-sonnet.mp3", -14, -1),
    ])
  func reached(fixture: String, level: Double, ceiling: Double) throws {
    let outputs = [
      output("a.wav", .wav(.int24)), output("a.mp3", .mp3(.init(.vbr(quality: 2)))),
      output("a.m4a", .m4a(bitRate: 128_000)), output("a.opus", .opus(bitRate: 96_000)),
    ]
    let asset = try stage.fixture(fixture)
    let export = export(
      clip(asset, 0..<min(asset.frameCount, Int64(15 * asset.sampleRate))), outputs,
      to: LoudnessTarget(.integrated(level), truePeak: ceiling))
    let report = try ExportSession(export, library: stage.library).run()
    for output in report.outputs {
      let found = try Tool.ebur128(output.path.string)
      #expect(abs(found.integrated - level) <= 0.15, "\(output.path)")
      #expect(found.truePeak <= ceiling, "\(output.path)")
      // The report has the encoded file's figures; the meters differ by a rounded digit.
      let told = try #require(output.loudness?.integrated)
      #expect(abs(told - found.integrated) <= 0.1)
    }
  }

  @Test("where no peak passes the ceiling, one gain is all that is done")
  func linear() throws {
    let sound = Signal.glide(sampleRate: 48_000, count: 96_000).map { $0 * 0.05 }
    let segment = clip(try stage.sound([sound], rate: 48_000))
    let export = export(
      segment, [output("a.wav", .wav(.float32))],
      to: LoudnessTarget(.integrated(-20), truePeak: -1))
    let report = try ExportSession(export, library: stage.library).run()
    let correction = try #require(report.outputs[0].correction)
    #expect(correction.ceiling == nil)
    let made = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", stage.folder.path("a.wav"), "-f", "f32le", "-"
    ).floats
    let factor = Float(Gain(decibels: correction.gain).factor)
    #expect(zip(made, sound).allSatisfy { $0 == $1 * factor })
    #expect(abs(try Tool.ebur128(stage.folder.path("a.wav")).integrated + 20) <= 0.1)
  }

  @Test("an item's level is that of the item alone, before its gain and its fades")
  func item() throws {
    var segment = clip(try stage.fixture("librivox-sonnet.mp3"))
    segment.loudness = LoudnessTarget(.integrated(-30))
    segment.mix = AudioMix(gain: Gain(decibels: 6))
    let export = export(segment, [output("a.wav", .wav(.float32))], to: nil)
    _ = try ExportSession(export, library: stage.library).run()
    #expect(abs(try Tool.ebur128(stage.folder.path("a.wav")).integrated + 24) <= 0.1)
  }

  @Test("a level of RMS or of the largest sample is met exactly by one gain")
  func others() throws {
    let segment = clip(try stage.fixture("voice-8k.wav"))
    for (level, figure) in [
      (LoudnessTarget.Level.rms(-30), \LoudnessMeasurement.rms), (.samplePeak(-3), \.samplePeak),
    ] {
      let export = export(
        segment, [output("a.wav", .wav(.float32))], to: LoudnessTarget(level))
      let report = try ExportSession(export, library: stage.library).run()
      let found = try #require(report.outputs[0].loudness?[keyPath: figure])
      #expect(abs(found - level.decibels) < 0.01)
    }
  }

  @Test("silence has no level: it stays as it is, and the report says so")
  func silence() throws {
    let segment = clip(try stage.sound([[Float](repeating: 0, count: 48_000)], rate: 48_000))
    let export = export(
      segment, [output("a.wav", .wav(.int16))],
      to: LoudnessTarget(.integrated(-16), truePeak: -1))
    let report = try ExportSession(export, library: stage.library).run()
    #expect(report.outputs[0].correction?.gain == 0)
    #expect(
      report.warnings.map(\.message) == [
        "cannot be brought to −16.0 LUFS: it is silent, or softer than −70 LUFS; leave its "
          + "'loudness' out"
      ])
  }

  @Test("a level that its peaks keep out of reach is reported with what is missing")
  func missed() throws {
    let export = export(
      clip(try stage.fixture("camera.ogv")), [output("a.wav", .wav(.int24))],
      to: LoudnessTarget(.integrated(-10), truePeak: -3))
    let report = try ExportSession(export, library: stage.library).run()
    let found = try Tool.ebur128(stage.folder.path("a.wav"))
    #expect(found.truePeak <= -3)
    let missing = try #require(report.outputs[0].loudness?.integrated) + 10
    #expect(missing < -1)
    #expect(
      report.warnings.map(\.message) == [
        "is \(abs(missing).tenths) dB below −10.0 LUFS, held down by its peaks; write a lower "
          + "level, or a 'compressor' or 'leveler' among its 'effects'"
      ])
  }

  @Test("the bytes do not depend on the number of cores")
  func anyCores() throws {
    var files: Set<[UInt8]> = []
    for cores in [1, 2, 3] {
      let name = "\(cores).mp3"
      let export = export(
        clip(try stage.fixture("feelings.ogg")),
        [output(name, .mp3(.init(.vbr(quality: 2))))],
        to: LoudnessTarget(.integrated(-12), truePeak: -1))
      _ = try ExportSession(export, library: stage.library).run(
        budget: CPUBudget(total: cores))
      files.insert(try readFile(stage.folder.path(name)))
    }
    #expect(files.count == 1)
  }

  @Test("an export whose sounds have no level is rendered without a pass before")
  func unmeasured() throws {
    let export = export(
      clip(try stage.fixture("voice-8k.wav")), [output("a.wav", .wav(.int16))], to: nil)
    let report = try ExportSession(export, library: stage.library).run()
    #expect(report.outputs[0].loudness == nil)
  }
}
