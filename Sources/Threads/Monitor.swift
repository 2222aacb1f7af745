import Glibc

/// State behind a lock, with a condition to wait on: what `Synchronization.Mutex` lacks.
///
/// Blocks the calling thread, so it is for threads of our own and never for Swift's cooperative
/// pool.
//
// `@unchecked Sendable`: `state` is touched only inside `withLock` and `wait`, that is, by the one
// thread that holds `lock`; `lock` and `changed` are heap memory that lives exactly as long as
// this object, at one address, as POSIX demands of both.
package final class Monitor<State>: @unchecked Sendable {
  private var state: State
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  /// A lock around `state`.
  package init(_ state: State) {
    self.state = state
    lock = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The clock of time limits: it cannot be set, as the default one can.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Runs `body` on the state, then wakes all waiting threads, so that they look at it again.
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    defer { pthread_cond_broadcast(changed) }
    return body(&state)
  }

  /// Calls `body` now and after every change of the state, until it returns a value.
  ///
  /// `body` may change the state, together with its answer: waiting threads are then woken.
  package func wait<Result>(until body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = body(&state) {
        pthread_cond_broadcast(changed)
        return result
      }
      pthread_cond_wait(changed, lock)
    }
  }

  /// The result of `body` in a `wait` that may have to look again by itself.
  package enum Answer<Result> {
    /// The wait is over.
    case now(Result)
    /// `body` is called again after a change of the state, or at that time, whichever comes first;
    /// nil: only after a change.
    case later(by: ContinuousClock.Instant?)
  }

  /// Calls `body` now, after every change of the state, and at the time that it returned.
  ///
  /// `body` may change the state, together with its answer: waiting threads are then woken.
  package func wait<Result>(for body: (inout State) -> Answer<Result>) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      switch body(&state) {
      case .now(let result):
        pthread_cond_broadcast(changed)
        return result
      case .later(by: nil): pthread_cond_wait(changed, lock)
      case .later(by: let instant?):
        // No wait is longer than an hour, so that no sum of seconds overflows.
        let rest = min(max(.zero, ContinuousClock.now.duration(to: instant)), .seconds(3600))
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(rest.components.attoseconds / 1_000_000_000)
        time.tv_sec += Int(rest.components.seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(changed, lock, &time)
      }
    }
  }
}
