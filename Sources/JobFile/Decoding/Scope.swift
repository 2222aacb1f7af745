import Diagnosis
import MediaComposition
import SystemPackage
import TimeLists
import YAML

struct Scope {
  /// `vars`, with `--set` on top.
  var globals: [String: String]
  /// The allowed variables of the environment; nil for one that is not set.
  var environment: [String: String?]
  /// The values of `for_each` or `rows` for this job.
  var loop: LoopBinding?
  /// The file of an item's own pattern, which hides that of the loop.
  var found: InputBinding?
  /// The cue for which an item repeats.
  var cue: CueBinding?
  /// What removes words of all that is decoded, as `mute`.
  var removal: CueBinding.Removal?
  /// Whether a refused loop may have bound any name.
  var bindsUnknownNames = false
  var part = PartUse.none

  /// Whether the variables of a part may be used.
  enum PartUse {
    /// The job has no parts.
    case none
    /// The job has parts, and this value is the same for all of them.
    case elsewhere
    /// Each part fills them in.
    case bound
  }

  /// The same scope with another use of parts.
  func with(part: PartUse) -> Scope {
    var copy = self
    copy.part = part
    return copy
  }

  /// The file of a `for_each`.
  var input: InputBinding? { loop?.input }

  /// The value of the variable `name` in a file with paths below `folder`: the loop's, or else the
  /// file's.
  ///
  /// - Throws: Where the rows of a job differ.
  func value(of name: String, in folder: FilePath) throws(RowsDiffer) -> BoundValue? {
    if let text = cue?.value(of: name) { return BoundValue(text: text) }
    if let text = found?.value(of: name, in: folder) { return BoundValue(text: text) }
    if let value = try loop?.value(of: name, in: folder) { return value }
    return globals[name].map { BoundValue(text: $0) }
  }

  /// Every name, for "did you mean".
  var names: [String] {
    globals.keys.sorted() + (loop?.names.all ?? []) + (cue == nil ? [] : CueBinding.names)
  }
}

struct BoundValue {
  var text: String
  var cell: Table.Cell?
}

/// A column has several values in the rows of a job.
struct RowsDiffer: Error {
  var column: String
  /// Two cells that differ.
  var cells: (Table.Cell, Table.Cell)
  /// The common key of the rows.
  var group: String
}

/// The variables that a loop binds, the same for all of its jobs.
final class LoopNames: Sendable {
  /// The lists of a `for_each`, or the columns of a table, with their indices.
  let indices: [String: Int]
  /// Whether `input` and its members are bound.
  let bindsInput: Bool
  /// Whether `row` is bound.
  let bindsRow: Bool

  init(_ indices: [String: Int], bindsInput: Bool = false, bindsRow: Bool = false) {
    self.indices = indices
    self.bindsInput = bindsInput
    self.bindsRow = bindsRow
  }

  /// The names that a clip's pattern binds for each of its files.
  static let ofPatterns = LoopNames([:], bindsInput: true)

  /// Whether `name` may have another value for each job.
  func binds(_ name: String) -> Bool {
    if name == "n" || name == "count" || indices[name] != nil { return true }
    if bindsInput, name == "input" || name.hasPrefix("input.") { return true }
    return bindsRow && (name == "row" || name.hasPrefix("row."))
  }

  /// Every name, for "did you mean".
  var all: [String] {
    (bindsInput ? InputBinding.names : []) + ["n", "count"] + indices.keys.sorted()
      + (bindsRow ? RowBinding.names : [])
  }
}

extension YAMLNode {
  /// Whether the value may differ between the jobs of a loop that binds `names`.
  func depends(on names: LoopNames?) -> Bool {
    guard let names else { return false }
    return variables.contains { names.binds($0) }
  }
}

/// The values of a loop for one of its jobs.
struct LoopBinding {
  var names: LoopNames
  /// The file, or the value, of a `for_each`.
  var input: InputBinding?
  /// Of the other lists of a `for_each`, by `LoopNames.indices`.
  var values: [String] = []
  var rows: RowBinding?
  /// From 1.
  var number: Int
  var count: Int

