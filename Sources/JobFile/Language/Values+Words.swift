import Diagnosis
import JSON
import JobModel
import MediaTime
import Transcripts
import YAML

/// The kinds of values that name words of a transcript.
extension Values {
  // MARK: Moments

  /// Words that are said one after the other.
  private static let phrase: NodeNotation<Located<String>> = NodeNotation(
    Form("phrase", [.text], "words, as 'so let us begin'") { JSONForm.someText }
  ) { node, decoder, scope in
    guard let text = decoder.text(node, scope) else { return nil }
    guard !SpokenWords.pieces(of: text.string).isEmpty else {
      decoder.sink.error(
        "'\(text.string)' has no words", at: node.origin,
        help: "write words as they are said: case and punctuation do not count")
      return nil
    }
    return Located(text.string, at: node.origin)
  }

  private static let occurrence = TextNotation(
    "occurrence", "a whole number, as '2'", Pattern.whole("0*[1-9][0-9]*"),
    or: ["type": "integer", "minimum": 1]
  ) { text throws(QuantityError) in
    guard let number = Quantity.count(text), number > 0 else {
      throw QuantityError(
        "'\(text)' is no number of an occurrence", help: "write '2' for the second one")
    }
    return number
  }

  private struct PhraseFields: Sendable {
    var text: Located<String>?
    var occurrence: Int?
    var isAfter = false
    var plus: TimeText = .time(.zero)
  }

  /// A moment, or words of the item's transcript.
  static let edge: NodeNotation<Located<Moment>> = NodeNotation(
    "edge",
    "a time, as '1:30', 'end-10s', 'frame 100' or 'talk.end', or words, as "
      + "{ text: so let us begin }",
    text: moment, convert: { $0 },
    map: MapNotation(
      "a phrase", PhraseFields(), example: "{ text: so let us begin }",
      rules: [
        .some(
          of: ["text"], missing: "a phrase needs a 'text'",
          help: "write { text: so let us begin }")
      ],
      [
        Key("text", phrase, "words of the transcript; case and punctuation do not count") {
          $0.text = $1
        },
        Key("occurrence", occurrence, "which one of several, from 1") { $0.occurrence = $1.value },
        Key("after", boolean, "whether it is where they end") { $0.isAfter = $1.value },
        Key("plus", time, "so much later, and not at the quietest place near it") {
          $0.plus = $1.value
        },
      ]),
    finish: { fields, node, _ in
      fields.text.map { text in
        let place = PhrasePlace(
          text.value, occurrence: fields.occurrence, isAfter: fields.isAfter)
        return Located(Moment(.phrase(place), fields.plus), at: text.origin)
      }
    })

  // MARK: Selections

  private static let cueNumbers = TextNotation(
    "cue_numbers", "a cue's number, as '12', or several, as '40..44'",
    Pattern.whole(#"0*[1-9][0-9]*(\.\.0*[1-9][0-9]*)?"#), or: ["type": "integer", "minimum": 1]
  ) { text throws(QuantityError) in
    let ends = text.split(separator: "..", omittingEmptySubsequences: false)
      .map { Quantity.count(String($0)) }
    guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first > 0
    else {
      throw QuantityError(
        "'\(text)' is no number of a cue", help: "write '12' or '40..44': cues count from 1")
    }
    guard first <= last else {
      throw QuantityError(
        "'\(text)' ends before it begins", help: "write '\(last)..\(first)'")
    }
    return first...last
  }

  /// One value, or a list of them.
  private static func several<N: Notation>(
    _ name: String, _ example: String, of element: N
  ) -> NodeNotation<[N.Value]> {
    let form = Form(name, [.text, .list], example) {
      JSONForm.shapes(text: element.form.tree(), list: JSONForm.list(of: element.form.tree()))
    }
    return NodeNotation(form) { node, decoder, scope in
      if case .sequence(let nodes) = node.kind, nodes.isEmpty { decoder.refuseEmpty(node, form) }
      return node.elements.compactMap { element.read($0, decoder, scope) }
    }
  }

  /// The keys of a selection of words, in the map of an edit.
  static func words<Owner>(
    _ use: String, _ selection: WritableKeyPath<Owner, WordSelection> & Sendable
  ) -> [Key<Owner>] {
    [
      Key(
        "words",
        several("words", "words, or a list, as [um, uh, you know]", of: phrase),
        "words of the transcript that \(use), each time they are said"
      ) { $0[keyPath: selection].phrases = $1 },
      Key(
        "speaker", several("speakers", "a name, or a list, as [Ann, Ben]", of: text),
        "who says what \(use)"
      ) { $0[keyPath: selection].speakers = $1 },
      Key(
        "cues", several("cues", "numbers of cues, as [12, 40..44]", of: cueNumbers),
        "cues of the transcript that \(use), by their numbers"
      ) { $0[keyPath: selection].cues = $1 },
    ]
  }

  /// The keys of which a selection has one.
  static let selections = ["words", "speaker", "cues"]

  /// Words that stay.
  struct Kept: Sendable {
    var selection = WordSelection()
    var crossfade: Located<Fade>?
  }

  /// The only words that stay.
  static let keep: MapNotation<Kept> = MapNotation(
    "a keep", Kept(), example: "{ speaker: Ann }",
    rules: [
      .some(
        of: selections, missing: "a keep needs 'words', 'speaker' or 'cues'",
        help: "write { speaker: Ann } or { cues: [12, 40..44] }")
    ],
    words("stay", \.selection) + [
      Key("crossfade", fade, "how long both sides of a cut overlap; 10 ms unless given") {
        $0.crossfade = $1
      }
    ])
}
