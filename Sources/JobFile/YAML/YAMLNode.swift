import MediaComposition

/// A value of a job file: text, a list or a map, with its place, and nothing guessed about it.
final class YAMLNode: Sendable {
  enum Kind: Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// Nothing, or what was refused while reading: whoever meets it says no more about it.
    case missing
  }

  let kind: Kind
  let origin: Origin
  /// Whether the value differs between the jobs that one `for_each` makes.
  let dependsOnJob: Bool

  init(_ kind: Kind, origin: Origin) {
    self.kind = kind
    self.origin = origin
    dependsOnJob =
      switch kind {
      case .scalar(let scalar): scalar.dependsOnJob
      case .sequence(let nodes): nodes.contains { $0.dependsOnJob }
      case .mapping(let entries): entries.contains { $0.value.dependsOnJob }
      case .missing: false
      }
  }

  var isMissing: Bool { if case .missing = kind { true } else { false } }

  /// What it is, for messages.
  var description: String {
    switch kind {
    case .scalar: "a text"
    case .sequence: "a list"
    case .mapping: "a map"
    case .missing: "nothing"
    }
  }
}

/// One key of a map and its value.
struct YAMLEntry: Sendable {
  var key: String
  var keyOrigin: Origin
  var value: YAMLNode
}

/// A text as the file has it: plain and quoted ones are the same.
struct YAMLScalar: Sendable {
  var text: String
  var template: Template?
  /// How far into the origin's span the text's own characters begin, where they stand in the file
  /// as they are; nil where quoting or folding changes them.
  var contentOffset: Int?

  /// The variables that `for_each` binds anew for each job.
  static let jobVariables: Set<Substring> = ["input", "n", "count"]

  var dependsOnJob: Bool {
    guard let template else { return false }
    return template.references.contains { reference in
      let root = reference.name.prefix { $0 != "." }
      return Self.jobVariables.contains(root)
    }
  }
}
