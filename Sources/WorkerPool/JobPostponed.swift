/// What a runner throws if its job cannot start now, but later: another process has it.
///
/// The pool runs other jobs first, and calls the runner again when the time has passed. It is no
/// attempt, and no failure.
public struct JobPostponed: Error, Sendable, Hashable {
  /// How long to wait at least.
  public var after: Duration

  /// A request for another call `after` a while.
  public init(after: Duration) { self.after = after }
}
