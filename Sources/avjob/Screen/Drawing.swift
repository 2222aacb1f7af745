/// The moving part as it stands on the terminal now.
struct Drawing {
  private var lineCount = 0
  private var lastDrawn: ContinuousClock.Instant?

  /// Whether the last drawing was so long ago.
  func isDue(
    at now: ContinuousClock.Instant, after pause: Duration = .milliseconds(100)
  ) -> Bool {
    lastDrawn.map { $0.duration(to: now) >= pause } ?? true
  }

  /// The text that puts `lines` in the place of those that stand there, without flicker: each
  /// line is overwritten and what is left of the old ones is cleared (ECMA-48: CUU, EL, ED).
  mutating func draw(_ lines: [String], at now: ContinuousClock.Instant) -> String {
    let text = home() + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
    lineCount = lines.count
    lastDrawn = now
    return text
  }

  /// The text that takes the lines away; nothing where there are none.
  mutating func erase() -> String {
    guard lineCount > 0 else { return "" }
    defer { lineCount = 0 }
    return home() + "\u{1B}[J"
  }

  /// Leaves the lines where they are: the next ones are drawn below whatever comes now.
  mutating func abandon() { lineCount = 0 }

  /// To the start of the first line.
  private func home() -> String { lineCount > 0 ? "\u{1B}[\(lineCount)A\r" : "\r" }
}
