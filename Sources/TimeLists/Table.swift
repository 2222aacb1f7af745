import Diagnosis
import MediaComposition
import SystemPackage

/// A table of texts with their places: what `rows` names.
///
/// Columns whose names no variable can have are not bound; the job need not use them.
package struct Table: Sendable {
  /// Bytes.
  package static let sizeLimit = 64 << 20
  package static let columnLimit = 1_000
  package static let rowLimit = 200_000
  package static let cellLimit = 2_000_000

  /// A row and a column, from 0; the header is no row.
  package struct Cell: Hashable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  /// Rows that make one job.
  package struct Group: Sendable {
    /// What they have in common; empty where each row is a group.
    package var name: String
    package var rows: [Int]
  }

  /// A text in the file.
  struct Stretch: Sendable {
    /// Bytes from `start` on, without quotes around them.
    var start: UInt32
    var length: UInt32
    /// Both from 1, the column in Unicode scalars; with its quotes.
    var line: UInt32
    var column: UInt32
    /// Whether two quotes in it stand for one.
    var hasQuotes = false
  }

  /// UTF-8.
  let bytes: [UInt8]
  package let header: [String]
  /// The columns by their names.
  package let columns: [String: Int]
  /// Row after row.
  let cells: [Stretch]
  /// Whether messages may quote it.
  package let isQuoted: Bool
  private let map: SourceMap
  private let source: SourceMap.Source

  init(
    _ bytes: [UInt8], header: [String], columns: [String: Int], cells: [Stretch],
    _ source: SourceMap.Source, in map: SourceMap
  ) {
    self.bytes = bytes
    self.header = header
    self.columns = columns
    self.cells = cells
    self.source = source
    self.map = map
    isQuoted = map.isQuoted(source)
  }

  package var rowCount: Int { header.isEmpty ? 0 : cells.count / header.count }

  private func stretch(_ cell: Cell) -> Stretch { cells[cell.row * header.count + cell.column] }

  package func text(of cell: Cell) -> String { stretch(cell).text(in: bytes) }

  /// Whether a column has the same text in two rows.
  package func agree(_ a: Int, _ b: Int, in column: Int) -> Bool {
    let (x, y) = (stretch(Cell(row: a, column: column)), stretch(Cell(row: b, column: column)))
    guard !x.hasQuotes, !y.hasQuotes else { return x.text(in: bytes) == y.text(in: bytes) }
    return x.slice(of: bytes).elementsEqual(y.slice(of: bytes))
  }

  /// The place of a cell, with a note of where a job uses it.
  package func origin(of cell: Cell, usedAt use: Origin = .unknown) -> Origin {
    let stretch = stretch(cell)
    let text = text(of: cell)
    // Of a text of several lines, the first.
    let count = text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }.count
    return map.origin(
      in: source, line: Int(stretch.line), column: Int(stretch.column), length: count, usedAt: use)
  }

  // MARK: Groups

  /// Each row by itself.
  package var single: [Group] { (0..<rowCount).map { Group(name: "", rows: [$0]) } }

  /// Rows that agree in a column, in the order in which groups begin.
  ///
  /// - Complexity: O(rows)
  package func groups(by column: Int) -> [Group] {
    var groups: [Group] = []
    var places: [String: Int] = [:]
    for row in 0..<rowCount {
      let name = text(of: Cell(row: row, column: column))
      if let place = places[name] {
        groups[place].rows.append(row)
      } else {
        places[name] = groups.count
        groups.append(Group(name: name, rows: [row]))
      }
    }
    return groups
  }

  /// Unique names for groups: what they have in common, or where each row is one, the first column
  /// without duplicates, and else their numbers.
  package func names(of groups: [Group]) -> [String] {
    if groups.contains(where: { !$0.name.isEmpty }) {
      let names = groups.map(\.name)
      if names.allSatisfy(Self.isName) { return names }
    }
    for column in header.indices where !header[column].isEmpty {
      var names: [String] = []
      var seen: Set<String> = []
      for group in groups {
        let name = text(of: Cell(row: group.rows[0], column: column))
        guard Self.isName(name), seen.insert(name).inserted else { break }
        names.append(name)
      }
      if names.count == groups.count { return names }
    }
    return groups.indices.map { String($0 + 1) }
  }

  /// Whether people can call a job by it: one line that is not too long.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200 && text.utf8.allSatisfy { $0 >= 0x20 }
  }
}

extension Table.Stretch {
  func slice(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes[Int(start)..<(Int(start) + Int(length))]
  }

  func text(in bytes: [UInt8]) -> String {
    let text = String(decoding: slice(of: bytes), as: UTF8.self)
    return hasQuotes ? text.replacingScalars("\"\"", with: "\"") : text
  }
}
