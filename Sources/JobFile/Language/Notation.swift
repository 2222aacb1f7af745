import Diagnosis
import JSON
import JobModel
import YAML

/// How a value is written, as messages, the JSON Schema and the reference page say it.
struct Form: Sendable {
  /// What YAML calls a scalar, a sequence and a mapping.
  enum Shape: String, Sendable { case text = "a text", list = "a list", map = "a map" }

  /// Names its definition in the JSON Schema.
  let name: String
  /// The shapes that it takes.
  let shapes: [Shape]
  /// For "write …".
  let example: String
  /// The values that it takes. An editor's YAML reads `42` and `true` as a number and a boolean, where
  /// the language has texts: what is written so may be either.
  let tree: @Sendable () -> JSONValue
  /// The maps with keys of their own that it may be or hold.
  let maps: @Sendable () -> [Schema]

  init(
    _ name: String, _ shapes: [Shape], _ example: String,
    maps: @escaping @Sendable () -> [Schema] = { [] },
    tree: @escaping @Sendable () -> JSONValue
  ) {
    self.name = name
    self.shapes = shapes
    self.example = example
    self.maps = maps
    self.tree = tree
  }

  /// Refers to its definition in the JSON Schema.
  var reference: JSONValue { JSONForm.reference(named: name) }
}

/// A kind of value: how it is written, and what it is read as.
protocol Notation<Value>: Sendable {
  associatedtype Value
  var form: Form { get }
  /// The value of `node`; nil where it has none, which has been reported.
  func read(_ node: YAMLNode, _ decoder: Decoder, _ scope: Scope) -> Value?
}

/// A value that is one text, such as a time or a gain.
struct TextNotation<Content: Sendable & Hashable>: Notation {
  typealias Parse = @Sendable (String) throws(QuantityError) -> Content

  let form: Form
  /// Which texts it takes, as a regular expression, apart from the bounds of numbers; nil where the
  /// texts are listed.
  let pattern: String?
  /// The value of a text, with its variables filled in.
  let parse: Parse

  /// A value whose texts match `pattern`; `other` is what an editor may take them for, as JSON Schema.
  init(
    _ name: String, _ example: String, _ pattern: String, or other: JSONValue? = nil,
    parse: @escaping Parse
  ) {
    let tree = JSONForm.text(pattern, or: other)
    self.init(name, example, tree, pattern: pattern, parse: parse)
  }

  /// A value whose texts are those that `tree` describes.
  init(
    _ name: String, _ example: String, _ tree: JSONValue, pattern: String? = nil,
    parse: @escaping Parse
  ) {
    form = Form(name, [.text], example) { tree }
    self.pattern = pattern
    self.parse = parse
  }

  /// One of several words.
  ///
  /// - Parameters:
  ///   - name: Names the definition in the JSON Schema.
  ///   - words: Each with its value.
  ///   - others: Words that are understood, too.
  ///   - refusal: What follows another word, in quotes, in the message: `is no curve`.
  ///   - help: What to write; nil: one of `words`.
  init(
    _ name: String, _ words: [(String, Content)], or others: [(String, Content)] = [],
    refusal: String, help: String? = nil
  ) {
    let example = Self.list(words.map(\.0))
    let values = Dictionary(words + others, uniquingKeysWith: { first, _ in first })
    let tree = JSONForm.words((words + others).flatMap { JSONForm.scalars($0.0) })
    self.init(name, example, tree) { text throws(QuantityError) in
      guard let value = values[text] else {
        throw QuantityError("'\(text)' \(refusal)", help: help ?? "write \(example)")
      }
      return value
    }
  }

  /// `'a', 'b' or 'c'`
  private static func list(_ words: [String]) -> String {
    let quoted = words.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  func read(_ node: YAMLNode, _ decoder: Decoder, _ scope: Scope) -> Located<Content>? {
    decoder.value(node, scope, parse)
  }
}

/// A value of any shape.
struct NodeNotation<Value>: Notation {
  typealias Read = @Sendable (YAMLNode, Decoder, Scope) -> Value?

  let form: Form
  private let reader: Read

  init(_ form: Form, read: @escaping Read) {
    self.form = form
    reader = read
  }

  /// A text, of which `convert` makes the value, or a map, of which `finish` does.
  init<Short: Notation, Owner: Sendable>(
    _ name: String, _ example: String, text: Short,
    convert: @escaping @Sendable (Short.Value) -> Value,
    map: MapNotation<Owner>, finish: @escaping @Sendable (Owner, YAMLNode, Decoder) -> Value?
  ) {
    form = Form(name, [.text, .map], example, maps: { [map.schema] }) {
      JSONForm.shapes(text: text.form.tree(), map: map.schema.reference)
    }
    reader = { node, decoder, scope in
      guard case .mapping = node.kind else {
        return text.read(node, decoder, scope).map(convert)
      }
      return map.read(node, decoder, scope).flatMap { finish($0, node, decoder) }
    }
  }

  func read(_ node: YAMLNode, _ decoder: Decoder, _ scope: Scope) -> Value? {
    reader(node, decoder, scope)
  }
}

/// A map with keys of its own, which are read into one value.
struct MapNotation<Owner: Sendable>: Notation {
  let schema: Schema
  private let keys: Keys<Owner>
  private let start: Owner

  /// A map that is what `subject` says, with its article, and that is read into a copy of `start`. Its
  /// `keys` are in the order in which documentation lists them; `others` reads the entries under other
  /// keys, which without it are refused.
  init(
    _ subject: String, _ start: Owner, example: String? = nil, rules: [Schema.Rule] = [],
    others: Key<Owner>.Read? = nil, _ keys: [Key<Owner>]
  ) {
    self.keys = Keys(keys, others: others)
    self.start = start
    schema = Schema(
      subject, example: example, keys: self.keys.facts, rules: rules, isOpen: others != nil)
  }

  var form: Form {
    Form(schema.name, [.map], schema.example ?? "a map", maps: { [schema] in [schema] }) {
      [schema] in schema.reference
    }
  }

  func read(_ node: YAMLNode, _ decoder: Decoder, _ scope: Scope) -> Owner? {
    guard let fields = decoder.fields(of: node, as: schema) else { return nil }
    var owner = start
    keys.read(fields, decoder, scope, into: &owner)
    return owner
  }
}
