import MediaComposition

extension JobFile {
  /// The language as a JSON Schema (draft 2020-12), which editors check job files against. It is made
  /// of the tables that decoding goes by.
  ///
  /// What only other files, other keys or numbers in texts can show it does not see: that is for
  /// `avjob check`.
  public static let schema = Schema.document.rendered
}

extension Schema {
  /// The name of its definition: `item` of `an item`.
  var definition: String {
    let words = subject.split(separator: " ")
    let name = words.count > 1 ? words.dropFirst().joined(separator: "_") : subject
    // A chapter and a volume have a long form beside the text: the definitions share a name.
    return Value.allNames.contains(name) ? name + "_map" : name
  }

  static let document: JSONTree = {
    // What is the whole of a file stands at the root.
    let maps = all.filter { $0["jobs"] == nil && $0.subject != job.subject }
    let values = Set((all + [source]).flatMap { $0.keys.filter { $0.instead == nil } }.map(\.value))
    var definitions = [(key: job.definition, value: job.tree())]
    definitions += maps.map { (key: $0.definition, value: $0.tree()) }
    definitions += values.sorted { $0.definition < $1.definition }.map {
      (key: $0.definition, value: $0.tree)
    }
    let title: JSONTree = [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "A job file of avjob, version 1",
      "description": "What to cut, join, mix and compress: one job, or several under 'jobs'.",
    ]
    let root = Schema(subject: "", keys: file.keys + job.keys)
    return title.with(root.tree(with: [oneOrMany, wholeJobs])).with(["$defs": .map(definitions)])
  }()

  /// A file is one job, or has them under 'jobs'.
  private static let oneOrMany: JSONTree = [
    "if": ["required": ["jobs"]],
    "then": Rule.none(job.keys.filter { $0.instead == nil }.map(\.name)).tree,
    "else": ["allOf": .list(job.rules.map(\.tree) + jobConditions)],
  ]

  /// A job is whole, unless it gets keys from elsewhere.
  private static let wholeJobs: JSONTree = {
    let whole: JSONTree = ["allOf": .list(wholeJobRules.map(\.tree) + [inputCondition])]
    return [
      "if": Rule.someOf(["defaults", "include"]).tree,
      "else": [
        "if": ["required": ["jobs"]],
        "then": ["properties": ["jobs": ["additionalProperties": whole]]],
        "else": whole,
      ],
    ]
  }()

  /// The map, with what must hold between its keys.
  private func tree(with more: [JSONTree] = []) -> JSONTree {
    var properties: [(key: String, value: JSONTree)] = []
    for key in keys where key.instead == nil {
      let value: JSONTree = ["description": .text(key.help)]
      properties.append((key.name, value.with(ValueTree.reference(key.value))))
    }
    var tree: JSONTree = [
      "type": "object", "properties": .map(properties),
      "additionalProperties": isOpen ? ValueTree.reference(.text) : false,
    ]
    var conditions = rules.map(\.tree) + more
    if subject == Self.output.subject {
      conditions += Self.extensionConditions + Self.layoutConditions + Self.id3Conditions
    }
    if subject == Self.job.subject { conditions += Self.jobConditions }
    if subject == Self.source.subject { conditions.append(Self.placeCondition) }
    if self["clip"] != nil { conditions.append(Self.rangeCondition) }
    if self["silence"] != nil { conditions.append(Self.silenceCondition) }
    if !conditions.isEmpty { tree = tree.with(["allOf": .list(conditions)]) }
    return tree
  }

  /// A range stands in the clip's text or in keys.
  private static let rangeCondition: JSONTree = [
    "if": Rule.someOf(["from", "to", "duration"]).tree,
    "then": [
      "properties": [
        "clip": ["not": ["type": "string", "pattern": .text(SchemaPattern.clipWithRange)]]
      ]
    ],
  ]

  /// A silence has no chapters to keep.
  private static let silenceCondition: JSONTree = [
    "if": ["required": ["silence"]],
    "then": ["properties": ["chapters": ["not": ["const": "keep"]]]],
  ]

  /// A source is no item of what it is inserted into.
  private static let placeCondition: JSONTree = [
    "properties": ["at": ValueTree.placeInList]
  ]

  /// Not every format has an ID3 tag.
  private static let id3Conditions: [JSONTree] = {
    let place: JSONTree = [
      "not": ["anyOf": [["const": "id3"], ["type": "array", "contains": ["const": "id3"]]]]
    ]
    let noTag = isOne(of: Output.Kind.allCases.filter { !$0.capabilities.hasID3 })
    // Of the clip's own format only the decoder knows whether it has the tag.
    let tag: JSONTree = ["if": noTag, "then": Rule.none(["id3"]).tree]
    let places: JSONTree = [
      "if": ["anyOf": [noTag, ["required": ["codec"]]]],
      "then": ["properties": ["chapters": place]],
    ]
    return [tag, places]
  }()

  /// Whether an output is of one of `kinds`: a key says so, or nothing but the path says anything.
  private static func isOne(of kinds: [Output.Kind]) -> JSONTree {
    let named = Rule.someOf(kinds.map(\.rawValue)).tree
    guard let pattern = SchemaPattern.outputPath(of: kinds) else { return named }
    let path: JSONTree = ["type": "string", "pattern": .text(pattern)]
    let shown: JSONTree = [
      "required": ["file"], "properties": ["file": path],
      "not": Rule.someOf(formatKeys + ["preset", "json"]).tree,
    ]
    return ["anyOf": [named, shown]]
  }

  /// Not every format has every layout.
  private static let layoutConditions: [JSONTree] = Output.Kind.allCases.compactMap { kind in
    let missing = ChannelLayout.named.filter { kind.capabilities.stored($1) == nil }.map(\.key)
    guard !missing.isEmpty else { return nil }
    let words = missing.flatMap { name in
      Double(name) == nil ? [JSONTree.text(name)] : [.text(name), .number(name)]
    }
    return [
      "if": isOne(of: [kind]),
      "then": ["properties": ["channels": ["not": ["enum": .list(words)]]]],
    ]
  }

  /// A format goes into files of its own extensions; one that is not said must show in the path.
  private static let extensionConditions: [JSONTree] = {
    func path(_ condition: JSONTree) -> JSONTree { ["properties": ["file": condition]] }
    let named: [JSONTree] = Output.Kind.allCases.map { kind in
      [
        "if": ["required": .list([.text(kind.rawValue), "file"])],
        "then": path([
          "not": [
            "type": "string", "pattern": .text(SchemaPattern.otherOutputPath(than: kind)),
          ]
        ]),
      ]
    }
    let unnamed: JSONTree = [
      "if": Rule.someOf(formatKeys + ["preset", "json"]).tree,
      "else": path([
        "anyOf": [
          ["pattern": .text(SchemaPattern.outputPath)], ["pattern": .text(SchemaPattern.template)],
        ]
      ]),
    ]
    let facts: JSONTree = [
      "if": ["required": ["json"]],
      "then": path([
        "anyOf": [
          ["pattern": .text(SchemaPattern.jsonPath)], ["pattern": .text(SchemaPattern.template)],
        ]
      ]),
    ]
    return named + [unnamed, facts]
  }()
}

extension Schema.Value {
  /// Names that definitions of values have.
  fileprivate static let allNames: Set<String> = Set(
    (Schema.all + [Schema.file, Schema.job]).flatMap(\.keys).map(\.value.definition))
}
