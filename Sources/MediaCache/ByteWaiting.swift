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

  /// Waits until `body` returns a value of what `monitor` guards, and calls `keepsWaiting` meanwhile.
  ///
  /// - Throws: `Failure` where that ends the wait, or the cache or the thread's work
  ///   (`CancellationFlag.current`) was cancelled.
  static func wait<State, Result>(
    for monitor: Monitor<State>, of url: MediaURL, in cache: MediaCache,
    until body: (inout State) -> Result?
  ) throws(Failure) -> Result {
    while true {
      let due = ContinuousClock.now + .milliseconds(20)
      let found: Result? = monitor.wait { state -> Monitor<State>.Answer<Result?> in
        if let result = body(&state) { return .now(result) }
        return due <= .now ? .now(nil) : .later(by: due)
      }
      if let found { return found }
      guard goesOn(in: cache) else { throw Failure(HTTPError.cancelled, of: url) }
    }
  }

  /// Whether this thread may wait on. Called without any lock.
  static func goesOn(in cache: MediaCache) -> Bool {
    !cache.isCancelled && current?.keepsWaiting() != false
      && CancellationFlag.current?.isCancelled != true
  }
}
