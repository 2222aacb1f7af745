import Terminal

/// The moving part of the screen: a line for each running job, one for what is fetched from servers,
/// and one for the whole run.
enum TerminalLines {
  /// The lines to show now, none wider than the terminal and no more than fit above its last row.
  static func lines(
    for tally: RunTally, fetching: String? = nil, at now: ContinuousClock.Instant,
    on terminal: TerminalTraits
  ) -> [String] {
    // The last column stays empty: some terminals break the line after writing into it.
    let width = max(0, terminal.columns - 1)
    let hasSummary = tally.total > 1
    let room = max(1, terminal.rows - (hasSummary ? 2 : 1) - (fetching == nil ? 0 : 1))
    let shown = tally.running.prefix(room)
    let characters = terminal.characters
    let layout = Layout(names: shown.map { characters.text($0.name) }, width: width, characters)
    var lines = shown.map { layout.line(for: $0, at: now, isColored: terminal.isColored) }
    if let fetching {
      lines.append(fetching.shortened(to: width, marking: characters.ellipsis))
    }
    if hasSummary {
      var parts = tally.summary(at: now)
      let hidden = tally.running.count - shown.count
      if hidden > 0 { parts.append("\(hidden) not shown") }
      while parts.count > 1, parts.joined(separator: ", ").columns > width { parts.removeLast() }
      lines.append(
        characters.text(parts.joined(separator: ", "))
          .shortened(to: width, marking: characters.ellipsis))
    }
    return lines
  }
}

/// How a line's width is shared out: figures first, then the bar, then the name.
private struct Layout {
  let width: Int
  let nameWidth: Int
  let barWidth: Int
  let hasFigures: Bool
  let characters: CharacterSet

  /// ` 100 %`, ` 1234.5×`, ` 1:02:03 left`.
  private static let percentWidth = 6
  private static let speedWidth = 8
  private static let remainingWidth = 13

  init(names: [String], width: Int, _ characters: CharacterSet) {
    self.width = width
    self.characters = characters
    hasFigures = width >= 50
    let figures =
      Self.percentWidth + (hasFigures ? Self.speedWidth + Self.remainingWidth : 0)
    barWidth = width >= 70 ? 20 : width >= 60 ? 10 : 0
    let rest = width - figures - (barWidth > 0 ? barWidth + 2 : 0)
    nameWidth = max(0, min(rest, names.map(\.columns).max() ?? 0))
  }

  func line(
    for job: RunTally.RunningJob, at now: ContinuousClock.Instant, isColored: Bool
  ) -> String {
    var line = fitted(characters.text(job.name), to: nameWidth).padded(to: nameWidth)
    if barWidth > 0 { line += "  " + bar(job.fraction, isColored: isColored) }
    line += "\(Int(job.fraction * 100)) %".aligned(to: Self.percentWidth)
    guard hasFigures else { return fitted(line, to: width) }
    line += characters.text(job.speed(at: now) ?? "").aligned(to: Self.speedWidth)
    let remaining = job.remaining(at: now).map { Figures.clock($0) + " left" } ?? ""
    return line + remaining.aligned(to: Self.remainingWidth)
  }

  private func fitted(_ text: String, to columns: Int) -> String {
    text.shortened(to: columns, marking: characters.ellipsis)
  }

  private func bar(_ fraction: Double, isColored: Bool) -> String {
    let filled = Int(fraction * Double(barWidth))
    let done = String(repeating: characters.bar.done, count: filled)
    let rest = String(repeating: characters.bar.left, count: barWidth - filled)
    // ECMA-48, SGR: cyan, faint, default.
    return isColored ? "\u{1B}[36m\(done)\u{1B}[0;2m\(rest)\u{1B}[0m" : done + rest
  }
}
