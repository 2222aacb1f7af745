import Terminal
import WorkerPool

/// Shows a run while it goes on: lines that are redrawn on a terminal, plain lines elsewhere.
///
/// Used on one thread. `write` gets whole pieces of text to put on standard error.
struct ProgressScreen {
  private var state: ProgressState
  private let isVerbose: Bool
  private let terminal: () -> TerminalTraits?
  private let write: (String) -> Void
  private var drawing = Drawing()
  private var log: ProgressLog

  /// - Parameters:
  ///   - names: The jobs' names, in their order.
  ///   - estimates: How much work each is thought to be.
  ///   - isVerbose: Whether each job's start and end are told, also on a terminal.
  ///   - terminal: Asked before each drawing, since windows change; nil where there is none.
  ///   - write: Where the text goes.
  init(
    names: [String], estimates: [Duration] = [], isVerbose: Bool = false,
    terminal: @escaping () -> TerminalTraits?, write: @escaping (String) -> Void
  ) {
    state = ProgressState(names: names, estimates: estimates)
    log = ProgressLog(jobCount: names.count, isVerbose: isVerbose)
    self.isVerbose = isVerbose
    self.terminal = terminal
    self.write = write
  }

  /// Shows what happened to a job, `now` being the present.
  ///
  /// A terminal is redrawn at most ten times a second.
  mutating func show(_ event: RunEvent, at now: ContinuousClock.Instant) {
    let before = state
    state.apply(event)
    guard let terminal = terminal() else {
      for line in log.lines(for: event, before: before, after: state) { write(line + "\n") }
      return
    }
    let lines =
      isVerbose
      ? log.lines(for: event, before: before, after: state, tellsProgress: false) : stays(event)
    guard lines.isEmpty else { return print(lines.joined(separator: "\n"), at: now) }
    guard drawing.isDue(at: now) else { return }
    let moving = TerminalLines.lines(for: state, at: now, on: terminal)
    write(drawing.draw(moving, at: now, on: terminal))
  }

  /// What is said on a terminal for good: why a job ran, where somebody asked.
  private func stays(_ event: RunEvent) -> [String] {
    guard case .finished(_, let reason?) = event.kind, state.names.indices.contains(event.job)
    else { return [] }
    return ["\(state.names[event.job]): \(reason.printable)"]
  }

  /// Puts lines of text above the moving part, where they stay: a warning, a failure.
  mutating func print(_ text: String, at now: ContinuousClock.Instant) {
    guard let terminal = terminal() else { return write(text + "\n") }
    let lines = TerminalLines.lines(for: state, at: now, on: terminal)
    write(
      drawing.erase(on: terminal) + text + "\n" + drawing.draw(lines, at: now, on: terminal))
  }

  /// Takes the moving part away, so that whatever follows starts on an empty line.
  mutating func close() {
    let erased = drawing.erase(on: terminal())
    if !erased.isEmpty { write(erased) }
  }
}
