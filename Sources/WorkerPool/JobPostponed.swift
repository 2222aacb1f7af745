/// What a runner throws where its job cannot be begun now, but can later: another process is at it.
///
/// The pool takes other jobs first, and asks again when the time has passed. It is no attempt, and
/// no failure.
public struct JobPostponed: Error, Sendable, Hashable {
  /// How long it makes no sense to ask again.
  public var after: Duration

  /// A wish to be asked again `after` a while.
  public init(after: Duration) { self.after = after }
}
