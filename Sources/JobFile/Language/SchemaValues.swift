import MPEGAudio
import MediaComposition

extension Schema.Value {
  /// The name of its definition.
  var definition: String { "\(self)" }

  /// The values that it takes, as JSON Schema. An editor's YAML reads `42` and `true` as a number and a
  /// boolean, where the language has texts: what is written so may be either.
  var tree: JSONTree {
    switch self {
    case .text: ValueTree.anyText
    case .number: ValueTree.text(SchemaPattern.count, or: ["type": "integer", "minimum": 0])
    case .path: ValueTree.path
    case .clip: ValueTree.clip
    case .version: ValueTree.words(["1", 1])
    case .link: ValueTree.text(SchemaPattern.link)
    case .pitch: ValueTree.words(["keep", "follow"])
    case .algorithm: ValueTree.words(TimePitchAlgorithm.allCases.map { .text($0.rawValue) })
    case .media, .cover: ValueTree.pathOrNone
    case .time: ValueTree.text(SchemaPattern.time)
    case .moment: ValueTree.text(SchemaPattern.moment)
    case .gain: ValueTree.text(SchemaPattern.gain)
    case .sampleRate: ValueTree.text(SchemaPattern.sampleRate)
    case .channels: ValueTree.words(ValueTree.layouts)
    case .channelPick: ValueTree.channelPick
    case .boolean: ValueTree.words([true, false, "true", "false"])
    case .speed:
      ValueTree.shapes(text: ValueTree.factor, map: .speed)
    case .loop:
      ValueTree.text(SchemaPattern.loop, or: ["type": "integer", "minimum": 1, "maximum": 100_000])
    case .pan:
      ValueTree.shapes(
        text: ValueTree.text(SchemaPattern.pan),
        map: ValueTree.points(ValueTree.text(SchemaPattern.pan)))
    case .polarity: ValueTree.words(["inverted", "invert", "normal"])
    case .frequency: ValueTree.text(SchemaPattern.frequency)
    case .reduction: ValueTree.text(SchemaPattern.reduction)
    case .curve: ValueTree.words(["linear", "equal_power", "exponential"])
    case .fade: ValueTree.shapes(text: ValueTree.text(SchemaPattern.time), map: .fade)
    case .volume: ValueTree.volume
    case .chapter: ValueTree.shapes(text: ValueTree.someText, map: .chapter)
    case .chapters:
      ValueTree.shapes(text: ValueTree.path, map: ValueTree.points(ValueTree.reference(.chapter)))
    case .chapterPlaces: ValueTree.oneOrMore(ValueTree.words(ValueTree.places), onceEach: true)
    case .ranges:
      ValueTree.shapes(
        text: ValueTree.clip,
        list: ValueTree.list(of: ValueTree.range, isEmptyFine: true))
    case .effects: ValueTree.list(of: ValueTree.effect, isEmptyFine: true)
    case .insertions: ValueTree.list(of: ValueTree.insertion, isEmptyFine: true)
    case .items: ValueTree.list(of: ValueTree.listItem)
    case .tracks: ValueTree.tracks
    case .jobs:
      ValueTree.map(of: ValueTree.reference(to: .job), isEmptyFine: false).with([
        "propertyNames": ["pattern": .text(SchemaPattern.text)]
      ])
    case .metadata: ValueTree.reference(to: .metadata)
    case .variables:
      ValueTree.map(of: ValueTree.anyText).with([
        "propertyNames": ["pattern": .text(SchemaPattern.variableName)]
      ])
    case .sources: ValueTree.map(of: ValueTree.shapes(text: ValueTree.clip, map: .source))
    case .presets: ValueTree.presets
    case .preset: ValueTree.someText
    case .names: ValueTree.oneOrMore(ValueTree.someText)
    case .pattern: ValueTree.loop
    case .table: ValueTree.path
    case .column: ValueTree.someText
    case .row: ValueTree.words(["row"])
    case .includes: ValueTree.includes
    case .defaults: ValueTree.reference(to: .defaults)
    case .split: ValueTree.split
    case .outputs: ValueTree.outputs
    case .mp3: ValueTree.shapes(text: ValueTree.text(SchemaPattern.mp3), map: .mp3)
    case .stereoMode: ValueTree.text(SchemaPattern.stereoMode)
    case .lowpass: ValueTree.text(SchemaPattern.lowpass)
    case .id3:
      ValueTree.words(ID3Version.allCases.flatMap { [.text("\($0)"), .number("\($0)")] })
    case .pcm: ValueTree.text(SchemaPattern.pcm)
    case .bitDepth: ValueTree.text(SchemaPattern.bitDepth)
    case .bitRate: ValueTree.text(SchemaPattern.bitRate)
    case .vorbis: ValueTree.text(SchemaPattern.vorbis)
    case .codec: ValueTree.words(["same"])
    case .sidecar: ValueTree.words(["sidecar"])
    case .vbr:
      ValueTree.text(
        SchemaPattern.vbr, or: ["type": "number", "minimum": 0, "maximum": .number("9.999")])
    case .wholeBitRate: ValueTree.text(SchemaPattern.wholeBitRate)
    case .quality:
      ValueTree.text(SchemaPattern.digit, or: ["type": "integer", "minimum": 0, "maximum": 9])
    case .lamePreset: ValueTree.text(SchemaPattern.mp3Preset)
    case .factor: ValueTree.factor
    case .retries:
      ValueTree.text(SchemaPattern.retries, or: ["type": "integer", "minimum": 0, "maximum": 100])
    case .timeout: ValueTree.text(SchemaPattern.timeout)
    case .length: ValueTree.text(SchemaPattern.length)
    case .any: true
    }
  }
}

