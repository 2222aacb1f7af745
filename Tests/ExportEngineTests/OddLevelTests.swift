import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Sounds that meters and limiters stumble over, brought to a level.
@Suite("Levels of odd sounds") struct OddLevelTests {
  private let stage = Stage()

  /// A sound that ffmpeg makes of an expression (aevalsrc).
  private func made(_ description: String) throws -> Segment {
    let path = stage.folder.path("odd.wav")
    _ = try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=" + description, "-c:a", "pcm_f32le",
      path)
    return clip(try stage.library.asset(at: FilePath(path)))
  }

  private func run(
    _ segment: Segment, to target: LoudnessTarget, as name: String = "a.wav"
  ) throws -> ExportSession.Report {
    var export = Export(
      name: "job", composition: composition(segment),
      outputs: [Output(path: FilePath(stage.folder.path(name)), format: .wav(.int24))])
    export.loudness = target
    return try ExportSession(export, library: stage.library).run()
  }

  private static let tone = "sin(1000*2*PI*t)"
  /// Full-scale squares; the peaks between their samples are above full scale.
  private static let square = "if(lt(mod(n\\,48)\\,24)\\,1\\,-1)"
  /// A soft tone with one sample of full scale a second.
  private static let clicks = "if(eq(mod(n\\,48000)\\,777)\\,1\\,0.02*sin(440*2*PI*t))"

  private static let metSounds: [(String, Double)] = [
    // Less than a gating block: the loudness is that of the whole.
    ("0.1*\(tone):s=48000:d=0.3", -23), ("0.1*\(tone):s=48000:d=0.3", -16),
    ("\(square):s=48000:d=3", -14), ("0.001*\(square):s=48000:d=3", -9),
    ("\(clicks):s=48000:d=10", -16), ("\(clicks):s=48000:d=10", -10),
    // A tone on a constant that takes most of the room.
    ("0.6+0.1*\(tone):s=48000:d=5", -21),
    ("\(tone):s=8000:d=2", -20), ("0.5*\(tone):s=192000:d=2", -16),
    ("0.02*\(tone)|0.5*\(tone):s=44100:d=2", -12),
    (many("0.2*" + tone, 6) + ":c=5.1:s=48000:d=2", -12),
    (many("0.1*" + tone, 8) + ":c=7.1:s=48000:d=2", -16),
  ]

  private static func many(_ channel: String, _ count: Int) -> String {
    Array(repeating: channel, count: count).joined(separator: "|")
  }

  @Test(
    "its level is met, and no peak passes the ceiling",
    arguments: metSounds)
  func met(sound: String, level: Double) throws {
    let report = try run(try made(sound), to: LoudnessTarget(.integrated(level), truePeak: -1))
    #expect(report.warnings.map(\.message) == [])
    let told = try #require(report.outputs[0].loudness)
    #expect(abs(try #require(told.integrated) - level) <= 0.1)
    #expect(try #require(told.truePeak) <= -1)
    let found = try Tool.ebur128(stage.folder.path("a.wav"))
    #expect(found.truePeak <= -1)
    // ffmpeg has no figure of less than a gating block, and counts back channels as surrounds where
    // there are others at the side.
    if !sound.hasSuffix("d=0.3"), !sound.contains("7.1") {
      #expect(abs(found.integrated - level) <= 0.15)
    }
  }

  @Test("a level above what the peaks leave is out of reach, by the figure that is reported")
  func outOfReach() throws {
    let report = try run(
      try made("\(Self.square):s=48000:d=3"),
      to: LoudnessTarget(.integrated(2), truePeak: -1))
    let found = try Tool.ebur128(stage.folder.path("a.wav"))
    let missing = 2 - (try #require(report.outputs[0].loudness?.integrated))
    #expect(abs(2 - found.integrated - missing) <= 0.1)
    #expect(
      report.warnings.map(\.message) == [
        "is \(missing.tenths) dB below 2.0 LUFS, held down by its peaks; write a lower "
          + "level, or a 'compressor' or 'leveler' among its 'effects'"
      ])
  }

  @Test("a mono file has its level from one loudspeaker, or from two where its target says so")
  func dualMono() throws {
    let segment = try made("0.1*\(Self.tone):s=48000:d=3")
    for (isDualMono, level) in [(false, -20.0), (true, -23.01)] {
      let report = try run(
        segment, to: LoudnessTarget(.integrated(-20), truePeak: -1, isDualMono: isDualMono))
      #expect(abs(try #require(report.outputs[0].loudness?.integrated) + 20) <= 0.1)
      #expect(abs(try Tool.ebur128(stage.folder.path("a.wav")).integrated - level) <= 0.15)
    }
  }

  @Test(
    "what has no loudness stays as it is, and the report says so",
    arguments: ["0:s=48000:d=2", "0.00001*\(tone):s=48000:d=2"])
  func none(sound: String) throws {
    let report = try run(try made(sound), to: LoudnessTarget(.integrated(-16), truePeak: -1))
    #expect(report.outputs[0].correction?.gain == 0)
    #expect(
      report.warnings.map(\.message) == [
        "cannot be brought to −16.0 LUFS: it is silent, or softer than −70 LUFS; leave its "
          + "'loudness' out"
      ])
  }

  @Test("a rate without loudness is named, and is no silence", arguments: [2000, 3999, 4000])
  func slowRates(rate: Int) throws {
    let segment = try made("0.5*sin(300*2*PI*t):s=\(rate):d=2")
    let report = try run(segment, to: LoudnessTarget(.integrated(-16), truePeak: -1))
    #expect(
      report.warnings.map(\.message)
        == (rate < 4000
          ? [
            "cannot be brought to −16.0 LUFS: sound of \(rate) Hz has no loudness, since the "
              + "K-weighting needs 4000 Hz; write 'rms' or 'peak' in its 'loudness', or a "
              + "'sample_rate' of 4000 Hz or more"
          ] : []))
    // These remedies are ones.
    let power = try run(segment, to: LoudnessTarget(.rms(-20)), as: "b.wav")
    #expect(power.warnings.isEmpty)
    #expect(abs(try #require(power.outputs[0].loudness?.rms) + 20) <= 0.1)
  }

  @Test("samples that are no numbers are refused by the file's name")
  func numbers() throws {
    let path = stage.folder.path("odd.wav")
    let nan = try stage.sound([[Float](repeating: .nan, count: 48_000)], rate: 48_000)
    let failure = #expect(throws: Failure.self) {
      try run(clip(nan), to: LoudnessTarget(.integrated(-16), truePeak: -1))
    }
    #expect(failure?.location == nan.location, "\(path)")
  }
}
