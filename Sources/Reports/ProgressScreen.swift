import ExportEngine
import Terminal

/// Shows a run while it goes on: lines that are redrawn on a terminal, plain lines elsewhere.
///
/// Used on one thread. `write` gets whole pieces of text to put on standard error.
struct ProgressScreen {
  private let isVerbose: Bool
  private let terminal: () -> TerminalTraits?
  private let write: (String) -> Void
  private let transfer: () -> MediaNetwork.Transfer
  private var drawing = Drawing()
  private var fetches = FetchMeter()
  private var log: ProgressLog

  /// - Parameters:
  ///   - jobCount: How many jobs the run has.
  ///   - isVerbose: Whether each job's start and end are reported, also on a terminal.
  ///   - transfer: What comes over the network.
  ///   - terminal: Asked before each drawing, since windows change; nil where there is none.
  ///   - write: Takes the text.
  init(
    jobCount: Int, isVerbose: Bool = false,
    transfer: @escaping () -> MediaNetwork.Transfer,
    terminal: @escaping () -> TerminalTraits?, write: @escaping (String) -> Void
  ) {
    self.transfer = transfer
    log = ProgressLog(jobCount: jobCount, isVerbose: isVerbose)
    self.isVerbose = isVerbose
    self.terminal = terminal
    self.write = write
  }

  /// Shows an event that `tally` has taken in, `now` being the present.
  ///
  /// A terminal is redrawn at most ten times a second. `ended` is the job as it ran, where the event
  /// took it out of those that run.
  mutating func show(
    _ event: RunEvent, ended: RunTally.RunningJob?, _ tally: RunTally,
    at now: ContinuousClock.Instant
  ) {
    guard let terminal = terminal() else {
      for line in log.lines(for: event, ended: ended, tally) { write(line + "\n") }
      return
    }
    let lines =
      isVerbose
      ? log.lines(for: event, ended: ended, tally, hasProgress: false) : stays(event, tally)
    guard lines.isEmpty else { return print(lines.joined(separator: "\n"), tally, at: now) }
    guard drawing.isDue(at: now) else { return }
    let moving = movingLines(for: tally, at: now, on: terminal)
    write(drawing.draw(moving, at: now, on: terminal))
  }

  /// Draws what comes over the network, while no event comes.
  mutating func refresh(_ tally: RunTally, at now: ContinuousClock.Instant) {
    guard transfer().remainingBytes > 0, let terminal = terminal(), drawing.isDue(at: now) else {
      return
    }
    write(drawing.draw(movingLines(for: tally, at: now, on: terminal), at: now, on: terminal))
  }

  /// The lines that stay on a terminal: why a job ran, with `--explain`.
  private func stays(_ event: RunEvent, _ tally: RunTally) -> [String] {
    guard case .finished(_, let reason?) = event.kind,
      tally.names.indices.contains(event.job)
    else { return [] }
    return ["\(tally.names[event.job]): \(reason.printable)"]
  }

  /// Puts lines of text above the moving part, where they stay: a warning, a failure.
  mutating func print(_ text: String, _ tally: RunTally, at now: ContinuousClock.Instant) {
    guard let terminal = terminal() else { return write(text + "\n") }
    let lines = movingLines(for: tally, at: now, on: terminal)
    write(
      drawing.erase(on: terminal) + text + "\n" + drawing.draw(lines, at: now, on: terminal))
  }

  private mutating func movingLines(
    for tally: RunTally, at now: ContinuousClock.Instant, on terminal: TerminalTraits
  ) -> [String] {
    let fetching = fetches.line(for: transfer(), at: now)
    return TerminalLines.lines(for: tally, fetching: fetching, at: now, on: terminal)
  }

  /// Takes the moving part away, so that whatever follows starts on an empty line.
  mutating func close() {
    let erased = drawing.erase(on: terminal())
    if !erased.isEmpty { write(erased) }
  }
}
