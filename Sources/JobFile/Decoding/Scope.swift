import MediaComposition
import SystemPackage
import TimeLists
import YAML

/// What variables stand for.
struct Scope {
  /// `vars`, with what `--set` put in their place.
  var globals: [String: String]
  /// The variables of the environment that the user allows; nil for one that is not set.
  var environment: [String: String?]
  /// What `for_each` or `rows` bound for this job.
  var loop: LoopBinding?
  /// The file that the pattern of an item's clip found, which is nearer than that of the loop.
  var found: InputBinding?
  /// Whether something that binds variables was refused: any name may be one of them.
  var bindsUnknownNames = false
  /// What `${part…}` is here.
  var part = PartUse.none

  /// Whether the variables of a part may be used.
  enum PartUse {
    /// The job has no parts.
    case none
    /// The job has parts, and what is read here is the same for all of them.
    case elsewhere
    /// Each part fills them in.
    case bound
  }

  /// The same scope where parts are or are not known.
  func with(part: PartUse) -> Scope {
    var copy = self
    copy.part = part
    return copy
  }

  /// The file that a `for_each` bound.
  var input: InputBinding? { loop?.input }

  /// The value of `name` in a file whose paths count from `folder`, if it is a variable of this
  /// scope: the loop's, which is nearer, or the file's.
  ///
  /// - Throws: where the rows that a job is made of do not agree.
  func value(of name: String, in folder: FilePath) throws(RowsDiffer) -> BoundValue? {
    if let text = found?.value(of: name, in: folder) { return BoundValue(text: text) }
    if let value = try loop?.value(of: name, in: folder) { return value }
    return globals[name].map { BoundValue(text: $0) }
  }

  /// Every name, for "did you mean".
  var names: [String] { globals.keys.sorted() + (loop?.names.all ?? []) }
}

/// What a variable stands for.
struct BoundValue {
  var text: String
  /// Where it stands, if that is in a table.
  var cell: Table.Cell?
}

/// A column has several values in the rows that a job is made of.
struct RowsDiffer: Error {
  var column: String
  /// Two cells that differ.
  var cells: (Table.Cell, Table.Cell)
  /// What the rows have in common.
  var group: String
}

/// The variables that a loop binds, the same for all of its jobs.
final class LoopNames: Sendable {
  /// The lists of a `for_each`, or the columns of a table, and which of them they are.
  let indices: [String: Int]
  /// Whether `input` and what belongs to it are bound.
  let bindsInput: Bool
  /// Whether `row` is bound.
  let bindsRow: Bool

  init(_ indices: [String: Int], bindsInput: Bool = false, bindsRow: Bool = false) {
    self.indices = indices
    self.bindsInput = bindsInput
    self.bindsRow = bindsRow
  }

  /// What the pattern of a clip binds, for each file that it finds.
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

/// What a loop binds for one of its jobs.
struct LoopBinding {
  var names: LoopNames
  /// The file, or the value, of a `for_each`.
  var input: InputBinding?
  /// Of the other lists of a `for_each`, by `LoopNames.indices`.
  var values: [String] = []
  /// The rows of a table.
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

/// The rows of a table that a job is made of.
struct RowBinding {
  static let names = ["row.n", "row.count"]

  var table: Table
  /// Their numbers; at least one.
  var rows: [Int]
  /// What they have in common, for messages; empty for a single one.
  var group = ""
  /// The place in `rows` of the one that an item is repeated for.
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
  static let names = ["input", "input.dir", "input.stem", "input.ext", "input.name"]

  /// What it is.
  enum Kind {
    /// A file, by a path that can be opened, and the folders that lie between it and the fixed part of
    /// its pattern.
    case file(FilePath, below: FilePath)
    /// A text that names no file.
    case value(String)
  }

  var kind: Kind
  /// Where the paths of the job file count from that has the loop.
  var home: FilePath
  /// Absolute.
  var currentDirectory: FilePath

  /// Stands for any file where a pattern found none.
  static let unknown = InputBinding(
    kind: .file("\u{FFFC}", below: ""), home: "", currentDirectory: "/")

  /// Whether `path` was made from the file that stands for any.
  static func isUnknown(_ path: FilePath) -> Bool { path.string.contains("\u{FFFC}") }

  /// The file; nil where it is a value.
  var file: (path: FilePath, folder: FilePath)? {
    if case .file(let path, let folder) = kind { (path, folder) } else { nil }
  }

  func value(of name: String, in folder: FilePath) -> String? {
    switch (name, kind) {
    case ("input", .file(let path, _)): return written(path, in: folder)
    case ("input.dir", .file(_, let folder)): return folder.string
    case ("input.stem", .file(let path, _)): return path.stem ?? ""
    case ("input.ext", .file(let path, _)): return path.extension ?? ""
    case ("input.name", .file(let path, _)): return path.lastComponent?.string ?? ""
    case ("input", .value(let text)), ("input.stem", .value(let text)),
      ("input.name", .value(let text)):
      return text
    case ("input.dir", .value), ("input.ext", .value): return ""
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
