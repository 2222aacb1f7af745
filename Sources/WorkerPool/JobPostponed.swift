import Diagnosis

/// What a runner throws in place of `CancellationError` if its job had to be stopped by force while it
/// read a file.
package struct JobHung: Error, Sendable, Hashable {
  /// The medium.
  package var location: MediaLocation

  /// The job had not come back from reading the medium at `location`.
  package init(at location: MediaLocation) { self.location = location }
}

/// What a runner throws if its job cannot start now, since another process works on the same
/// outputs.
///
/// The pool runs other jobs first, and calls the runner again when the time has passed. It is no
/// attempt, and no failure.
package struct JobPostponed: Error, Sendable, Hashable {
  /// How long to wait at least.
  package var after: Duration

  /// A request for another call `after` a while.
  package init(after: Duration) { self.after = after }
}
