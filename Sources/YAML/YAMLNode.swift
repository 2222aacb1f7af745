import Diagnosis
import JobModel
import SystemPackage

/// A value of a job file: text, a list or a map, with its place, and nothing guessed about it.
package final class YAMLNode: Sendable {
  package enum Kind: Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// Nothing, or what was refused while reading, without further messages.
    case missing
  }

  package let kind: Kind
  package let origin: Origin
  /// Where the paths in it count from: the folder of the file that it stands in; nil: the current
  /// one.
  package let folder: FilePath?
  /// The variables that it names, and `row` where something in it is repeated for each row.
  package let variables: Set<String>

  package init(_ kind: Kind, origin: Origin, in folder: FilePath? = nil) {
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

  package var isMissing: Bool { if case .missing = kind { true } else { false } }

  /// Its kind, for messages.
  package var description: String {
    switch kind {
    case .scalar: "a text"
    case .sequence: "a list"
    case .mapping: "a map"
    case .missing: "nothing"
    }
  }
}

/// One key of a map and its value.
package struct YAMLEntry: Sendable {
  package var key: String
  package var keyOrigin: Origin
  package var value: YAMLNode

  package init(key: String, keyOrigin: Origin, value: YAMLNode) {
    self.key = key
    self.keyOrigin = keyOrigin
    self.value = value
  }
}

/// A text as the file has it: plain and quoted ones are the same.
package struct YAMLScalar: Sendable {
  package var text: String
  package var template: Template?
  /// How far into the origin's span the text's own characters begin, where they stand in the file
  /// as they are; nil where quoting or folding changes them.
  package var contentOffset: Int?

  package init(text: String, contentOffset: Int? = nil) {
    self.text = text
    self.contentOffset = contentOffset
  }

  /// Whether a text without quotes stands for no value (YAML 1.2.2, 10.2.1.1 and 10.3.2).
  package static func isNull(_ text: String) -> Bool {
    ["null", "Null", "NULL", "~"].contains(text)
  }
}
