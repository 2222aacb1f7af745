import Glibc

/// Detects a device that is open and dead: its server hangs or has ended, and no frame moves. A
/// live device moves frames between two xruns, and within some periods. A value that neither
/// allocates nor locks, for the thread that transfers.
struct DeviceLiveness {
  private var xruns = 0
  /// The time of the first failed transfer since the last frame, in nanoseconds.
  private var stall: Int64?

  /// Xruns in a row without a frame between them: a thread that is late causes one or two.
  private static let mostXruns = 8
  /// Nanoseconds without a frame: devices move some at least twice a second.
  private static let longestStall: Int64 = 2_000_000_000
  /// The same before the first frame: a server's device without a stream may have filled itself with
  /// two seconds of silence.
  private static let longestStart: Int64 = 5_000_000_000

  /// Resets the state after a transfer, or after a drop.
  mutating func noteTransfer() { (xruns, stall) = (0, nil) }

  /// Counts an xrun; returns whether the device is dead.
  mutating func noteXrun() -> Bool {
    xruns += 1
    return xruns > Self.mostXruns
  }

  /// Records a failed transfer at a time of the monotonic clock; returns whether the device is
  /// dead. `isStarting`: whether it has played nothing since it was opened or silent.
  mutating func noteStall(
    at now: Int64 = monotonicNanoseconds(), isStarting: Bool = false
  ) -> Bool {
    let start = stall ?? now
    stall = start
    return now - start >= (isStarting ? Self.longestStart : Self.longestStall)
  }
}

/// CLOCK_MONOTONIC, in nanoseconds: it stands still while the machine sleeps. Does not allocate.
func monotonicNanoseconds() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// CLOCK_BOOTTIME, in nanoseconds: it counts while the machine sleeps (clock_gettime(2)).
func bootNanoseconds() -> Int64 { nanoseconds(of: CLOCK_BOOTTIME) }

private func nanoseconds(of clock: clockid_t) -> Int64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
