import JSON
import MediaComposition

/// Parts of the values' forms as JSON Schema.
enum JSONForm {
  // MARK: Texts

  /// A text with well-formed variables, or a scalar that YAML types otherwise.
  static let anyText: JSONValue = [
    "type": ["string", "number", "boolean"], "pattern": .text(Pattern.text),
  ]

  static let someText = anyText.with(["minLength": 1])

  private static func place(_ pattern: String) -> JSONValue {
    [
      "type": ["string", "number", "boolean"],
      "allOf": [["pattern": .text(Pattern.text)], ["pattern": .text(pattern)]],
    ]
  }

  /// A path of this machine.
  static let path = place(Pattern.path)

  /// A path or an address.
  static let location = place(Pattern.location)

  static let locationOrNone: JSONValue = ["if": ["const": ""], "else": location]

  /// A path or an address, but no range.
  static let timeList = location.with(notRange)

  /// A path or an address, and perhaps a range, but no range alone.
  static let clip = place(Pattern.clip).with(notRange)

  private static let notRange: JSONValue = [
    "not": ["type": "string", "pattern": .text(Pattern.onlyRange)]
  ]

  /// A text of a pattern, or one with variables.
  static func text(_ pattern: String, or other: JSONValue? = nil) -> JSONValue {
    let text: JSONValue = [
      "type": "string",
      "anyOf": [["pattern": .text(pattern)], ["pattern": .text(Pattern.template)]],
    ]
    guard let other else { return text }
    return ["if": ["type": "string"], "then": text, "else": other]
  }

  /// One of several words, or a text with variables.
  static func words(_ words: [JSONValue]) -> JSONValue {
    [
      "anyOf": [
        ["enum": .list(words)], ["type": "string", "pattern": .text(Pattern.template)],
      ]
    ]
  }

  /// `word`, also as YAML types it: `5.1` is a number.
  static func scalars(_ word: String) -> [JSONValue] {
    switch word {
    case "true", "false": [.text(word), .boolean(word == "true")]
    default: [.text(word)] + (Double(word).map { [.number($0, decimals: 3)] } ?? [])
    }
  }

  static func layouts(_ names: [String]) -> [JSONValue] { names.flatMap(scalars) }

  // MARK: Shapes

  /// Refers to the definition of that name.
  static func reference(named name: String) -> JSONValue {
    ["$ref": .text("#/definitions/\(name)")]
  }

  /// What each of several trees demands: draft 7 ignores what stands beside a reference.
  static func all(_ trees: JSONValue...) -> JSONValue { ["allOf": .list(trees)] }

  /// A value by its shape, so that an editor's messages fit the shape.
  static func shapes(
    text: JSONValue, list: JSONValue? = nil, map: JSONValue? = nil
  ) -> JSONValue {
    var tree = text
    if let list { tree = ["if": ["type": "array"], "then": list, "else": tree] }
    if let map { tree = ["if": ["type": "object"], "then": map, "else": tree] }
    return tree
  }

  static func list(of element: JSONValue, isEmptyFine: Bool = false) -> JSONValue {
    let list: JSONValue = ["type": "array", "items": element]
    return isEmptyFine ? list : list.with(["minItems": 1])
  }

  static func map(of value: JSONValue, isEmptyFine: Bool = true) -> JSONValue {
    let map: JSONValue = ["type": "object", "additionalProperties": value]
    return isEmptyFine ? map : map.with(["minProperties": 1])
  }

  static func oneOrMore(_ element: JSONValue, onceEach: Bool = false) -> JSONValue {
    let list = list(of: element, isEmptyFine: true)
    return shapes(text: element, list: onceEach ? list.with(Self.onceEach) : list)
  }

  /// No text twice. Numbers are left out: `1` and `1.0` are one number and two texts.
  static let onceEach: JSONValue = [
    "if": ["items": ["type": "string"]], "then": ["uniqueItems": true],
  ]

  /// Values at times.
  static func points(_ value: JSONValue) -> JSONValue {
    map(of: value).with(["propertyNames": ["pattern": .text(Pattern.moment)]])
  }

  /// A map of `schema` if it has one of its keys, and else `other`.
  static func map(_ schema: Schema, or other: JSONValue) -> JSONValue {
    [
      "if": Schema.Rule.Kind.someOf(schema.keys.map(\.name)).tree, "then": schema.reference,
      "else": other,
    ]
  }
}
