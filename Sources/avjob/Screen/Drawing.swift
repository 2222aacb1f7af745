/// The moving part as it stands on the terminal now.
struct Drawing {
  private var lines: [String] = []
  /// Columns of each.
  private var widths: [Int] = []
  /// Columns of the terminal when they were drawn.
  private var columns = 0
  private var lastDrawn: ContinuousClock.Instant?

  /// Whether the last drawing was so long ago.
  func isDue(
    at now: ContinuousClock.Instant, after pause: Duration = .milliseconds(100)
  ) -> Bool {
    lastDrawn.map { $0.duration(to: now) >= pause } ?? true
  }

  /// The text that puts `lines` in the place of those that stand there, without flicker: each
  /// line is overwritten and what is left of the old ones is cleared (ECMA-48: CUU, EL, ED).
  mutating func draw(
    _ lines: [String], at now: ContinuousClock.Instant, on terminal: Terminal
  ) -> String {
    // Blanks at the end would take a row where the window becomes narrower.
    let lines = lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    var text = home(on: terminal)
    var widths: [Int] = []
    let isNarrower = terminal.columns < columns
    for (index, line) in lines.enumerated() {
      let isSame = index < self.lines.count && self.lines[index] == line
      widths.append(isSame ? self.widths[index] : line.rows(ofColumns: .max).columns)
      // tmux breaks what was cleared behind a line, too, unless the row was cleared as a whole.
      let before = index < self.widths.count ? self.widths[index] : 0
      if isNarrower || widths[index] < before { text += "\u{1B}[2K" }
      text += line + "\u{1B}[K\n"
    }
    (self.lines, self.widths, columns, lastDrawn) = (lines, widths, terminal.columns, now)
    return text + "\u{1B}[J"
  }

  /// The text that takes the lines away; nothing where there are none.
  mutating func erase(on terminal: Terminal?) -> String {
    guard !lines.isEmpty else { return "" }
    defer { abandon() }
    return home(on: terminal) + "\u{1B}[J"
  }

  /// Leaves the lines where they are: the next ones are drawn below whatever comes now.
  mutating func abandon() { (lines, widths) = ([], []) }

  /// To the start of the first line.
  ///
  /// Where the window is narrower than it was, most terminals have broken the lines anew, and the
  /// first stands further up. What has left the window at the top cannot be reached.
  private func home(on terminal: Terminal?) -> String {
    guard !lines.isEmpty else { return "\r" }
    guard let terminal, terminal.rewraps, terminal.columns < columns else {
      return "\u{1B}[\(lines.count)A\r"
    }
    let rows = lines.reduce(0) { $0 + $1.rows(ofColumns: terminal.columns).count }
    return "\u{1B}[\(rows)A\r"
  }
}

extension String {
  /// Rows that this line takes on a terminal that breaks it, and the columns of the last.
  fileprivate func rows(ofColumns columns: Int) -> (count: Int, columns: Int) {
    var (rows, used) = (1, 0)
    var rest = self[...]
    while let character = rest.first {
      rest.removeFirst()
      guard character != "\u{1B}" else {
        // A colour: ESC [ … m.
        rest = rest.drop { $0 != "m" }.dropFirst()
        continue
      }
      used += character.columns
      if used > columns { (rows, used) = (rows + 1, character.columns) }
    }
    return (rows, used)
  }
}
