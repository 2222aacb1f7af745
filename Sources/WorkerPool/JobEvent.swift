import Diagnosis
import MediaComposition

/// Something that happened to one job, in the order in which it happened to that job.
package struct JobEvent<Result: Sendable>: Sendable {
  /// What can happen.
  package enum Kind: Sendable {
    /// The job has got a core. It is the first event of a job, unless the job is blocked, and comes
    /// again after `postponed`.
    case started
    /// More sound was processed. Such events may be left out while the observer is slow.
    case progress(JobProgress)
    /// Something that did not stop the job.
    case warning(Warning)
    /// An attempt failed, and another one starts after a pause, without `started`.
    case retrying(Failure, after: Duration)
    /// The job could not be begun: it is as if it had never started, and starts again later.
    case postponed(after: Duration)
    /// The job succeeded. This and the next three kinds are a job's last event.
    case finished(Result)
    /// The job failed; the others continue.
    case failed(Failure)
    /// The job was stopped while it ran, or while it waited for another attempt.
    case cancelled
    /// The job will not start, since a job that it needs did not finish: `by` is that job's index
    /// in the list. It is the only event of its job.
    case blocked(by: Int)

    /// Why an attempt failed, the last one or another; nil for any other event.
    package var failure: Failure? {
      switch self {
      case .failed(let failure), .retrying(let failure, after: _): failure
      default: nil
      }
    }
  }

  /// Which job: an index into the list that `Pool.run` was given.
  package let job: Int
  /// What happened.
  package let kind: Kind
  /// When it happened, on the worker's thread.
  package let instant: ContinuousClock.Instant

  /// An event of job number `job`.
  package init(job: Int, _ kind: Kind, at instant: ContinuousClock.Instant) {
    self.job = job
    self.kind = kind
    self.instant = instant
  }
}

/// How a job ended, and how long it took.
package struct JobReport<Result: Sendable>: Sendable {
  /// The ways to end.
  package enum Outcome: Sendable {
    case finished(Result)
    case failed(Failure)
    /// Stopped while it ran, or while it waited for another attempt.
    case cancelled
    /// Never started, because the run was cancelled or another job's failure ended it.
    case notStarted
    /// Never started, because a job that it needs did not finish: `by` is that job's index in the
    /// list.
    case blocked(by: Int)
  }

  /// How the job ended.
  package let outcome: Outcome
  /// From the start of the job's first attempt to its end, with the pauses between attempts; zero
  /// where it never started.
  package let elapsed: Duration
  /// How often it was tried.
  package let attempts: Int

  /// A report of a job that took `elapsed`.
  package init(_ outcome: Outcome, elapsed: Duration, attempts: Int = 1) {
    self.outcome = outcome
    self.elapsed = elapsed
    self.attempts = attempts
  }
}

extension JobEvent: Equatable where Result: Equatable {}
extension JobEvent.Kind: Equatable where Result: Equatable {}
extension JobReport: Equatable where Result: Equatable {}
extension JobReport.Outcome: Equatable where Result: Equatable {}
