import Glibc
import Synchronization

/// One of the streams that the process was started with.
enum StandardStream: Int32 {
  case output = 1
  case error = 2

  /// The terminal at the other end, or nil where there is none that can redraw lines.
  ///
  /// `NO_COLOR` takes its colours away (no-color.org: where it is set and not empty).
  var terminal: Terminal? {
    let kind = environment("TERM")
    guard isatty(rawValue) == 1, !kind.isEmpty, kind != "dumb" else { return nil }
    var size = winsize()
    let isKnown = ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return Terminal(
      columns: isKnown ? Int(size.ws_col) : 80, rows: isKnown ? Int(size.ws_row) : 24,
      isColored: environment("NO_COLOR").isEmpty, rewraps: rewraps(kind))
  }

  /// Whether lines that are longer than a window has become are broken there, as most terminals do;
  /// the others cut them off: xterm itself, the console of Linux, GNU screen.
  private func rewraps(_ kind: String) -> Bool {
    // tmux does, and passes on what it was started in.
    guard environment("TMUX").isEmpty else { return true }
    return environment("XTERM_VERSION").isEmpty && environment("STY").isEmpty && kind != "linux"
  }

  /// Whether it takes some text now, so that a write does not wait for a reader that is slow, or for a
  /// terminal that was stopped.
  var hasRoom: Bool {
    var polled = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  /// Why something that was to go to standard output did not get there; nil where all did.
  static var lossOfOutput: String? {
    let code = firstError.load(ordering: .relaxed)
    return code == 0 ? nil : String(cString: strerror(code))
  }

  private static let firstError = Atomic<Int32>(0)

  /// Writes all of `text`. What cannot be written is left out: of results, `lossOfOutput` then says
  /// why; of messages, there is nobody to tell.
  func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(rawValue, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else {
          if self == .output {
            _ = Self.firstError.compareExchange(
              expected: 0, desired: count < 0 ? errno : EIO, ordering: .relaxed)
          }
          return
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// All that standard input gives.
  static func readInput() -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(0, &block, block.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
    }
  }

  private func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }
}
