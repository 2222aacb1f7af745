import JobModel
import MediaComposition

/// What a file without a header holds.
extension Values {
  private struct RawFields: Sendable {
    var samples: Output.SampleFormat?
    var sampleRate: Int?
    var channelCount = 1
    var isBigEndian = false
  }

  private static let storedSamples = TextNotation(
    "stored_samples",
    Output.SampleFormat.allCases.filter { ![.g722, .gsm, .ima4].contains($0) }.map {
      ($0.rawValue, $0)
    },
    refusal: "is no form of samples that is read without a header",
    help: "write '16 bit' or 'mu-law'; G.722 and GSM are known by '.g722' and '.gsm'")

  private static let byteOrder = TextNotation(
    "byte_order", [("little", false), ("big", true)], refusal: "is no order of bytes",
    help: "write 'little' for the lowest byte first, or 'big'")

  static let rawSound: NodeNotation<RawSound> = {
    let map = MapNotation(
      "sound without a header", RawFields(),
      rules: [
        .some(
          of: ["samples"], missing: "sound without a header needs 'samples'",
          help: "write { samples: 16 bit, sample_rate: 8 kHz }"),
        .some(
          of: ["sample_rate"], missing: "sound without a header needs a 'sample_rate'",
          help: "write { samples: 16 bit, sample_rate: 8 kHz }"),
      ],
      [
        Key("samples", storedSamples, "how each is stored") { $0.samples = $1.value },
        Key("sample_rate", sampleRate, "how many a second") { $0.sampleRate = $1.value },
        Key("channels", layout, "whose samples alternate; else one channel") {
          $0.channelCount = $1.value.count
        },
        Key("byte_order", byteOrder, "of each sample; else 'little'") { $0.isBigEndian = $1.value },
      ])
    return NodeNotation(
      Form(
        "raw_sound", [.map], "a map, as { samples: 16 bit, sample_rate: 8 kHz, channels: mono }",
        maps: { [map.schema] }
      ) { map.schema.reference }
    ) { node, decoder, scope in
      guard let fields = map.read(node, decoder, scope), let samples = fields.samples,
        let sampleRate = fields.sampleRate
      else { return nil }
      var sound = RawSound(samples, sampleRate: sampleRate, channelCount: fields.channelCount)
      sound.isBigEndian = fields.isBigEndian
      return sound
    }
  }()
}
