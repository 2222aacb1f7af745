import Diagnosis
import JobModel
import MediaComposition
import SystemPackage
import Tagging

/// Reads a table: RFC 4180, and what spreadsheets make of it. Cells are parted by commas, semicolons
/// or tabs, whichever the header has most of; a first line `sep=;` says it, as Excel does. Blanks
/// around a cell that is not in quotes do not count, nor do empty lines: a line with a separator or
/// with quotes is a row also where all its cells are empty, and the header is the first with a text.
package struct TableReader {
  private let path: FilePath
  private let bytes: [UInt8]
  private let source: SourceMap.Source
  private let map: SourceMap
  private let named: Origin
  private(set) var sink = DiagnosticSink()

  private var position = 0
  private var line = 1
  private var column = 1
  private var separator = UInt8(ascii: ",")
  /// Whether the line that was read last has been complained of.
  private var isBroken = false

  /// The table in `bytes`, the file at `path`, which a job file names at `named`.
  ///
  /// - Returns: The table, and its messages; there is no table beside an error.
  /// - Complexity: O(length of `bytes`)
  package static func read(
    _ bytes: [UInt8], path: FilePath, named: Origin, isQuoted: Bool = true, in map: SourceMap
  ) -> (table: Table?, sink: DiagnosticSink) {
    let (text, isLegacy) = EightBitText.decoded(file: bytes)
    let source = map.add(
      text: text, named: path.string, includedAt: named, noting: "the table is named here",
      readAs: "a table", isQuoted: isQuoted)
    var reader = TableReader(Array(text.utf8), path, source, named, map)
    reader.checkText(isLegacy: isLegacy)
    let table = reader.sink.diagnostics.errors.isEmpty ? reader.table() : nil
    return (reader.sink.diagnostics.errors.isEmpty ? table : nil, reader.sink)
  }

  private init(
    _ bytes: [UInt8], _ path: FilePath, _ source: SourceMap.Source, _ named: Origin,
    _ map: SourceMap
  ) {
    self.bytes = bytes
    self.path = path
    self.source = source
    self.named = named
    self.map = map
  }

  private mutating func checkText(isLegacy: Bool) {
    if bytes.contains(0) {
      sink.error(
        "'\(path)' is no text, and so no table", at: named,
        help: "save the table as CSV, which every spreadsheet can")
      return
    }
    guard isLegacy, let odd = bytes.firstIndex(where: { $0 >= 0x80 }) else { return }
    while position < odd { step() }
    sink.add(
      Diagnostic(
        .warning, "the table is not UTF-8 and is read as Windows-1252, the Latin-1 of old files",
        at: map.origin(in: source, line: line, column: column, length: 1),
        help: "save it as UTF-8 if letters come out wrong"))
    (position, line, column) = (0, 1, 1)
  }

  private func origin(_ cell: Table.Stretch) -> Origin {
    let text = cell.text(in: bytes)
    return map.origin(
      in: source, line: Int(cell.line), column: Int(cell.column),
      length: text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }.count)
  }

  private mutating func error(
    _ message: String, at cell: Table.Stretch, help: String? = nil,
    notes: [Diagnostic.Note] = []
  ) {
    if sink.dropsAll() { return }
    sink.error(message, at: origin(cell), help: help, notes: notes)
  }

  // MARK: Rows

  private mutating func table() -> Table? {
    let header = record(limit: Table.columnLimit, hasText: true)
    guard !isBroken else { return nil }
    guard var names = header else {
      sink.error("'\(path)' is empty", at: named, help: "a table begins with the names of columns")
      return nil
    }
    guard !isTooWide(names) else { return nil }
    // Spreadsheets write columns without a name behind the last one that has one.
    while let last = names.last, last.length == 0 { names.removeLast() }
    let columns = self.columns(names)
    var cells: [Table.Stretch] = []
    var count = 0
    while let row = record(limit: names.count) {
      count += 1
      if isBroken { continue }
      guard count <= Table.rowLimit, cells.count + names.count <= Table.cellLimit else {
        error(
          "more than \(grouped(count > Table.rowLimit ? Table.rowLimit : Table.cellLimit)) "
            + (count > Table.rowLimit ? "rows" : "cells"), at: row[0], help: "part the table")
        return nil
      }
      if let fitting = fitted(row, to: names.count) { cells += fitting }
    }
    guard count > 0 || !sink.diagnostics.errors.isEmpty else {
      error(
        "no rows under the names of the columns", at: names[0],
        help: "the first line names the columns, each further one is a row")
      return nil
    }
    return Table(
      bytes, header: names.map { $0.text(in: bytes) }, columns: columns, cells: cells, source,
      in: map)
  }

  private mutating func isTooWide(_ row: [Table.Stretch]) -> Bool {
    guard row.count > Table.columnLimit else { return false }
    error(
      "more than \(grouped(Table.columnLimit)) columns", at: row[Table.columnLimit],
      help: "leave those out that no variable names")
    return true
  }

  /// `row` with as many cells as there are columns.
  private mutating func fitted(_ row: [Table.Stretch], to count: Int) -> [Table.Stretch]? {
    if row.count > count {
      error(
        "a cell without a column: the header names \(count)", at: row[count],
        help: "put quotes around a text that holds a separator")
      return nil
    }
    guard row.count >= count else {
      error(
        "the row has \(row.count == 1 ? "1 cell" : "\(row.count) cells"), the header \(count)",
        at: row[0], help: "a cell without a text is nothing between two separators")
      return nil
    }
    return Array(row.prefix(count))
  }

  /// The columns that variables can name.
  private mutating func columns(_ names: [Table.Stretch]) -> [String: Int] {
    var columns: [String: Int] = [:]
    for (index, cell) in names.enumerated() {
      let name = cell.text(in: bytes)
      if let other = columns[name] {
        error(
          "two columns are called '\(name)'", at: cell, help: "rename one of them",
          notes: [.init("the other one is here", at: origin(names[other]))])
      } else if VariableName.isReserved(name) {
        error(
          "'\(name)' is a name of the language's own", at: cell, help: "rename the column")
      } else if VariableName.isPossible(name) {
        columns[name] = index
      }
    }
    return columns
  }
}

