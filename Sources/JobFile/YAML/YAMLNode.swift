import Diagnosis
import JobModel
import MediaComposition
import SystemPackage

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
  /// Where the paths in it count from: the folder of the file that it stands in; nil: the current
  /// one.
  let folder: FilePath?
  /// The variables that it names, and `row` where something in it is repeated for each row.
  let variables: Set<String>

  init(_ kind: Kind, origin: Origin, in folder: FilePath? = nil) {
    self.kind = kind
    self.origin = origin
    self.folder = folder
    var variables: Set<String> = []
    switch kind {
    case .scalar(let scalar):
      for reference in scalar.template?.references ?? [] { variables.insert(reference.name) }
    case .sequence(let nodes):
      for node in nodes where !node.variables.isEmpty { variables.formUnion(node.variables) }
    case .mapping(let entries):
      for entry in entries {
        if !entry.value.variables.isEmpty { variables.formUnion(entry.value.variables) }
        if entry.key == "each" { variables.insert("row") }
      }
    case .missing: break
    }
    self.variables = variables
  }

  /// Whether the value may differ between the jobs of a loop that binds `names`.
  func depends(on names: LoopNames?) -> Bool {
    guard let names else { return false }
    return variables.contains { names.binds($0) }
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
}
