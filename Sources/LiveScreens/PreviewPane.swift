/// The part of the screen that scrolls: the tracks, the list or the help.
struct PreviewPane {
  enum Kind { case tracks, list, help }

  let kind: Kind
  /// The number of lines.
  let count: Int
  /// The line that must be seen, in the help the first one; nil: the first lines.
  let focus: Int?
  /// Makes a line.
  let line: (Int) -> String

  /// Lists and the help are worth as much as the lines below the title.
  var place: PreviewScreen.Place { kind == .tracks ? .pane : .list }

  /// So many lines are worth more than the lines that may be left out for them.
  var leastRows: Int {
    switch kind {
    case .tracks: min(count, 12)
    case .list: min(count, 8)
    case .help: count
    }
  }

  /// The lines that fit into some rows.
  ///
  /// - Complexity: O(rows)
  func lines(in rows: Int, _ layout: PreviewLayout) -> [String] {
    guard count > rows else { return (0..<count).map(line) }
    // One at least: it is left out with the least important lines.
    let rows = max(1, rows)
    // The last row says where this is, if there is room.
    let room = rows < 3 && kind == .list || rows < 2 ? rows : rows - 1
    let first =
      switch (kind, focus) {
      case (.help, let start?): min(start, count - room)
      case (_, let focus?): max(0, min(count - room, focus - room / 2))
      case (_, nil): 0
      }
    let shown = first..<first + room
    guard room < rows else { return shown.map(line) }
    return shown.map(line) + [layout.rest(of: self, showing: shown)]
  }
}