/// What the values of the language are made of, as JSON Schema.
enum ValueTree {
  // MARK: Texts

  /// A text in which every variable is well formed, or what YAML may take for something else.
  fileprivate static let anyText: JSONTree = [
    "type": ["string", "number", "boolean"], "pattern": .text(SchemaPattern.text),
  ]

  fileprivate static let someText = anyText.with(["minLength": 1])

  fileprivate static let path: JSONTree = [
    "type": ["string", "number", "boolean"],
    "allOf": [["pattern": .text(SchemaPattern.text)], ["pattern": .text(SchemaPattern.path)]],
  ]

  /// A path and perhaps a range, but no range alone.
  fileprivate static let clip = path.with([
    "not": ["type": "string", "pattern": .text(SchemaPattern.onlyRange)]
  ])

  /// Files are included before variables are known.
  fileprivate static let includes: JSONTree = {
    let written = path.with([
      "not": ["type": "string", "pattern": .text(SchemaPattern.template)]
    ])
    return shapes(text: written, list: list(of: written))
  }()

  fileprivate static let factor = text(
    SchemaPattern.speed, or: ["type": "number", "minimum": .number("0.03125"), "maximum": 32])

  fileprivate static let pathOrNone: JSONTree = ["if": ["const": ""], "else": path]

  /// A text of a pattern, or one that has variables.
  fileprivate static func text(_ pattern: String, or other: JSONTree? = nil) -> JSONTree {
    let text: JSONTree = [
      "type": "string",
      "anyOf": [["pattern": .text(pattern)], ["pattern": .text(SchemaPattern.template)]],
    ]
    guard let other, case .map(let entries) = other else { return text }
    return [
      "if": ["type": "string"], "then": text, "else": .map(entries),
    ]
  }

  /// One of several words, or a text that has variables.
  fileprivate static func words(_ words: [JSONTree]) -> JSONTree {
    [
      "anyOf": [
        ["enum": .list(words)], ["type": "string", "pattern": .text(SchemaPattern.template)],
      ]
    ]
  }

  fileprivate static let layouts: [JSONTree] = ChannelLayout.named.flatMap { name, _ in
    // `5.1` is a number to YAML.
    Double(name) == nil ? [JSONTree.text(name)] : [.text(name), .number(name)]
  }

  fileprivate static let channelPick: JSONTree = [
    "anyOf": [
      ["enum": .list(layouts + ["left", "right", "centre", "center"])],
      [
        "type": "string",
        "anyOf": [
          ["pattern": .text(SchemaPattern.channel)], ["pattern": .text(SchemaPattern.template)],
        ],
      ],
    ]
  ]

  fileprivate static let places: [JSONTree] =
    ["file", "id3"] + ChapterPlaces.Sidecar.allCases.map { .text($0.rawValue) }

  // MARK: Shapes

  static func reference(_ value: Schema.Value) -> JSONTree { reference(named: value.definition) }

  static func reference(to schema: Schema) -> JSONTree { reference(named: schema.definition) }

  fileprivate static func reference(named name: String) -> JSONTree {
    ["$ref": .text("#/$defs/\(name)")]
  }

  /// What a value is by its shape, so that an editor's messages are about the shape that it has.
  fileprivate static func shapes(
    text: JSONTree, list: JSONTree? = nil, map: JSONTree? = nil
  ) -> JSONTree {
    var tree = text
    if let list { tree = ["if": ["type": "array"], "then": list, "else": tree] }
    if let map { tree = ["if": ["type": "object"], "then": map, "else": tree] }
    return tree
  }

