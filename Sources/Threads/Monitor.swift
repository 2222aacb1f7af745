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
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Runs `body` on the state, then wakes all who wait, so that they look at it again.
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    defer { pthread_cond_broadcast(changed) }
    return body(&state)
  }

  /// Asks `body` now and after every change of the state, until it answers.
  ///
  /// `body` may change the state, together with its answer: those who wait are woken then.
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
}
