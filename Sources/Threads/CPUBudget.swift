import Synchronization

/// The machine's cores, as permits that jobs and encoders lease.
///
/// Made once by the door and handed down, so that cores are neither idle nor oversubscribed.
/// Safe from any thread.
public final class CPUBudget: Sendable {
  public let total: Int
  private let free: Mutex<Int>

  public init(total: Int) {
    self.total = max(1, total)
    free = Mutex(max(1, total))
  }

  /// Takes one core if one is free.
  public func tryLease() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  /// Gives one core back.
  public func release() { free.withLock { $0 += 1 } }
}
