import Synchronization

/// A request to stop, set once and visible to every holder of the flag.
///
/// Safe from any thread, but not from a signal handler: take signals with `sigwait` on a thread of
/// their own.
package final class CancellationFlag: Sendable {
  private let cancelled = Atomic<Bool>(false)
  private let observers = Mutex<[ObjectIdentifier: Observer]>([:])

  private final class Observer: Sendable {
    let notify: @Sendable () -> Void
    init(_ notify: @escaping @Sendable () -> Void) { self.notify = notify }
  }

  /// A flag that is not set.
  package init() {}

  /// Whether stopping was requested: one atomic load, cheap enough for inner loops and for
  /// FFmpeg's `AVIOInterruptCB`.
  package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// The flag that ends what this thread does: its reads of files, and its waits for servers. Set
  /// within `endingReads`, and on threads of a `Crew`; nil elsewhere.
  @TaskLocal package static var current: CancellationFlag?

  /// Runs `body`; once this flag is set, reads of files in it fail (`ECANCELED`), and waits for
  /// servers end. What `body` has to clean up needs neither.
  package func endingReads<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Self.$current.withValue(self) {
      Swift.Result { () throws(Failure) in try body() }
    }.get()
  }

  /// Requests a stop. Only the first call has an effect.
  package func cancel() {
    guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    for observer in observers.withLock({ Array($0.values) }) { observer.notify() }
  }

  /// Runs `body`; a `cancel()` before its end calls `notify`, at least once, on the cancelling or
  /// on this thread.
  ///
  /// For waking whatever `body` waits on. `notify` must not block, and may still be called shortly
  /// after this returns.
  package func whileNotifying<Result>(
    _ notify: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    let observer = Observer(notify)
    observers.withLock { $0[ObjectIdentifier(observer)] = observer }
    defer { _ = observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) } }
    // A cancellation before the observer stood in the table has not seen it.
    if isCancelled { notify() }
    return try body()
  }
}
