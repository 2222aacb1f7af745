import Glibc

internal import CThreads

/// A bell between threads that can be waited for together with devices: an eventfd(2).
///
/// Ringing neither blocks, allocates nor locks, so that a thread that must not do any of these may
/// ring; rings before somebody waits count as one. Safe from any thread.
package final class WakeUp: Sendable {
  /// For poll(2): readable once it was rung; valid while this lives.
  package let descriptor: Int32

  /// A bell that was not rung.
  ///
  /// - Throws: The errno of eventfd(2), where the process has no descriptor left.
  package init() throws(ChildProcess.SystemError) {
    descriptor = avjob_eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
    guard descriptor >= 0 else {
      throw ChildProcess.SystemError(errno: errno, call: "eventfd")
    }
  }

  deinit { close(descriptor) }

  /// Wakes who waits, or the next who will.
  package func ring() {
    var one: UInt64 = 1
    // It fails only where 2^64 − 1 rings were not heard yet: whoever waits is woken then, too.
    _ = write(descriptor, &one, 8)
  }

  /// Forgets the rings so far.
  package func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }

  /// Waits until it is rung, for some time at most, and forgets the rings so far.
  ///
  /// - Returns: Whether it was rung.
  @discardableResult
  package func wait(milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, milliseconds) > 0 else { return false }
    clear()
    return true
  }
}
