import Diagnosis
import JSON
import JobModel
import YAML

/// The form of a value, in messages, the JSON Schema and the reference page.
struct Form: Sendable {
  /// YAML's scalar, sequence and mapping.
  enum Shape: String, Sendable { case text = "a text", list = "a list", map = "a map" }

  /// The name of its definition in the JSON Schema.
  let name: String
  let shapes: [Shape]
  /// For "write …".
  let example: String
  /// Its values. An editor's YAML reads `42` and `true` as a number and a boolean, where the
  /// language has texts: either is allowed.
  let tree: @Sendable () -> JSONValue
  /// The maps with keys of their own in it.
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

/// A kind of value: its form and its reader.
protocol Notation<Value>: Sendable {
  associatedtype Value
  var form: Form { get }
  /// The value of `node`; nil, after a report, if it has none.
  func read(_ node: YAMLNode, _ decoder: Decoder, _ scope: Scope) -> Value?
}

/// A value that is one text, such as a time or a gain.
struct TextNotation<Content: Sendable & Hashable>: Notation {
  typealias Parse = @Sendable (String) throws(QuantityError) -> Content

  let form: Form
  /// A regular expression of its texts, without bounds of numbers; nil where the texts are listed.
  let pattern: String?
  /// Reads a text whose variables are filled in.
  let parse: Parse

  /// A value with texts of `pattern`; `other` is their JSON Schema as an editor may type them.
  init(
    _ name: String, _ example: String, _ pattern: String, or other: JSONValue? = nil,
    parse: @escaping Parse
  ) {
    let tree = JSONForm.text(pattern, or: other)
    self.init(name, example, tree, pattern: pattern, parse: parse)
  }

  /// A value with the texts of `tree`.
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
  ///   - name: The name of the definition in the JSON Schema.
  ///   - words: Each with its value.
  ///   - others: Further accepted words.
  ///   - refusal: The message after another word in quotes: `is no curve`.
  ///   - help: A correction; nil: one of `words`.
  init(
    _ name: String, _ words: [(String, Content)], or others: [(String, Content)] = [],
    refusal: String, help: String? = nil
  ) {
    let example = words.map { "'\($0.0)'" }.listed("or")
    let values = Dictionary(words + others, uniquingKeysWith: { first, _ in first })
    let tree = JSONForm.words((words + others).flatMap { JSONForm.scalars($0.0) })
    self.init(name, example, tree) { text throws(QuantityError) in
      guard let value = values[text] else {
        throw QuantityError("'\(text)' \(refusal)", help: help ?? "write \(example)")
      }
      return value
    }
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

  /// A text, converted by `convert`, or a map, completed by `finish`.
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

  /// This notation for long lists: all jobs for which the value is the same share its storage.
  var shared: NodeNotation {
    NodeNotation(form) { node, decoder, scope in
      decoder.sharedValue(node, in: scope) { reader(node, decoder, scope) }
    }
  }
}

/// A map with keys of its own, read into one value.
struct MapNotation<Owner: Sendable>: Notation {
  let schema: Schema
  private let keys: Keys<Owner>
  private let start: Owner

  /// A map called `subject`, with its article, read into a copy of `start`. Its `keys` are in the
  /// order of documentation; `others` reads other entries, which are else refused.
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
