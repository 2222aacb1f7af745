import Glibc

internal import CThreads

/// A signal between threads that can be waited for together with devices: an eventfd(2).
///
/// `signal` neither blocks, allocates nor locks, for threads that must not do any of these. Signals
/// before a wait count as one. Safe from any thread.
package final class WakeUp: Sendable {
  /// For poll(2): readable after a signal; valid while this object lives.
  package let descriptor: Int32

  /// A wake-up without a signal.
  ///
  /// - Throws: The errno of eventfd(2), if the process has no descriptor left.
  package init() throws(ChildProcess.SystemError) {
    descriptor = avjob_eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
    guard descriptor >= 0 else {
      throw ChildProcess.SystemError(errno: errno, call: "eventfd")
    }
  }

  deinit { close(descriptor) }

  /// Wakes the waiting thread, or ends the next wait at once.
  package func signal() {
    var one: UInt64 = 1
    // It fails only after 2^64 − 1 signals without a wait: the thread is woken then, too.
    _ = write(descriptor, &one, 8)
  }

  /// Clears the signals so far.
  package func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }

  /// Waits for a signal, for some time at most, and clears the signals so far.
  ///
  /// - Returns: Whether there was a signal.
  @discardableResult
  package func wait(milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, milliseconds) > 0 else { return false }
    clear()
    return true
  }
}
