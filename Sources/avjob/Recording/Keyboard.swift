import Glibc

/// Keys as they are pressed, without Enter and without echo, from the terminal that is standard input.
///
/// The terminal is as it was once this is closed, and where the process crashes. One at a time.
final class Keyboard {
  private var saved: termios
  private var isOpen = true

  /// What the handler of crashes puts back.
  //
  // `nonisolated(unsafe)`: written by `open` before the handler is installed, and by nobody after.
  private nonisolated(unsafe) static var original = termios()

  private init(_ saved: termios) { self.saved = saved }

  deinit { close() }

  /// Takes the keyboard; nil where standard input is no terminal, or another job of the shell has it.
  static func open() -> Keyboard? {
    var saved = termios()
    guard isatty(0) == 1, tcgetpgrp(0) == getpgrp(), tcgetattr(0, &saved) == 0 else { return nil }
    original = saved
    restoreAfterCrash()
    var raw = saved
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // Ctrl-C stays a signal; Ctrl-Z would stop the process, and with it the recording.
    withUnsafeMutableBytes(of: &raw.c_cc) { codes in
      codes[Int(VSUSP)] = 0
      codes[Int(VMIN)] = 0
      codes[Int(VTIME)] = 0
    }
    guard tcsetattr(0, TCSADRAIN, &raw) == 0 else { return nil }
    return Keyboard(saved)
  }

  /// What was pressed, after a while at most.
  func keys(within milliseconds: Int32) -> [UInt8] {
    var entry = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, milliseconds) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(0, &bytes, bytes.count)
    guard count > 0 else {
      // A terminal that is gone would be ready for ever.
      usleep(UInt32(milliseconds) * 1000)
      return []
    }
    return Array(bytes.prefix(count))
  }

  /// Gives the terminal back as it was.
  func close() {
    guard isOpen else { return }
    isOpen = false
    tcsetattr(0, TCSADRAIN, &saved)
  }

  private static func restoreAfterCrash() {
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        // tcsetattr(3) may be called in a handler (signal-safety(7)); the default comes next.
        tcsetattr(0, TCSANOW, &Keyboard.original)
        raise(number)
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
      sigaction(number, &action, nil)
    }
  }
}
