import Diagnosis
import JobModel
import MediaComposition
import YAML

/// What the key `wav` says.
struct WaveChoice {
  var format: FormatChoice
  var container: Located<WaveContainer>?
}

/// The notation of `wav`.
extension Values {
  /// A WAV, while the keys of its long form are read.
  private struct WaveDraft: Sendable {
    var samples: FormatChoice?
    var container: Located<WaveContainer>?
  }

  /// The forms of `pcm`, and formats of telephony.
  static let wavePCM = TextNotation(
    "wav_pcm", "'16 bit', '24 bit', '32 bit float', '8 bit', 'mu-law', 'a-law', 'gsm' or 'copy'",
    Pattern.whole(
      Pattern.one(of: pcmBody, "8" + Pattern.bits, lawBody, Pattern.anyCase("gsm")))
  ) { text throws(QuantityError) in try Quantity.request(.wav, text) }

  private static let waveContainer = TextNotation(
    "wav_container", WaveContainer.allCases.map { ($0.rawValue, $0) },
    refusal: "is no container of a WAV",
    help: "write 'rf64' or 'bw64' for sizes of 64 bits, or 'riff', which is RF64 from 4 GiB on")

  static let wave: NodeNotation<WaveChoice> = NodeNotation(
    "wav", "'16 bit', '32 bit float' or 'copy', or { samples: 24 bit, container: bw64 }",
    text: wavePCM, convert: { WaveChoice(format: $0.value) },
    map: MapNotation(
      "a WAV", WaveDraft(), example: "{ samples: 24 bit, container: bw64 }",
      rules: [
        .some(
          of: ["samples", "container"], missing: "a WAV without keys",
          help: "write { samples: 24 bit, container: bw64 }")
      ],
      [
        Key("samples", wavePCM, "how each is stored; else 24 bit if a source has more than 16") {
          $0.samples = $1.value
        },
        Key("container", waveContainer, "'rf64' or 'bw64' at any size; else RIFF up to 4 GiB") {
          $0.container = $1
        },
      ]),
    finish: { draft, _, _ in
      WaveChoice(
        format: draft.samples ?? FormatChoice(request: .usual(.wav)), container: draft.container)
    })
}
