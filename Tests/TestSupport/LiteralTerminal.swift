/// What stands on a terminal after some text: rows and a cursor, and of ECMA-48 what a moving part is
/// drawn with (CUU, EL, ED; SGR and modes change nothing that is read here). Each character has one
/// column.
///
/// In a window that becomes narrower or wider, lines are broken anew, as VTE, kitty, tmux and their
/// like do it; as in tmux, cells that were cleared behind a line are broken with it, unless the row was
/// cleared as a whole.
public struct LiteralTerminal {
  /// A row, which may be the beginning of a line that goes on in the next.
  private struct Row {
    var cells: [Character] = []
    var goesOn = false
  }

  private var columns: Int
  private let height: Int
  private var rows = [Row()]
  private var (row, column) = (0, 0)

  /// An empty window of a size.
  public init(columns: Int, rows height: Int) {
    self.columns = columns
    self.height = height
  }

  /// The rows from the first on, also those that have left the window at the top, without the blanks
  /// behind them.
  public var text: String {
    rows.map { String(String($0.cells).reversed().drop { $0 == " " }.reversed()) }
      .joined(separator: "\n")
  }

  /// Shows a text.
  public mutating func feed(_ text: String) {
    var rest = text[...]
    while let character = rest.first {
      rest.removeFirst()
      switch character {
      case "\u{1B}":
        rest.removeFirst()
        let parameter = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(parameter.count)
        if let final = rest.popFirst() { control(final, Int(parameter) ?? 1) }
      case "\r": column = 0
      case "\n", "\r\n": nextRow()
      default: put(character)
      }
    }
  }

  private mutating func control(_ final: Character, _ count: Int) {
    switch final {
    case "A": row = max(rows.count - height, 0, row - count)
    case "K":
      if count == 2 { rows[row].cells = [] }
      clearRow()
    case "J":
      clearRow()
      rows.removeLast(rows.count - row - 1)
    default: break
    }
  }

  private mutating func clearRow() {
    if column == 0 { rows[row].cells = [] }
    for index in rows[row].cells.indices.dropFirst(column) { rows[row].cells[index] = " " }
    rows[row].goesOn = false
  }

  private mutating func put(_ character: Character) {
    if column == columns {
      rows[row].goesOn = true
      nextRow()
    }
    let missing = column + 1 - rows[row].cells.count
    if missing > 0 { rows[row].cells += Array(repeating: " ", count: missing) }
    rows[row].cells[column] = character
    column += 1
  }

  private mutating func nextRow() {
    (row, column) = (row + 1, 0)
    if row == rows.count { rows.append(Row()) }
  }

  /// Gives the window another width.
  public mutating func resize(columns: Int) {
    var broken: [Row] = []
    var line: [Character] = []
    var cursor = (row: 0, column: 0)
    var offset: Int?
    for (index, row) in rows.enumerated() {
      if index == self.row { offset = line.count + column }
      line += row.cells
      guard !row.goesOn else { continue }
      if let offset { cursor = (broken.count + offset / columns, offset % columns) }
      offset = nil
      repeat {
        broken.append(Row(cells: Array(line.prefix(columns)), goesOn: line.count > columns))
        line.removeFirst(min(columns, line.count))
      } while !line.isEmpty
    }
    (rows, self.columns) = (broken, columns)
    (row, column) = (min(cursor.row, rows.count - 1), cursor.column)
  }
}
