import MediaComposition
import Testing

@testable import JobFile
@testable import JobModel

/// The level that sounds are brought to.
@Suite struct LoudnessTests {
  @Test(
    "an item has the level that its text says, and a ceiling only where that says one",
    arguments: [
      ("-19 LUFS", LoudnessTarget(.integrated(-19))),
      ("-24 LKFS", LoudnessTarget(.integrated(-24))),
      ("-20 dB RMS", LoudnessTarget(.rms(-20))),
      ("{ rms: -20 dB }", LoudnessTarget(.rms(-20))),
      ("{ peak: -1 dBFS }", LoudnessTarget(.samplePeak(-1))),
      (
        "{ integrated: -16 LUFS, true_peak: -1.5 dBTP }",
        LoudnessTarget(.integrated(-16), truePeak: -1.5)
      ),
      (
        "{ integrated: -16 LUFS, dual_mono: true, group: season-1 }",
        LoudnessTarget(.integrated(-16), isDualMono: true, group: "season-1")
      ),
    ])
  func item(text: String, target: LoudnessTarget) throws {
    let segment = try Shapes.segment("{ clip: a.wav, loudness: \(text), gain: 3 dB }")
    #expect(segment.loudness.map(Self.plain) == target)
    #expect(segment.mix.gain.decibels.rounded() == 3)
  }

  @Test(
    "a job's level has a ceiling of -1 dBTP unless the text says another, or none",
    arguments: [
      ("-16 LUFS", LoudnessTarget(.integrated(-16), truePeak: -1)),
      ("{ rms: -20 dB }", LoudnessTarget(.rms(-20), truePeak: -1)),
      ("{ peak: -1 dBFS }", LoudnessTarget(.samplePeak(-1))),
      ("{ integrated: -16 LUFS, true_peak: none }", LoudnessTarget(.integrated(-16))),
      ("{ name: spotify, true_peak: -2 dBTP }", nil),
      ("acx", DeliverySpecification.named("acx")?.target),
      ("{ name: acx, group: book }", nil),
    ])
  func job(text: String, target: LoudnessTarget?) throws {
    let export = try Shapes.export("clip: a.wav\nloudness: \(text)")
    var expected = target ?? DeliverySpecification.named("spotify")?.target
    if target == nil { expected?.truePeak = -2 }
    if text.contains("book") {
      expected = DeliverySpecification.named("acx")?.target
      expected?.group = "book"
    }
    #expect(export.loudness.map(Self.plain) == expected)
    #expect(export.composition.tracks[0].segments[0].loudness == nil)
  }

  @Test("an output's own level stands before the job's")
  func output() throws {
    let export = try Shapes.export(
      """
      clip: a.wav
      loudness: ebu-r128
      """)
    #expect(export.loudness?.specification == "ebu-r128")
    #expect(export.outputs.allSatisfy { $0.loudness == nil })
  }

  private static func plain(_ target: LoudnessTarget) -> LoudnessTarget {
    var copy = target
    copy.origin = .unknown
    return copy
  }
}
