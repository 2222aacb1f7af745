import Diagnosis
import JSON
import YAML

extension Schema {
  /// A rule between the keys of a map, whatever their values: for decoding, the JSON Schema and the
  /// reference page alike.
  struct Rule: Sendable {
    enum Kind: Sendable {
      /// One of them and no other.
      case oneOf([String])
      /// One of them, or none.
      case atMostOneOf([String])
      case someOf([String])
      /// The first requires one of the others.
      case needs(String, [String])
      /// The first excludes the second, without the third.
      case apart(String, from: String, unless: String)
      /// It is not allowed.
      case never(String)
      /// The first allows only the others.
      case alone(String, with: [String])
    }

    let kind: Kind
    /// The message for a missing or excluded key.
    var message = ""
    /// The remedy.
    var help: String?
    /// The remedy for two keys that exclude each other.
    var beside = "keep one of them"
    /// The note on the other of these two.
    var note = "the other one is here"

    static func one(
      of keys: [String], missing message: String, help: String, beside: String = "keep one of them",
      note: String = "the other one is here"
    ) -> Rule {
      Rule(kind: .oneOf(keys), message: message, help: help, beside: beside, note: note)
    }

    static func atMostOne(
      of keys: [String], beside: String = "keep one of them",
      note: String = "the other one is here"
    ) -> Rule {
      Rule(kind: .atMostOneOf(keys), beside: beside, note: note)
    }

    static func some(of keys: [String], missing message: String, help: String) -> Rule {
      Rule(kind: .someOf(keys), message: message, help: help)
    }

    static func key(
      _ key: String, needs others: [String], _ message: String, help: String
    ) -> Rule {
      Rule(kind: .needs(key, others), message: message, help: help)
    }

    static func key(
      _ key: String, apartFrom other: String, unless reason: String, help: String, note: String
    ) -> Rule {
      Rule(kind: .apart(key, from: other, unless: reason), beside: help, note: note)
    }

    static func never(_ key: String, _ message: String, help: String) -> Rule {
      Rule(kind: .never(key), message: message, help: help)
    }

    static func key(
      _ key: String, onlyBeside others: [String], help: String, note: String
    ) -> Rule {
      Rule(kind: .alone(key, with: others), beside: help, note: note)
    }
  }
}

// MARK: - Decoding

extension Decoder {
  /// Reports where `fields` break `rules`. A refused key is not missing.
  func enforce(_ rules: [Schema.Rule], on fields: Fields) {
    func refuse(_ entry: YAMLEntry, beside other: YAMLEntry, _ rule: Schema.Rule) {
      sink.error(
        "'\(entry.key)' beside '\(other.key)'", at: entry.keyOrigin, help: rule.beside,
        notes: [.init(rule.note, at: other.keyOrigin)])
    }
    var isWhole = !fields.isIncomplete
    for rule in rules {
      switch rule.kind {
      case .oneOf(let keys), .atMostOneOf(let keys), .someOf(let keys):
        let present = fields.present(keys)
        if present.count > 1, !rule.kind.isSome { refuse(present[1], beside: present[0], rule) }
        guard present.isEmpty, isWhole, !rule.message.isEmpty else { continue }
        isWhole = false
        sink.error(rule.message, at: fields.origin, help: rule.help)
      case .needs(let key, let others):
        guard let entry = fields[key], fields.present(others).isEmpty, isWhole else { continue }
        sink.error(rule.message, at: entry.keyOrigin, help: rule.help)
      case .apart(let key, let other, let reason):
        guard let entry = fields[key], let other = fields[other], fields[reason] == nil else {
          continue
        }
        refuse(entry, beside: other, rule)
      case .never(let key):
        guard let entry = fields[key] else { continue }
        sink.error(rule.message, at: entry.keyOrigin, help: rule.help)
      case .alone(let key, let others):
        guard let entry = fields[key] else { continue }
        for other in fields.entries where other.key != key && !others.contains(other.key) {
          refuse(other, beside: entry, rule)
        }
      }
    }
  }
}

extension Schema.Rule.Kind {
  fileprivate var isSome: Bool { if case .someOf = self { true } else { false } }
}

// MARK: - Documents

extension Schema.Rule.Kind {
  /// In keywords of JSON Schema.
  var tree: JSONValue {
    func has(_ key: String) -> JSONValue { ["required": .list([.text(key)])] }
    switch self {
    case .oneOf(let keys): return ["oneOf": .list(keys.map(has))]
    case .atMostOneOf(let keys):
      guard keys.count > 2 else { return ["not": ["required": .list(keys.map(JSONValue.text))]] }
      let none: JSONValue = ["not": ["anyOf": .list(keys.map(has))]]
      return ["oneOf": .list(keys.map(has) + [none])]
    case .someOf(let keys):
      return keys.count == 1 ? has(keys[0]) : ["anyOf": .list(keys.map(has))]
    case .needs(let key, let others):
      return ["dependencies": .object([.init(key, Self.someOf(others).tree)])]
    case .apart(let key, let other, let reason):
      return ["not": has(key).with(["allOf": [has(other), ["not": has(reason)]]])]
    case .never(let key): return Self.none([key])
    case .alone(let key, let others):
      let allowed = ([key] + others).map { JSONValue.Member($0, true) }
      let only: JSONValue = ["properties": .object(allowed), "additionalProperties": false]
      return ["dependencies": .object([.init(key, only)])]
    }
  }

  /// None of `keys`. Not 'false', for which some validators give no place.
  static func none(_ keys: [String]) -> JSONValue {
    ["properties": .object(keys.map { .init($0, ["not": [:]]) })]
  }

  /// As a sentence of the reference page.
  var sentence: String {
    func list(_ keys: [String], _ word: String) -> String {
      keys.map { "`\($0)`" }.listed(word)
    }
    switch self {
    case .oneOf(let keys): return "Exactly one of \(list(keys, "and")) is written."
    case .atMostOneOf(let keys): return "At most one of \(list(keys, "and")) is written."
    case .someOf(let keys):
      return keys.count == 1
        ? "\(list(keys, "or")) is required." : "At least one of \(list(keys, "and")) is required."
    case .needs(let key, let others): return "`\(key)` needs \(list(others, "or"))."
    case .apart(let key, let other, let reason):
      return "`\(key)` and `\(other)` exclude each other, except on a `\(reason)`."
    case .never(let key): return "`\(key)` is not possible here."
    case .alone(let key, []): return "Beside `\(key)`, nothing else may be written."
    case .alone(let key, let others):
      return "Beside `\(key)`, only \(list(others, "and")) may be written."
    }
  }
}
