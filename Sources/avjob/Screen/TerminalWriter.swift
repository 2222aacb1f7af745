import Glibc

/// Writes to a terminal without ever waiting for it: one that was stopped (Ctrl-S), or that nobody
/// reads, gets the rest when it takes something again. Anything else is written to as ever.
///
/// Of one thread.
final class TerminalWriter {
  private let stream: StandardStream
  /// The terminal once more: that it does not wait is told of an opening, and the stream's own is
  /// shared with the shell. Nil where there is no terminal, or where it cannot be opened again.
  private let descriptor: Int32?
  private var rest: [UInt8] = []

  init(_ stream: StandardStream) {
    self.stream = stream
    guard stream.terminal != nil else {
      descriptor = nil
      return
    }
    let opened = open(
      "/proc/self/fd/\(stream.rawValue)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    descriptor = opened < 0 ? nil : opened
  }

  deinit { if let descriptor { close(descriptor) } }

  /// Whether all is written, and there is room for more.
  var hasRoom: Bool {
    flush()
    return rest.isEmpty && stream.hasRoom
  }

  /// Writes text behind what still waits.
  func write(_ text: String) {
    guard descriptor != nil else { return stream.write(text) }
    rest += text.utf8
    flush()
  }

  private func flush() {
    guard let descriptor else { return }
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      // One that was closed takes nothing any more.
      rest.removeFirst(count < 0 ? rest.count : count)
    }
  }
}