  fileprivate static func shapes(text: JSONTree, list: JSONTree? = nil, map: Schema) -> JSONTree {
    shapes(text: text, list: list, map: reference(to: map))
  }

  fileprivate static func list(of element: JSONTree, isEmptyFine: Bool = false) -> JSONTree {
    let list: JSONTree = ["type": "array", "items": element]
    return isEmptyFine ? list : list.with(["minItems": 1])
  }

  fileprivate static func map(of value: JSONTree, isEmptyFine: Bool = true) -> JSONTree {
    let map: JSONTree = ["type": "object", "additionalProperties": value]
    return isEmptyFine ? map : map.with(["minProperties": 1])
  }

  fileprivate static func oneOrMore(_ element: JSONTree, onceEach: Bool = false) -> JSONTree {
    let list = list(of: element, isEmptyFine: true)
    return shapes(text: element, list: onceEach ? list.with(Self.onceEach) : list)
  }

  /// No text stands twice. Of numbers nobody can tell: `1` and `1.0` are one number and two texts.
  fileprivate static let onceEach: JSONTree = [
    "if": ["items": ["type": "string"]], "then": ["uniqueItems": true],
  ]

  /// Values at times.
  fileprivate static func points(_ value: JSONTree) -> JSONTree {
    map(of: value).with(["propertyNames": ["pattern": .text(SchemaPattern.moment)]])
  }

  // MARK: Values of many parts

  fileprivate static let volume: JSONTree = [
    "type": "object",
    "if": Schema.Rule.someOf(Schema.volume.keys.map(\.name)).tree,
    "then": reference(to: .volume),
    "else": points(text(SchemaPattern.gain)),
  ]

  fileprivate static let range = shapes(text: text(SchemaPattern.range), map: .range)

  fileprivate static let effect = shapes(
    text: words(["denoise"]), map: reference(to: .effect).with(["minProperties": 1]))

  fileprivate static let insertion = reference(to: .item).with(["required": ["at"]])

  fileprivate static let itemText: JSONTree = [
    "type": "string",
    "allOf": [["pattern": .text(SchemaPattern.text)], ["pattern": .text(SchemaPattern.path)]],
    "not": ["type": "string", "pattern": .text(SchemaPattern.onlyRange)],
  ]

  /// An item that is placed in a list, where no time is told from an end.
  fileprivate static let placedItem = reference(to: .item).with([
    "properties": ["at": placeInList]
  ])

  static let placeInList: JSONTree = [
    "not": ["type": "string", "pattern": .text(SchemaPattern.endMoment)]
  ]

  /// An element of a list: a clip, a time, or a map.
  fileprivate static let listItem = shapes(text: itemText, map: placedItem)

  fileprivate static let tracks = map(
    of: shapes(text: clip, list: list(of: listItem), map: placedItem), isEmptyFine: false)

  /// A pattern, a list of files or values, or lists of values by their names.
  fileprivate static let loop: JSONTree = {
    let files = shapes(text: path, list: list(of: path))
    let names: JSONTree = [
      "anyOf": [["const": "input"], ["pattern": .text(SchemaPattern.variableName)]]
    ]
    let lists: JSONTree = [
      "type": "object", "minProperties": 1, "propertyNames": names,
      "properties": ["input": files], "additionalProperties": list(of: anyText).with(onceEach),
    ]
    return shapes(text: path, list: list(of: path), map: lists)
  }()

  fileprivate static let presets = map(of: reference(to: .preset)).with([
    "propertyNames": [
      "not": ["enum": .list(OutputPreset.all.map { .text($0.name) })]
    ]
  ])

  fileprivate static let split = shapes(
    text: path,
    map: [
      "if": Schema.Rule.someOf(Schema.split.keys.map(\.name)).tree,
      "then": reference(to: .split),
      "else": map(of: anyText, isEmptyFine: false).with([
        "propertyNames": ["pattern": .text(SchemaPattern.ownMoment)]
      ]),
    ])

  /// A file by its extension, a map, or a list of both in which something sounds.
  fileprivate static let outputs: JSONTree = {
    let isFacts: JSONTree = ["required": ["json"]]
    let one = shapes(text: text(SchemaPattern.outputPath), map: .output)
    return shapes(
      text: one,
      list: list(of: one).with(["contains": ["not": isFacts.with(["type": "object"])]]),
      map: reference(to: .output).with(["not": isFacts]))
  }()
}
