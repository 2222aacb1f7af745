import YAML

/// A key of a map: its name, its value's notation, and its reader into an `Owner`.
struct Key<Owner>: Sendable {
  typealias Read = @Sendable (YAMLEntry, Decoder, Scope, inout Owner) -> Void

  /// The key in messages and documents.
  let facts: Schema.Key
  fileprivate let read: Read

  /// A key with a shared kind of value.
  ///
  /// - Parameters:
  ///   - name: The key.
  ///   - notation: The form and the reader of its value.
  ///   - help: One line.
  ///   - set: Stores the value.
  init<N: Notation>(
    _ name: String, _ notation: N, _ help: String,
    set: @escaping @Sendable (inout Owner, N.Value) -> Void
  ) {
    self.init(name, as: notation.form, help) { entry, decoder, scope, owner in
      if let value = notation.read(entry.value, decoder, scope) { set(&owner, value) }
    }
  }

  /// A key whose reader needs more than its value.
  init(_ name: String, as form: Form, _ help: String, read: @escaping Read) {
    facts = Schema.Key(name, form, help)
    self.read = read
  }

  init(_ name: String, as form: Form, _ help: String) {
    self.init(name, as: form, help) { _, _, _, _ in }
  }

}

/// Keys of a map for one value.
struct Keys<Owner>: Sendable {
  private let all: [Key<Owner>]
  private let readers: [String: Key<Owner>.Read]
  private let others: Key<Owner>.Read?

  /// Some keys; `others` reads other entries.
  init(_ keys: [Key<Owner>], others: Key<Owner>.Read? = nil) {
    all = keys
    self.others = others
    readers = Dictionary(
      keys.map { ($0.facts.name, $0.read) }, uniquingKeysWith: { first, _ in first })
  }

  /// The keys in messages and documents, in order.
  var facts: [Schema.Key] { all.map(\.facts) }

  /// Reads the entries of `fields` with these keys, in the order of writing.
  func read(_ fields: Fields, _ decoder: Decoder, _ scope: Scope, into owner: inout Owner) {
    for entry in fields.entries {
      (readers[entry.key] ?? others)?(entry, decoder, scope, &owner)
    }
  }

  /// These keys without those of some names.
  func without(_ names: [String]) -> Keys {
    Keys(all.filter { !names.contains($0.facts.name) }, others: others)
  }
}