// MARK: - Cells

extension TableReader {
  /// How a cell ends.
  private enum End { case cell, line, text }

  /// The cells of the next line that has any, or with `hasText` of the next that has a text: `limit`
  /// of them, and the next one behind these that has a text; nil at the end.
  private mutating func record(limit: Int, hasText: Bool = false) -> [Table.Stretch]? {
    while position < bytes.count {
      let isFirst = position == 0
      if isFirst { chooseSeparator() }
      isBroken = false
      var cells: [Table.Stretch] = []
      var (end, isEmptyLine) = (End.cell, true)
      while end == .cell {
        skipBlanks()
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { isEmptyLine = false }
        let (cell, next) = self.cell()
        end = next
        if end == .cell { isEmptyLine = false }
        if cells.count < limit || cell.length > 0 { cells.append(cell) }
        guard cells.count <= limit else {
          if end == .cell { skipLine() }
          break
        }
      }
      if isFirst, isSeparatorLine(cells) { continue }
      if cells.contains(where: { $0.length > 0 }) || !hasText && !isEmptyLine { return cells }
    }
    return nil
  }

  /// Whether the first line is `sep=;`, which is followed.
  private mutating func isSeparatorLine(_ cells: [Table.Stretch]) -> Bool {
    guard let first = cells.first, first.slice(of: bytes).starts(with: "sep=".utf8) else {
      return false
    }
    if first.length > 4 { separator = bytes[Int(first.start) + 4] }
    return true
  }

  /// Of comma, semicolon and tab the one that the first line has most of, outside of quotes.
  private mutating func chooseSeparator() {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    while position < bytes.count, isLineEnd(bytes[position]) { step() }
    for byte in bytes[position...] {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
      if Self.separators.contains(byte) { counts[byte, default: 0] += 1 }
    }
    for candidate in Self.separators where counts[candidate, default: 0] > counts[separator] ?? 0 {
      separator = candidate
    }
  }

  private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

  private mutating func cell() -> (Table.Stretch, End) {
    skipBlanks()
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { return quotedCell() }
    var cell = Table.Stretch(
      start: UInt32(clamping: position), length: 0, line: UInt32(clamping: line),
      column: UInt32(clamping: column))
    var end = position
    while position < bytes.count, bytes[position] != separator, !isLineEnd(bytes[position]) {
      let isText = !isBlank(bytes[position])
      step()
      if isText { end = position }
    }
    cell.length = UInt32(clamping: end - Int(cell.start))
    return (cell, close())
  }

  private mutating func quotedCell() -> (Table.Stretch, End) {
    var cell = Table.Stretch(
      start: UInt32(clamping: position + 1), length: 0, line: UInt32(clamping: line),
      column: UInt32(clamping: column))
    step()
    while true {
      guard position < bytes.count else {
        // Nothing of the text is left to be shown.
        error("a quote that is never closed", at: cell, help: "a quote in quotes is written twice")
        isBroken = true
        return (cell, .text)
      }
      if bytes[position] == UInt8(ascii: "\"") {
        guard position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "\"") else { break }
        cell.hasQuotes = true
        step()
      }
      step()
    }
    cell.length = UInt32(clamping: position - Int(cell.start))
    step()
    skipBlanks()
    if position < bytes.count, bytes[position] != separator, !isLineEnd(bytes[position]) {
      let rest = Table.Stretch(
        start: UInt32(clamping: position), length: 1, line: UInt32(clamping: line),
        column: UInt32(clamping: column))
      error(
        "a text behind its closing quote", at: rest, help: "a quote in quotes is written twice")
      skipLine()
      isBroken = true
      return (cell, .line)
    }
    return (cell, close())
  }

  /// Moves behind what ends a cell.
  private mutating func close() -> End {
    guard position < bytes.count else { return .text }
    let isCell = bytes[position] == separator
    step()
    return isCell ? .cell : .line
  }

  private mutating func skipLine() {
    while position < bytes.count, !isLineEnd(bytes[position]) { step() }
    if position < bytes.count { step() }
  }

  private mutating func skipBlanks() {
    while position < bytes.count, isBlank(bytes[position]) { step() }
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") && byte != separator
  }

  private func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// One character on; a CR LF is one. Lines are counted as `SourceText` does.
  private mutating func step() {
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\r"):
      if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
      fallthrough
    case UInt8(ascii: "\n"):
      line += 1
      column = 1
    default:
      while position < bytes.count, bytes[position] & 0xC0 == 0x80 { position += 1 }
      column += 1
    }
  }
}
