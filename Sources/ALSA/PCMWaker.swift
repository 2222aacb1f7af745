import Glibc

internal import CALSA

/// Wakes the thread that waits for a device (`eventfd(2)`).
///
/// Belongs to who sends orders to that thread: it outlives the device, which may be unplugged and
/// opened again. Several wakes before the next wait are one.
package final class PCMWaker: Sendable {
  let descriptor: Int32

  /// One that nobody has woken yet.
  ///
  /// - Throws: Where the process has no descriptor left.
  package init() throws(ALSAError) {
    descriptor = avjob_eventfd()
    guard descriptor >= 0 else { throw ALSAError(code: errno, call: "eventfd") }
  }

  deinit { close(descriptor) }

  /// Ends the wait that is under way, or else the next one. Safe from any thread, and from a signal
  /// handler.
  package func wake() {
    var one: UInt64 = 1
    // Full only after 2^64 − 1 wakes, and then it is awake anyway.
    _ = Glibc.write(descriptor, &one, 8)
  }

  /// Waits without a device, as for one that is to be plugged in again.
  ///
  /// - Parameter limit: Not above an hour; more is cut.
  /// - Returns: Whether it was woken.
  package func wait(upTo limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let rest = milliseconds(until: end)
      if poll(&entry, 1, rest) > 0 { return takeWakes() }
      if rest == 0 { return false }
    }
  }

  /// Whether there were any since the last time.
  func takeWakes() -> Bool {
    var count: UInt64 = 0
    return Glibc.read(descriptor, &count, 8) == 8
  }
}

/// Whole milliseconds, rounded up so that nobody wakes before the time, as poll(2) wants them.
func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
  let rest = min(max(.zero, ContinuousClock.now.duration(to: end)), .seconds(3600)).components
  let fraction = (rest.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  return Int32(truncatingIfNeeded: rest.seconds * 1000 + fraction)
}
