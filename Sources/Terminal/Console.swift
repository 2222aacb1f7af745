import Glibc
import Threads

/// The terminal of a command that runs until a key or a signal ends it: takes the terminal, waits for
/// keys and signals, and gives the terminal back, however the command ends.
///
/// One thread uses it. A loop calls `wait`, then `nextSignal` until it is nil, then `keys`, since a
/// signal may mean that another process has the terminal now.
package final class Console {
  /// Whether there is a keyboard at standard input.
  package let hasKeyboard: Bool
  /// Whether there is a terminal to be taken.
  private let hasTerminal: Bool
  private let signals: SignalQueue
  private let mode: TerminalMode
  private var reader = KeyReader()
  private var lastInput = ContinuousClock.now
  /// Whether the keyboard is still there.
  private var isOpen: Bool

  /// Between two attempts to write what was not taken, in milliseconds.
  private static let flushPause: Int32 = 50
  /// Between two looks whether the command is in the foreground, in milliseconds.
  private static let backgroundPause: Int32 = 300
  /// The rest of a sequence follows Escape sooner, also over slow lines.
  private static let escapePause = Duration.milliseconds(50)

  /// A console that takes nothing yet.
  ///
  /// - Parameters:
  ///   - signals: Of `catchSignals`.
  ///   - stream: Drawn on, where it is a terminal.
  package init(_ signals: SignalQueue, drawingOn stream: StandardStream) {
    self.signals = signals
    hasKeyboard = isatty(0) == 1
    isOpen = hasKeyboard
    hasTerminal = hasKeyboard || stream.terminal != nil
    mode = TerminalMode(
      input: hasKeyboard ? 0 : nil, output: stream.terminal == nil ? nil : stream.rawValue)
  }

  /// Lets the signals that such a command answers wait for `nextSignal`, from now on. To be called
  /// before any thread is started that lives on.
  ///
  /// A hang-up that was switched off before the command started (`nohup`) stays so.
  package static func catchSignals() throws(ChildProcess.SystemError) -> SignalQueue {
    // A file that may not grow is an error of a write.
    signal(SIGXFSZ, SIG_IGN)
    return try SignalQueue(
      (SignalDisposition.isIgnored(SIGHUP) ? [] : [SIGHUP])
        + [SIGINT, SIGTERM, SIGWINCH, SIGTSTP, SIGCONT])
  }

  // MARK: The terminal

  /// Whether it is this command's now.
  package var isTaken: Bool { mode.isTaken }

  /// Takes it, where the command is in its foreground.
  ///
  /// - Returns: Whether it is this command's now.
  @discardableResult
  package func enter() -> Bool { mode.enter() }

  /// Takes it where the command has come into its foreground meanwhile: a shell sends SIGCONT only to
  /// commands that it has stopped.
  ///
  /// - Returns: Whether it is this command's since now.
  package func returns() -> Bool { !isTaken && mode.enter() }

  /// Gives it back as it was.
  package func leave() { mode.leave() }

  /// Gives the terminal back for good. From here on a signal ends the process at once, so that nothing
  /// that is still to be closed, such as a device that does not answer, can keep it.
  package func end() {
    mode.leave()
    signals.unblock()
  }

  /// Takes it again after another process had it, and may have left it in another mode.
  ///
  /// - Returns: Whether it is this command's now.
  @discardableResult
  package func enterAnew() -> Bool {
    mode.leave()
    return mode.enter()
  }

  /// Ctrl-Z: gives the terminal back, and stops the process until a shell continues it.
  ///
  /// - Returns: The other signals that came meanwhile.
  package func suspend() -> [Int32] {
    mode.leave()
    signals.stopProcess()
    var others: [Int32] = []
    // Among them the one that woke us.
    while let signal = signals.next() {
      if signal != SIGCONT, signal != SIGTSTP { others.append(signal) }
    }
    return others
  }

  // MARK: What comes

  /// Waits until there is a key or a signal, `descriptor` is readable, or the time is over; −1: it
  /// never is. Before it, what was not taken of what was written is tried again, and soon once more.
  package func wait(or descriptor: Int32, milliseconds: Int32) {
    let input = isOpen && isTaken ? Int32(0) : -1
    var polled = [input, signals.descriptor, descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let most = [
      milliseconds, StandardStream.flush() ? -1 : Self.flushPause,
      reader.isWaiting ? Int32(Self.escapePause / .milliseconds(1)) : -1,
      hasTerminal && !isTaken ? Self.backgroundPause : -1,
    ].filter { $0 >= 0 }.min()
    poll(&polled, nfds_t(polled.count), most ?? -1)
  }

  /// The next signal that waits; nil: none does.
  package func nextSignal() -> Int32? { signals.next() }

  /// The keys that were pressed; none while the terminal is another's.
  package func keys() -> [Key] {
    guard isOpen, isTaken else { return [] }
    var polled = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, 0) > 0 else {
      // Nothing has followed for long enough.
      let isOver = reader.isWaiting && lastInput.duration(to: .now) >= Self.escapePause
      return isOver ? reader.endOfPause() : []
    }
    var block = [UInt8](repeating: 0, count: 256)
    let count = read(0, &block, block.count)
    guard count > 0 else {
      // A terminal that was closed; it says so once more by SIGHUP.
      if count == 0 || errno != EINTR { isOpen = false }
      return []
    }
    lastInput = .now
    return reader.keys(block[..<count])
  }
}
