import Diagnosis
import JobModel
import MediaComposition
import MediaTime

/// The notation of `duck`.
extension Values {
  static let depth = TextNotation(
    "depth", "decibels, as '12 dB'",
    Pattern.whole(#"\+?"# + Pattern.number + " *" + Pattern.decibels), parse: Quantity.depth)

  static let threshold = TextNotation(
    "threshold", "a level, as '-40 dB'",
    Pattern.whole(Pattern.signed + " *" + Pattern.decibels), parse: Quantity.threshold)

  /// Tracks of a mix, by their names.
  static let keyTracks: NodeNotation<[Located<String>]> = {
    let form = Form(
      "key_tracks", [.text, .list], "a track's name, or a list, as [voice, jingles]"
    ) {
      JSONForm.shapes(text: JSONForm.someText, list: JSONForm.list(of: JSONForm.someText))
    }
    return NodeNotation(form) { node, decoder, scope in
      if case .sequence(let nodes) = node.kind, nodes.isEmpty { decoder.refuseEmpty(node, form) }
      return names.read(node, decoder, scope)
    }
  }()

  private static let duck: MapNotation<ItemDucking> = MapNotation(
    "a duck", ItemDucking(under: [], by: 0), example: "{ under: voice, by: 12 dB }",
    rules: [
      .some(of: ["under"], missing: "a duck needs 'under'", help: "name the other track"),
      .some(of: ["by"], missing: "a duck needs 'by'", help: "write { under: voice, by: 12 dB }"),
    ],
    [
      Key("under", keyTracks, "the tracks beside it that it makes room for") { $0.under = $1 },
      Key("by", depth, "how much lower it is while they sound") { $0.depth = $1.value },
      Key("attack", time, "the fall, which ends before they sound; 80 ms unless given") {
        $0.attack = $1
      },
      Key("hold", time, "how long it stays down in their pauses; 300 ms unless given") {
        $0.hold = $1
      },
      Key("release", time, "the rise after that; 600 ms unless given") { $0.release = $1 },
      Key("threshold", threshold, "the level from which on they sound; -40 dB unless given") {
        $0.threshold = $1.value
      },
    ])

  /// How a track is lowered under others; nil without any.
  static let ducking: NodeNotation<ItemDucking> = NodeNotation(duck.form) { node, decoder, scope in
    duck.read(node, decoder, scope).flatMap { $0.under.isEmpty ? nil : $0 }
  }
}
