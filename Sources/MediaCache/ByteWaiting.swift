import Diagnosis
import HTTP
import Threads

/// What a thread does while it waits for bytes of a server: a player then stays responsive, although
/// the demuxer below it can only block.
//
// `@unchecked Sendable`: the value is bound on a thread without tasks, and only that thread reads it.
package struct ByteWaiting: @unchecked Sendable {
  /// Called on the waiting thread, without any lock, about every 20 ms; false ends the wait, and the
  /// read fails.
  let keepsWaiting: () -> Bool

  @TaskLocal static var current: ByteWaiting?

  /// Runs `body`. While a read in it waits for bytes, `keepsWaiting` is called on this thread.
  package static func watched<Result>(
    by keepsWaiting: @escaping () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    try $current.withValue(ByteWaiting(keepsWaiting: keepsWaiting), operation: body)
  }

  /// Whether this thread does something while it waits, or its work can be cancelled meanwhile.
  package static var isWatched: Bool { current != nil || CancellationFlag.current != nil }

  /// Waits until `body` returns a value of what `monitor` guards, and calls `keepsWaiting` meanwhile.
  ///
  /// - Parameters:
  ///   - monitor: Guards what is awaited.
  ///   - isOver: Asked about every 20 ms; true ends the wait.
  ///   - body: As of `Monitor.wait`.
  /// - Returns: The value; nil where the wait was ended, also by the thread's work
  ///   (`CancellationFlag.current`), if it was cancelled.
  package static func wait<State, Result>(
    for monitor: Monitor<State>, unless isOver: () -> Bool, until body: (inout State) -> Result?
  ) -> Result? {
    while true {
      let due = ContinuousClock.now + .milliseconds(20)
      let found: Result? = monitor.wait { state -> Monitor<State>.Answer<Result?> in
        if let result = body(&state) { return .now(result) }
        return due <= .now ? .now(nil) : .later(by: due)
      }
      if let found { return found }
      guard goesOn(unless: isOver) else { return nil }
    }
  }

  /// Whether this thread may wait on. Called without any lock.
  private static func goesOn(unless isOver: () -> Bool) -> Bool {
    !isOver() && current?.keepsWaiting() != false && CancellationFlag.current?.isCancelled != true
  }

  /// Whether this thread may wait on for bytes of a server. Called without any lock.
  static func goesOn(in cache: MediaCache) -> Bool { goesOn { cache.isCancelled } }

  /// Runs a call that blocks: on another thread where this one is watched, so that the wait for it can
  /// be ended; its result is then thrown away.
  ///
  /// - Parameters:
  ///   - isOver: As of `wait(for:unless:until:)`.
  ///   - body: The call.
  /// - Returns: Its result; nil where the wait was ended.
  /// - Throws: `Thread.SpawnError`
  package static func run<Result: Sendable>(
    unless isOver: () -> Bool, _ body: @escaping @Sendable () -> Result
  ) throws -> Result? {
    guard isWatched else { return body() }
    let outcome = Monitor<Result?>(nil)
    _ = try Thread.spawn(name: "avjob-source", stackSize: 1 << 20) {
      let result = body()
      outcome.withLock { $0 = result }
    }
    return wait(for: outcome, unless: isOver) { $0 }
  }

  /// `wait(for:unless:until:)` for bytes of a server.
  ///
  /// - Throws: `Failure` where that ends the wait, or the cache was cancelled.
  static func wait<State, Result>(
    for monitor: Monitor<State>, of url: MediaURL, in cache: MediaCache,
    until body: (inout State) -> Result?
  ) throws(Failure) -> Result {
    let found = wait(for: monitor, unless: { cache.isCancelled }, until: body)
    guard let found else { throw Failure(HTTPError.cancelled, of: url) }
    return found
  }
}
