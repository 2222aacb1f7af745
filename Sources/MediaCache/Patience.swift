/// Distinguishes a process that stands still, as after Ctrl-Z, from one that is slow: by something that
/// it would change.
struct Patience<Trace: Equatable & Sendable>: Sendable {
  private let time: Duration
  private var trace: Trace
  private var start = ContinuousClock.now
  private var isOver = false

  /// Begins to wait.
  ///
  /// - Parameters:
  ///   - time: How long nothing may change.
  ///   - trace: What would change.
  init(_ time: Duration, _ trace: Trace) { (self.time, self.trace) = (time, trace) }

  /// Looks whether nothing has changed for too long.
  ///
  /// - Parameter look: What would change, as it is now; called once in `time`.
  /// - Returns: Whether that is so; once it is, it stays so.
  mutating func hasEnded(_ look: () throws -> Trace) rethrows -> Bool {
    if isOver { return true }
    guard ContinuousClock.now - start >= time else { return false }
    let newer = try look()
    isOver = newer == trace
    (trace, start) = (newer, .now)
    return isOver
  }
}
