/// Distinguishes a process that stands still, as after Ctrl-Z, from one that is slow: by something that
/// it would change.
struct Patience<Trace: Equatable & Sendable>: Sendable {
  private let time: Duration
  /// The last look.
  private var (trace, start): (Trace?, ContinuousClock.Instant) = (nil, .now)
  private var isOver = false

  /// - Parameter time: How long nothing may change.
  init(_ time: Duration) { self.time = time }

  /// Looks whether nothing has changed for too long.
  ///
  /// - Parameter look: What would change, as it is now; called at first, and once in `time`.
  /// - Returns: Whether that is so; once it is, it stays so.
  mutating func hasEnded(_ look: () throws -> Trace) rethrows -> Bool {
    guard !isOver, trace == nil || ContinuousClock.now - start >= time else { return isOver }
    let newer = try look()
    isOver = newer == trace
    (trace, start) = (newer, .now)
    return isOver
  }
}
