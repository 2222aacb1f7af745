import Glibc

internal import CTerminal

/// The terminal of a command that is used by keys: they come one by one, and unseen, and no cursor
/// stands in what is drawn. Ctrl-C, Ctrl-Z and Ctrl-\ are signals as ever.
///
/// However the process ends, the terminal is put back: by `leave`, when this goes, and by a handler of
/// the signals that end processes that crash; it runs also where the stack of the thread that made this,
/// or of one of `Thread`'s, has overflowed. Not after SIGKILL, which no process can handle.
///
/// One at a time; one thread uses it.
final class TerminalMode {
  private let input: Int32?
  private let output: Int32?
  /// `output`, opened once more to be written without blocking: O_NONBLOCK would hold for every process
  /// that shares the descriptor.
  private let ownOutput: Int32?
  /// Whether the terminal is ours now.
  private(set) var isTaken = false

  /// Takes nothing yet.
  ///
  /// - Parameters:
  ///   - input: The terminal that keys come from; nil: none do.
  ///   - output: The terminal that is drawn on; nil: none.
  init(input: Int32?, output: Int32?) {
    self.input = input
    self.output = output
    let opened = output.map {
      open("/proc/self/fd/\($0)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    ownOutput = opened.flatMap { $0 < 0 ? nil : $0 }
    avjob_terminal_arm()
  }

  deinit {
    leave()
    avjob_terminal_disarm()
    if let ownOutput { close(ownOutput) }
  }

  /// Takes the terminal, where this process is in its foreground; otherwise it is a shell's, or
  /// another program's.
  ///
  /// - Returns: Whether it is ours now.
  @discardableResult
  func enter() -> Bool {
    guard !isTaken else { return true }
    guard let terminal = input ?? output, isInForeground(terminal) else { return false }
    isTaken = true
    if avjob_terminal_take(input ?? -1, ownOutput ?? output ?? -1) != 0 { leave() }
    return isTaken
  }

  /// Puts the terminal back as it was found.
  func leave() {
    guard isTaken else { return }
    isTaken = false
    avjob_terminal_put_back()
  }

  /// Whether this process's group is in the terminal's foreground; also where it is no controlling
  /// terminal, and has no foreground.
  private func isInForeground(_ terminal: Int32) -> Bool {
    let group = tcgetpgrp(terminal)
    return group < 0 || group == getpgrp()
  }
}
