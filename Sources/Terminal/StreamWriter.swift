import Files
import Glibc

/// Writes to a stream without blocking: a stopped terminal (Ctrl-S) or a full pipe gets the rest when it
/// takes bytes again.
///
/// One thread at a time uses it. Its descriptor stays open as long as the process lives.
struct StreamWriter {
  private let descriptor: Int32
  /// The same terminal or pipe, opened once more: O_NONBLOCK belongs to an open file description, and the
  /// shell shares the stream's own. Nil where it cannot be opened again, or never blocks.
  private let ownDescriptor: Int32?
  private var rest: [UInt8] = []
  /// The errno of the first write that failed; what was to be written since then is left out.
  private(set) var failure: Int32?

  /// What a stream takes at once where it says that it takes some, and waits only for more: of a pipe
  /// (PIPE_BUF), and of a socket.
  private static let safeCount = 512

  /// One that has written nothing yet to a descriptor, which stays the caller's.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    let isPipe = (try? FileStatus(of: descriptor))?.kind == .pipe
    guard isPipe || isatty(descriptor) == 1 else {
      ownDescriptor = nil
      return
    }
    let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    ownDescriptor = opened < 0 ? nil : opened
  }

  /// Whether all is written, as far as the system reports it.
  var isIdle: Bool { rest.isEmpty }

  /// Whether all is written, and there is room for more.
  mutating func hasRoom() -> Bool {
    flush()
    return rest.isEmpty && isReady(milliseconds: 0)
  }

  /// Writes text behind what still waits.
  mutating func write(_ text: String) {
    rest += text.utf8
    flush()
  }

  /// Writes what is taken now of what waits.
  mutating func flush() {
    while !rest.isEmpty {
      if ownDescriptor == nil, !isReady(milliseconds: 0) { return }
      let most = ownDescriptor == nil ? min(rest.count, Self.safeCount) : rest.count
      let count = rest.withUnsafeBytes {
        Glibc.write(ownDescriptor ?? descriptor, $0.baseAddress, most)
      }
      let code = count < 0 ? errno : EIO
      if count > 0 {
        rest.removeFirst(count)
      } else if code == EAGAIN {
        return
      } else if code != EINTR {
        // One that was closed takes nothing any more.
        failure = failure ?? code
        rest = []
      }
    }
  }

  /// Waits until all is written, or the time is over; what was not taken then is left out.
  mutating func finish(by deadline: ContinuousClock.Instant) {
    flush()
    while !rest.isEmpty {
      let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
      guard left > 0 else { return rest = [] }
      if isReady(milliseconds: Int32(left.rounded(.up))) { flush() }
    }
  }

  private func isReady(milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&polled, 1, milliseconds) > 0
  }
}