  func value(of name: String, in folder: FilePath) throws(RowsDiffer) -> BoundValue? {
    switch name {
    case "n": return BoundValue(text: String(number))
    case "count": return BoundValue(text: String(count))
    case _ where name.hasPrefix("input"):
      if let text = input?.value(of: name, in: folder) { return BoundValue(text: text) }
    default: break
    }
    if let rows, let value = try rows.value(of: name, column: names.indices[name]) { return value }
    guard let index = names.indices[name], values.indices.contains(index) else { return nil }
    return BoundValue(text: values[index])
  }
}

/// The rows of a table for one job.
struct RowBinding {
  static let names = ["row.n", "row.count"]

  var table: Table
  /// Their numbers; at least one.
  var rows: [Int]
  /// Their common key, for messages; empty for a single row.
  var group = ""
  /// The place in `rows` of the one for which an item repeats.
  var current: Int?

  func value(of name: String, column: Int?) throws(RowsDiffer) -> BoundValue? {
    if let current {
      if name == "row.n" { return BoundValue(text: String(current + 1)) }
      if name == "row.count" { return BoundValue(text: String(rows.count)) }
    }
    guard let column, let first = rows.first else { return nil }
    if let current { return value(row: rows[current], column) }
    let common = value(row: first, column)
    for row in rows.dropFirst() where !table.agree(first, row, in: column) {
      throw RowsDiffer(
        column: name,
        cells: (Table.Cell(row: first, column: column), Table.Cell(row: row, column: column)),
        group: group)
    }
    return common
  }

  private func value(row: Int, _ column: Int) -> BoundValue {
    let cell = Table.Cell(row: row, column: column)
    return BoundValue(text: table.text(of: cell), cell: cell)
  }
}

/// One file, or one value, of a `for_each`.
struct InputBinding {
  static let names = [
    "input", "input.dir", "input.stem", "input.ext", "input.name", "input.date",
  ]

  enum Kind {
    /// A file, by a path that can be opened, and the folders between the fixed part of its pattern
    /// and it.
    case file(FilePath, below: FilePath)
    /// A medium on a server.
    case address(MediaURL)
    /// A text that names no file.
    case value(String)

    /// The medium, and the folders below its pattern's; nil for a value.
    var medium: (location: MediaLocation, folder: FilePath)? {
      switch self {
      case .file(let path, let folder): (.file(path), folder)
      case .address(let url): (.remote(url), "")
      case .value: nil
      }
    }

    /// As jobs open it.
    var text: String {
      switch self {
      case .file(let path, _): path.string
      case .address(let url): url.absoluteText
      case .value(let text): text
      }
    }

    /// As messages show it.
    var shown: String { medium?.location.description ?? text }

    /// The medium's last name, which of an address may be empty; or the value.
    var name: String { medium.map { $0.location.lastName ?? "" } ?? text }

    /// `name` without its extension; or the value.
    var stem: String { medium == nil ? text : FilePath(name).stem ?? "" }

    /// The extension of a medium.
    var fileExtension: String { medium == nil ? "" : FilePath(name).extension ?? "" }
  }

  var kind: Kind
  /// The base of paths in the loop's file.
  var home: FilePath
  /// Absolute.
  var currentDirectory: FilePath

  /// Any file, where a pattern found none.
  static let unknown = InputBinding(
    kind: .file("\u{FFFC}", below: ""), home: "", currentDirectory: "/")

  /// Whether `path` comes from `unknown`.
  static func isUnknown(_ path: FilePath) -> Bool {
    path.string.containsScalars("\u{FFFC}")
  }

  func value(of name: String, in folder: FilePath) -> String? {
    switch name {
    case "input": return kind.medium?.location.file.map { written($0, in: folder) } ?? kind.text
    case "input.dir": return kind.medium?.folder.string ?? ""
    case "input.stem": return kind.stem
    case "input.ext": return kind.fileExtension
    case "input.name": return kind.name
    default: return nil
    }
  }

  /// `path` as a file in `folder` would write it.
  private func written(_ path: FilePath, in folder: FilePath) -> String {
    var path = path
    if folder.isEmpty || path.removePrefix(folder) || path.isAbsolute || folder == home {
      return path.string
    }
    return path.normalized(in: currentDirectory).string
  }
}
