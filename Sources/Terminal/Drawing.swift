import Diagnosis

/// The moving part as it stands on the terminal now.
package struct Drawing {
  private var lines: [String] = []
  /// Columns of each.
  private var widths: [Int] = []
  /// Columns of the terminal when they were drawn.
  private var columns = 0
  /// The terminal, and when all lines were drawn on it, also those that had not changed.
  private var lastWhole: (terminal: TerminalTraits, time: ContinuousClock.Instant)?
  private var lastDrawn: ContinuousClock.Instant?
  private let wholePause: Duration

  /// Nothing so far.
  ///
  /// - Parameter pause: For how long lines that stay the same are not drawn again; then they are, since
  ///   something else may have written over them.
  package init(drawingWholeEvery pause: Duration = .zero) { wholePause = pause }

  /// Whether the last drawing was so long ago.
  package func isDue(
    at now: ContinuousClock.Instant, after pause: Duration = .milliseconds(100)
  ) -> Bool {
    lastDrawn.map { $0.duration(to: now) >= pause } ?? true
  }

  /// The text that puts `lines` in the place of those that stand there, without flicker: each
  /// line is overwritten and what is left of the old ones is cleared (ECMA-48: CUU, EL, ED).
  package mutating func draw(
    _ lines: [String], at now: ContinuousClock.Instant, on terminal: TerminalTraits
  ) -> String {
    // Blanks at the end would take a row where the window becomes narrower.
    let lines = lines.map(\.withoutBlanksAtEnd)
    var text = home(on: terminal)
    var widths: [Int] = []
    widths.reserveCapacity(lines.count)
    let isNarrower = terminal.columns < columns
    let isWhole =
      lastWhole.map { $0.terminal != terminal || $0.time.duration(to: now) >= wholePause } ?? true
    if isWhole { lastWhole = (terminal, now) }
    for (index, line) in lines.enumerated() {
      let isSame = index < self.lines.count && self.lines[index] == line
      widths.append(isSame ? self.widths[index] : line.drawnColumns)
      if isSame, !isWhole {
        text += "\n"
        continue
      }
      // tmux breaks what was cleared behind a line, too, unless the row was cleared as a whole.
      let before = index < self.widths.count ? self.widths[index] : 0
      if isNarrower || widths[index] < before { text += "\u{1B}[2K" }
      text += line + "\u{1B}[K\n"
    }
    (self.lines, self.widths, columns, lastDrawn) = (lines, widths, terminal.columns, now)
    return text + "\u{1B}[J"
  }

  /// The text that takes the lines away; nothing where there are none.
  package mutating func erase(on terminal: TerminalTraits?) -> String {
    guard !lines.isEmpty else { return "" }
    defer { abandon() }
    return home(on: terminal) + "\u{1B}[J"
  }

  /// Leaves the lines where they are: the next ones are drawn below whatever comes now.
  package mutating func abandon() { (lines, widths, lastWhole) = ([], [], nil) }

  /// To the start of the first line.
  ///
  /// Where the window is narrower than it was, most terminals have wrapped the lines again, and the
  /// first stands further up. What has left the window at the top cannot be reached.
  private func home(on terminal: TerminalTraits?) -> String {
    guard !lines.isEmpty else { return "\r" }
    guard let terminal, terminal.rewraps, terminal.columns < columns else {
      return "\u{1B}[\(lines.count)A\r"
    }
    let rows = lines.reduce(0) { $0 + $1.rows(ofColumns: terminal.columns).count }
    return "\u{1B}[\(rows)A\r"
  }
}

extension String {
  /// This text up to its last character that is no blank.
  fileprivate var withoutBlanksAtEnd: String {
    let blanks = utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
    return blanks == 0 ? self : String(decoding: utf8.dropLast(blanks), as: UTF8.self)
  }

  /// Columns that this line takes, colours and sixels taking none.
  fileprivate var drawnColumns: Int {
    let isText = !utf8.starts(with: TerminalPicture.sixelStart.utf8)
    let columns = isText ? utf8.simpleColumns(skippingColours: true) : nil
    return columns ?? rows(ofColumns: .max).columns
  }

  /// Rows that this line takes on a terminal that breaks it, and the columns of the last.
  fileprivate func rows(ofColumns columns: Int) -> (count: Int, columns: Int) {
    var (rows, used) = (1, 0)
    var rest = self[...]
    while let character = rest.first {
      rest.removeFirst()
      guard character != "\u{1B}" else {
        rest = rest.behindEscape
        continue
      }
      used += character.columns
      if used > columns { (rows, used) = (rows + 1, character.columns) }
    }
    return (rows, used)
  }
}

extension Substring {
  /// What follows an escape sequence whose ESC was taken (ECMA-48, 5.3 to 5.6).
  fileprivate var behindEscape: Substring {
    switch first {
    // A colour, or a move: ESC [ … and a letter.
    case "[": drop { !$0.isLetter }.dropFirst()
    // A picture, which may be long: ESC P … ESC \.
    case "P": self[(utf8.firstIndex(of: 0x1B) ?? endIndex)...].dropFirst(2)
    default: dropFirst()
    }
  }
}
