import Diagnosis
import JSON
import JobModel
import MediaComposition
import MediaTime
import YAML

/// The kinds of values that are ranges of an item, and the clocks of times.
extension Values {
  // MARK: Clocks

  static let clock = TextNotation(
    "clock", [("source", Clock.source), ("item", .item)], refusal: "is no clock")

  static let snap = TextNotation(
    "snap", [("frame", Snap.frame), ("keyframe", .keyframe)], refusal: "is nothing to snap to")

  // MARK: Ranges

  /// Ranges of an item, and what holds for all of them.
  struct Ranges: Sendable {
    var ranges: [Located<ItemRange>] = []
    var selection = WordSelection()
    var crossfade: Located<Fade>?
    var clock: Clock?
    /// What stands in transcripts for silent words.
    var text: String?

    /// The words beside the ranges; nil without any.
    var words: WordSelection? { selection.count > 0 ? selection : nil }
  }

  /// Ranges to remove.
  static let cut: NodeNotation<Ranges> = {
    let long = MapNotation(
      "a cut", Ranges(), rules: rangesRules("a cut"),
      [Key("ranges", ranges, "what is removed") { $0.ranges = $1 }]
        + words("go", \.selection) + [
          Key(
            "crossfade", fade,
            "how long both sides of a cut overlap; 10 ms beside words, else none unless given"
          ) { $0.crossfade = $1 },
          Key("clock", clock, "'source' for times of the file") { $0.clock = $1.value },
        ])
    let example =
      "ranges, as [12:00..13:30, end-10s..], words, as { words: [um, uh] }, or the path or address of "
      + "a list"
    return NodeNotation(rangesForm("cut", example, text: ranges.form.tree, long.schema)) {
      node, decoder, scope in
      if case .mapping = node.kind { return long.read(node, decoder, scope) }
      return ranges.read(node, decoder, scope).map { Ranges(ranges: $0) }
    }
  }()

  /// The whole item, or ranges of it.
  enum Mute: Sendable {
    case whole(Bool)
    case ranges(Ranges)
  }

  /// What is silent.
  static let mute: NodeNotation<Mute> = {
    let long = MapNotation(
      "a mute", Ranges(), rules: rangesRules("a mute"),
      [Key("ranges", ranges, "what is silent") { $0.ranges = $1 }]
        + words("are silent", \.selection) + [
          Key("text", text, "what stands for silent words in a transcript; '…' unless given") {
            $0.text = $1.value
          },
          Key("clock", clock, "'source' for times of the file") { $0.clock = $1.value },
        ])
    let example =
      "'true', 'false', ranges, as [12.3s..12.9s], words, as { words: Jane Doe }, or the path or "
      + "address of a list"
    return NodeNotation(rangesForm("mute", example, text: ranges.form.tree, long.schema)) {
      node, decoder, scope in
      switch node.kind {
      case .mapping: return long.read(node, decoder, scope).map(Mute.ranges)
      case .sequence: break
      case .scalar, .missing:
        guard let text = decoder.text(node, scope) else { return nil }
        // A word that is no file's name, as those of other languages for 'true'.
        let isWord = text.string.allSatisfy { $0.isLetter || $0.isNumber }
        if isWord, decoder.kind(of: decoder.path(text)) == nil {
          return boolean.read(node, decoder, scope).map { .whole($0.value) }
        }
      }
      return ranges.read(node, decoder, scope).map { .ranges(Ranges(ranges: $0)) }
    }
  }()

  private static func rangesRules(_ subject: String) -> [Schema.Rule] {
    [
      .some(
        of: ["ranges"] + selections,
        missing: "\(subject) needs 'ranges', 'words', 'speaker' or 'cues'",
        help: "write { ranges: [12:00..13:30] } or { words: [um, uh] }")
    ]
  }

  private static func rangesForm(
    _ name: String, _ example: String, text: @escaping @Sendable () -> JSONValue, _ long: Schema
  ) -> Form {
    Form(name, [.text, .list, .map], example, maps: { ranges.form.maps() + [long] }) {
      JSONForm.shapes(text: text(), map: long.reference)
    }
  }

  /// A range in a list of ranges.
  static let range: MapNotation<ItemRange> = MapNotation(
    "a range", ItemRange(),
    rules: [
      .atMostOne(of: ["to", "duration"], note: "the end is given here"),
      .some(
        of: ["from", "to", "duration"], missing: "an empty range",
        help: "write { from: 1:00, to: 2:30 }"),
    ],
    [
      Key("from", edge, "where the range starts") { $0.from = $1 },
      Key("to", edge, "where it ends") { $0.end = .moment($1) },
      Key("duration", time, "or how long it is") { $0.end = .duration($1) },
    ])

  /// A range in one text.
  static let rangeBody =
    #"(?=...) *("# + Pattern.momentBody + #" *)?\.\.( *\+ *"# + Pattern.timeBody
    + "| *\(Pattern.momentBody))? *"

