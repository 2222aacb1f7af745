import YAML

/// A key of a map: its name, how its value is written, and what reads it into an `Owner`.
struct Key<Owner>: Sendable {
  typealias Read = @Sendable (YAMLEntry, Decoder, Scope, inout Owner) -> Void

  /// What messages and documents say of it.
  let facts: Schema.Key
  fileprivate let read: Read

  /// A key whose value is of a kind that others share.
  ///
  /// - Parameters:
  ///   - name: As it is written.
  ///   - notation: How its value is written and read.
  ///   - help: One line.
  ///   - set: Puts the value where it belongs.
  init<N: Notation>(
    _ name: String, _ notation: N, _ help: String,
    set: @escaping @Sendable (inout Owner, N.Value) -> Void
  ) {
    self.init(name, as: notation.form, help) { entry, decoder, scope, owner in
      if let value = notation.read(entry.value, decoder, scope) { set(&owner, value) }
    }
  }

  /// A key whose reader asks for more than its value.
  init(_ name: String, as form: Form, _ help: String, read: @escaping Read) {
    facts = Schema.Key(name, form, help)
    self.read = read
  }

  /// A key that is read before the others, or that they ask for.
  init(_ name: String, as form: Form, _ help: String) {
    self.init(name, as: form, help) { _, _, _, _ in }
  }

  /// A key that the language has and that is not built yet; `instead` is what to do until it is.
  init(_ name: String, notBuilt help: String, instead: String) {
    facts = Schema.Key(name, notBuilt: help, instead: instead)
    read = { _, _, _, _ in }
  }
}

/// Keys of a map that are read into one value.
struct Keys<Owner>: Sendable {
  private let all: [Key<Owner>]
  private let readers: [String: Key<Owner>.Read]
  private let others: Key<Owner>.Read?

  /// Some keys; `others` reads entries under other ones.
  init(_ keys: [Key<Owner>], others: Key<Owner>.Read? = nil) {
    all = keys
    self.others = others
    readers = Dictionary(
      keys.map { ($0.facts.name, $0.read) }, uniquingKeysWith: { first, _ in first })
  }

  /// What messages and documents say of them, in order.
  var facts: [Schema.Key] { all.map(\.facts) }

  /// Reads those of `fields` that are among these keys, in the order of writing.
  func read(_ fields: Fields, _ decoder: Decoder, _ scope: Scope, into owner: inout Owner) {
    for entry in fields.entries {
      (readers[entry.key] ?? others)?(entry, decoder, scope, &owner)
    }
  }

  /// The same without those called `names`.
  func without(_ names: [String]) -> Keys {
    Keys(all.filter { !names.contains($0.facts.name) }, others: others)
  }
}
