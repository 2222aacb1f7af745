import MediaComposition

extension Schema {
  /// What must hold between the keys of a map, whatever their values are.
  enum Rule: Sendable, Hashable {
    /// One of them and no other.
    case oneOf([String])
    /// One of them, or none.
    case atMostOneOf([String])
    case someOf([String])
    /// Where the first stands, one of the others does.
    case needs(String, [String])
    /// The two do not stand together, unless the third does.
    case apart(String, String, unless: String)
    /// They cannot be there.
    case none([String])
    /// Where the first stands, nothing stands but the others.
    case alone(String, with: [String])
  }

  /// What sounds.
  static let contents = ["clip", "concat", "tracks", "silence"]

  /// Of `item`, wherever it stands.
  private static let modifierRules: [Rule] = [.atMostOneOf(["to", "duration"])]

  /// What a job must have, unless it gets keys from elsewhere: `defaults`, or a file that is included.
  static let wholeJobRules: [Rule] = [
    .someOf(["output"]), .someOf(contents + ["for_each"]), .needs("stream", ["clip", "for_each"]),
    .needs("crossfade", ["concat"]), .needs("group_by", ["rows"]),
  ]

  /// The rules of each map of the language. The decoder holds to them, in its own words.
  var rules: [Rule] {
    switch subject {
    case Self.item.subject:
      Self.modifierRules + [
        .oneOf(Self.contents), .needs("stream", ["clip"]),
        .apart("at", "crossfade", unless: "concat"),
      ]
    case Self.job.subject:
      Self.modifierRules + [
        .atMostOneOf(Self.contents), .atMostOneOf(["for_each", "rows"]), .none(["at"]),
      ]
    case Self.source.subject: Self.modifierRules + [.oneOf(["file", "clip"])]
    case Self.fade.subject: [.someOf(["duration"])]
    case Self.chapter.subject: [.someOf(["title"])]
    case Self.speed.subject: [.someOf(["rate"])]
    case Self.volume.subject: [.someOf(["points"])]
    case Self.range.subject:
      [.atMostOneOf(["to", "duration"]), .someOf(["from", "to", "duration"])]
    case Self.mp3.subject: [.oneOf(["vbr", "abr", "cbr", "preset"])]
    case Self.output.subject:
      [
        .oneOf(["file", "folder"]), .atMostOneOf(formatKeys),
        .needs("folder", formatKeys + ["preset", "json"]),
        .alone("json", with: ["file", "folder"]),
      ]
    case Self.preset.subject:
      [.atMostOneOf(formatKeys), .someOf(Self.preset.keys.map(\.name))]
    case Self.split.subject: [.someOf(["every"])]
    default: []
    }
  }
}

extension Schema.Rule {
  /// The rule as keywords of JSON Schema.
  var tree: JSONTree {
    func has(_ key: String) -> JSONTree { ["required": .list([.text(key)])] }
    switch self {
    case .oneOf(let keys): return ["oneOf": .list(keys.map(has))]
    case .atMostOneOf(let keys):
      guard keys.count > 2 else { return ["not": ["required": .list(keys.map(JSONTree.text))]] }
      let none: JSONTree = ["not": ["anyOf": .list(keys.map(has))]]
      return ["oneOf": .list(keys.map(has) + [none])]
    case .someOf(let keys):
      return keys.count == 1 ? has(keys[0]) : ["anyOf": .list(keys.map(has))]
    case .needs(let key, let others):
      return ["dependentSchemas": .map([(key, Self.someOf(others).tree)])]
    case .apart(let key, let other, let reason):
      return ["not": has(key).with(["allOf": [has(other), ["not": has(reason)]]])]
    case .none(let keys):
      // Not 'false', for which some validators do not say where.
      let nothing = keys.map { (key: $0, value: JSONTree.map([("not", [:])])) }
      return .map([(key: "properties", value: .map(nothing))])
    case .alone(let key, let others):
      let allowed = ([key] + others).map { (key: $0, value: JSONTree.boolean(true)) }
      let only = JSONTree.map([
        (key: "properties", value: .map(allowed)),
        (key: "additionalProperties", value: .boolean(false)),
      ])
      return .map([(key: "dependentSchemas", value: .map([(key: key, value: only)]))])
    }
  }
}