  static let ranges: NodeNotation<[Located<ItemRange>]> = NodeNotation(
    Form(
      "ranges", [.text, .list],
      "ranges, as [12:00..13:30, end-10s..], or the path or address of a list",
      maps: { [range.schema] }
    ) {
      let text = JSONForm.text(Pattern.whole(rangeBody))
      let one = JSONForm.shapes(text: text, map: range.schema.reference)
      return JSONForm.shapes(
        text: JSONForm.timeList, list: JSONForm.list(of: one, isEmptyFine: true))
    }
  ) { node, decoder, scope in
    guard case .sequence(let nodes) = node.kind else { return decoder.listedRanges(node, scope) }
    return nodes.compactMap { node in
      guard case .mapping = node.kind else { return decoder.range(node, scope) }
      return range.read(node, decoder, scope).map { Located($0, at: node.origin) }
    }
  }

  // MARK: Silence

  /// A level under which sound is silence.
  static let silenceLevel = TextNotation(
    "silence_level", "a level, as '-50 dB'",
    Pattern.whole(
      #"-0*(?=[0-9.]*[1-9])([0-9]{1,2}|1[0-9]{2}|200(?!\.0*[1-9]))(\.[0-9]+)? *"#
        + Pattern.decibels)
  ) { text throws(QuantityError) in
    let refusal = QuantityError(
      "'\(text)' is no level of silence", help: "write decibels below full scale, as '-50 dB'")
    guard text.contains(where: \.isNumber) else { throw refusal }
    let level = try Gain(parsing: text)
    guard text.lowercased().hasSuffix("db"), level.factor > 0, level.factor < 1 else {
      throw refusal
    }
    return level
  }

  /// Rules of a map in which none of these keys may be left out.
  static func needs(_ keys: [String], of map: String, as example: String) -> [Schema.Rule] {
    keys.map { .some(of: [$0], missing: "'\(map)' needs '\($0)'", help: "write \(example)") }
  }

  private struct PauseFields: Sendable {
    var longerThan: Located<TimeText>?
    var to: Located<TimeText>?
    var below: Gain?
    var only: [Located<String>] = []
  }

  private static let longPauses: MapNotation<PauseFields> = {
    let example = "{ longer_than: 1s, to: 400ms, below: -45 dB }"
    return MapNotation(
      "a shortening", PauseFields(), example: example,
      rules: needs(["longer_than", "to", "below"], of: "pauses", as: example),
      [
        Key("longer_than", time, "the least length of a pause, 300 ms or more") {
          $0.longerThan = $1
        },
        Key("to", time, "how long each pause is afterwards") { $0.to = $1 },
        Key("below", silenceLevel, "the level under which sound is silence") {
          $0.below = $1.value
        },
        Key("only", keyTracks, "of a mix: the tracks that are silent in a pause; all unless given")
        {
          $0.only = $1
        },
      ])
  }()

  /// What silences between sounds become.
  static let pauses: NodeNotation<Located<Pauses>> = NodeNotation(longPauses.form) {
    node, decoder, scope in
    guard let fields = longPauses.read(node, decoder, scope), let longerThan = fields.longerThan,
      let to = fields.to, let below = fields.below
    else { return nil }
    return Located(
      Pauses(longerThan: longerThan, to: to, below: below, only: fields.only), at: node.origin)
  }

  private struct TrimFields: Sendable {
    var below: Located<Gain>?
    var keep: TimeText = .time(.zero)
  }

  /// What is removed at both ends.
  static let trim: NodeNotation<Located<Trim>> = NodeNotation(
    "trim", "a level, as '-50 dB', or { below: -50 dB, keep: 300ms }",
    text: silenceLevel, convert: { Located(Trim(below: $0.value), at: $0.origin) },
    map: MapNotation(
      "a trim", TrimFields(),
      rules: [
        .some(
          of: ["below"], missing: "a trim needs 'below'", help: "write { below: -50 dB }")
      ],
      [
        Key("below", silenceLevel, "the level under which sound is silence") { $0.below = $1 },
        Key("keep", time, "how much of the silence stays at each end") { $0.keep = $1.value },
      ]),
    finish: { fields, _, _ in
      fields.below.map { Located(Trim(below: $0.value, keep: fields.keep), at: $0.origin) }
    })

  // MARK: Insertions

  static let insertions: NodeNotation<[Item]> = NodeNotation(
    Form(
      "insertions", [.list], "items and where they go, as [{ clip: ad.mp3, at: 1:30 }]",
      maps: { [Language.item] }
    ) {
      let item = JSONForm.all(
        Language.item.reference, ["required": ["at"]], Schema.Rule.Kind.never("duck").tree)
      return JSONForm.list(of: item, isEmptyFine: true)
    }
  ) { node, decoder, scope in
    guard case .sequence(let nodes) = node.kind else { return nil }
    return nodes.flatMap { node -> [Item] in
      decoder.items(node, scope, in: .insertion).filter { item in
        guard item.at == nil else { return true }
        // Other values are no time, which was reported.
        if case .mapping(let entries) = node.kind, entries.contains(where: { $0.key == "at" }) {
          return false
        }
        decoder.sink.error(
          "an inserted item needs an 'at'", at: item.origin,
          help: "write { clip: ad.mp3, at: 1:30 }")
        return false
      }
    }
  }
}
