import Diagnosis
import SystemPackage
import TimeLists

/// The loop that makes many jobs of one: files, lists of values, or rows of a table.
struct JobLoop {
  /// One list of a loop; the first written changes slowest.
  enum Axis {
    /// Binds `input`.
    case inputs([InputBinding.Kind])
    /// Binds its own name.
    case values([String])

    var count: Int {
      switch self {
      case .inputs(let inputs): inputs.count
      case .values(let values): values.count
      }
    }
  }

  enum Kind {
    case product([Axis])
    case rows(Table, groups: [Table.Group])
  }

  /// Jobs that one file may become: each takes some kilobytes of memory.
  static let countLimit = 200_000

  let kind: Kind
  let names: LoopNames
  let count: Int
  /// The base of paths in the loop's file.
  let home: FilePath
  let currentDirectory: FilePath

  /// A loop of at most `countLimit` jobs.
  init(_ kind: Kind, names: LoopNames, home: FilePath, currentDirectory: FilePath) {
    self.kind = kind
    self.names = names
    self.home = home
    self.currentDirectory = currentDirectory
    switch kind {
    case .product(let axes): count = axes.reduce(1) { $0 * $1.count }
    case .rows(_, let groups): count = groups.count
    }
  }

  /// The values for the job with the number `index`, from 0.
  func binding(_ index: Int) -> LoopBinding {
    var binding = LoopBinding(names: names, number: index + 1, count: count)
    switch kind {
    case .rows(let table, let groups):
      binding.rows = RowBinding(table: table, rows: groups[index].rows, group: groups[index].name)
    case .product(let axes):
      var rest = index
      for axis in axes.reversed() {
        let place = rest % axis.count
        rest /= axis.count
        switch axis {
        case .inputs(let inputs):
          binding.input = InputBinding(
            kind: inputs[place], home: home, currentDirectory: currentDirectory)
        case .values(let values): binding.values.append(values[place])
        }
      }
      binding.values.reverse()
    }
    return binding
  }

  // MARK: Names

  /// Unique names for its jobs, from their values.
  ///
  /// - Complexity: O(jobs · lists), and for a table O(cells) at most
  func jobNames() -> [String] {
    switch kind {
    case .rows(let table, let groups): return Self.names(ofTexts: table.names(of: groups))
    case .product(let axes):
      let parts = axes.map { axis -> [String] in
        switch axis {
        case .inputs(let inputs): Self.names(of: inputs)
        case .values(let values): Self.names(ofTexts: values)
        }
      }
      if parts.count == 1 { return parts[0] }
      // `a-b` and `c`, `a` and `b-c`
      let unique = ["-", ", "].lazy.map { joined(parts, by: $0) }.first { Set($0).count == count }
      return unique ?? (1...count).map(String.init)
    }
  }

  private func joined(_ parts: [[String]], by separator: String) -> [String] {
    parts.dropFirst().reduce(parts.first ?? []) { names, part in
      names.flatMap { name in part.map { name + separator + $0 } }
    }
  }

  /// The texts; of addresses what can be shown, with a number where that repeats.
  private static func names(ofTexts texts: [String]) -> [String] {
    let shown = texts.map(MediaURL.shown)
    guard Set(shown).count < Set(texts).count else { return shown }
    return shown.enumerated().map { "\($1) \($0 + 1)" }
  }

  /// The file's stem; if stems repeat, its path below the pattern's fixed part; with the extension
  /// if those repeat too; else its whole path. Of addresses, for a path, what can be shown.
  private static func names(of inputs: [InputBinding.Kind]) -> [String] {
    func unique(_ name: (InputBinding.Kind) -> String) -> [String]? {
      let names = inputs.map(name)
      return Set(names).count == names.count ? names : nil
    }
    func path(_ input: InputBinding.Kind, _ name: (FilePath) -> String?) -> String {
      guard case .file(let path, let folder) = input else { return input.shown }
      return folder.appending(name(path) ?? "").string
    }
    return unique { $0.stem.isEmpty ? $0.shown : $0.stem }
      ?? unique { path($0, \.stem) }
      ?? unique { path($0, \.lastComponent?.string) }
      ?? names(ofTexts: inputs.map(\.text))
  }
}
