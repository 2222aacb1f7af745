import Diagnosis
import JobModel
import MediaComposition
import MediaTime

extension Values {
  private struct SilenceFields: Sendable {
    var words: [Located<String>] = []
    var longerThan: Time?
    var below: Gain?
  }

  private static let silencePlaceNames = SilencePlaces.Sidecar.allCases.map(\.rawValue)

  private static let silenceWords: NodeNotation<[Located<String>]> = NodeNotation(
    Form("silence_words", [.text, .list], "places, as [labels, cue]") {
      JSONForm.oneOrMore(JSONForm.words(silencePlaceNames.map { .text($0) }), onceEach: true)
    }
  ) { node, decoder, scope in decoder.placeWords(node, scope) }

  /// The length of silences that are listed: a list has no rate of samples.
  private static let listedSilence = TextNotation(
    "listed_silence", "a time, as '1s'",
    Pattern.whole("(?=.*[1-9])(?!0+/)(?!.*sample)" + Pattern.timeBody)
  ) { text throws(QuantityError) in
    guard case .time(let time) = try Decoder.time(text), time > .zero else {
      throw QuantityError("'\(text)' is no length of a silence", help: "write a time, as '1s'")
    }
    return time
  }

  private static let longSilences: MapNotation<SilenceFields> = {
    let example = "{ as: labels, longer_than: 1s, below: -50 dB }"
    return MapNotation(
      "the silences of an output", SilenceFields(), example: example,
      rules: needs(["as", "longer_than", "below"], of: "silences", as: example),
      [
        Key("as", silenceWords, "the places") { $0.words = $1 },
        Key("longer_than", listedSilence, "the least length of a silence") {
          $0.longerThan = $1.value
        },
        Key("below", silenceLevel, "the level under which sound is silence") {
          $0.below = $1.value
        },
      ])
  }()

  /// Where an output's silences are listed.
  static let silencePlaces: NodeNotation<SilencePlaces> = NodeNotation(longSilences.form) {
    node, decoder, scope in
    guard let fields = longSilences.read(node, decoder, scope), let least = fields.longerThan,
      let below = fields.below
    else { return nil }
    var sidecars: [SilencePlaces.Sidecar] = []
    for word in fields.words {
      if let sidecar = SilencePlaces.Sidecar(rawValue: word.value) {
        sidecars.append(sidecar)
      } else {
        decoder.refusePlace(word, of: "silences", among: silencePlaceNames)
      }
    }
    return SilencePlaces(sidecars, lasting: least, below: below, origin: node.origin)
  }
}
