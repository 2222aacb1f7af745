import Diagnosis
import MediaComposition
import MediaTime
import Threads

/// Does the jobs of a pool. The pool depends on this protocol alone.
///
/// **Calls and threads.** `Pool` calls `run` once for each attempt at a job, for several jobs at
/// once, each on a thread of the pool that stays blocked until `run` returns. Blocking is fine. A
/// runner is shared by all of these calls; of one job there is never more than one attempt at a time.
///
/// **Cores.** The pool holds one core of the budget for the calling thread while `run` runs. A
/// runner that starts threads leases a core for each of them from `JobContext.budget`, with
/// `tryLease`: a runner that waits for another core while it holds one can wait for ever.
///
/// **Progress and warnings** go through the context, from any thread, before `run` returns.
///
/// **Cancellation.** Each attempt has a `JobContext.cancellation` of its own. Once it is set, because
/// the run is to stop or the attempt has had its time, `run` cleans up after itself and throws
/// `CancellationError`, within a fraction of a second. A job that was as good as done may also
/// return. A `run` that has not come back after `Pool.grace` is abandoned: its job has failed, its
/// core is another's, and its later events are ignored.
///
/// **Another process at the same job.** `run` throws `JobPostponed` before it has changed anything;
/// the pool calls it again later.
///
/// **Errors.** `run` throws a `Failure` whose remedy says what the user must do: `mendJob`,
/// `mendInput`, `mendMachine`, `tryAgain` where another attempt may succeed, `reportBug` where a
/// promise of ours was broken. Any other error, and a `CancellationError` without a cancellation,
/// counts as `reportBug`. In place of `CancellationError` it throws `JobHung`, where it has found out
/// at which file it did not get on. A failed job leaves no partial output.
package protocol JobRunner: Sendable {
  /// A job.
  associatedtype Job: Sendable
  /// The result of a job that succeeded.
  associatedtype Result: Sendable

  /// Does one job, from its start to its end. See the protocol for the contract.
  func run(_ job: Job, context: JobContext) throws -> Result

  /// What the pool's reports hold of a result, which observers get whole: of a hundred thousand jobs
  /// that may be much. By default all of it.
  func kept(of result: Result) -> Result
}

extension JobRunner {
  /// The whole result.
  package func kept(of result: Result) -> Result { result }
}

/// The resources of a running job, and the receiver of its progress.
///
/// Safe from any thread, until the job's `run` returns.
package struct JobContext: Sendable {
  /// The cores that all jobs share.
  package let budget: CPUBudget
  /// Set when this attempt at the job should stop.
  package let cancellation: CancellationFlag
  private let onProgress: @Sendable (JobProgress) -> Void
  private let onWarning: @Sendable (Warning) -> Void

  /// A context that reports to the two closures, which must be safe from any thread.
  package init(
    budget: CPUBudget, cancellation: CancellationFlag,
    onProgress: @escaping @Sendable (JobProgress) -> Void = { _ in },
    onWarning: @escaping @Sendable (Warning) -> Void = { _ in }
  ) {
    self.budget = budget
    self.cancellation = cancellation
    self.onProgress = onProgress
    self.onWarning = onWarning
  }

  /// Reports the job's progress, as often as is convenient: a report may be dropped while the
  /// observer is busy with older ones. Never blocks.
  package func report(_ progress: JobProgress) { onProgress(progress) }

  /// Reports a warning. Blocks while the observer is behind.
  package func warn(_ warning: Warning) { onWarning(warning) }
}

/// How much of a job's sound is processed.
package struct JobProgress: Sendable, Hashable {
  /// Sound processed so far, 0 … `total`.
  package var completed: Time
  /// Sound to process in all; where a job goes over it twice, both passes count.
  package var total: Time

  /// Progress of `completed` sound, of `total`.
  package init(completed: Time, total: Time) {
    self.completed = completed
    self.total = total
  }
}
