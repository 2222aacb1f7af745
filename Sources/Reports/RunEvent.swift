import Diagnosis
import Terminal
import WorkerPool

/// Something that happened to a job of a run: the one input of screens, streams and reports.
package struct RunEvent: Sendable {
  /// What can happen.
  package enum Kind: Sendable {
    case started
    case progress(JobProgress)
    /// Something that did not stop the job.
    case warning(Diagnostic)
    /// An attempt failed, and another one starts after a pause.
    case retrying(Failure, after: Duration)
    /// Another process is at the job: as if it had never started.
    case postponed
    /// Its outputs were there already, and nothing has changed since.
    case upToDate
    /// It is done; `reason` says why it ran, with `--explain`.
    case finished([RunReport.Output], reason: String?)
    /// The failure is placed where the job is, at least.
    case failed(Failure)
    /// It will not start, since a job that it needs did not finish: an index into the list of jobs.
    case blocked(by: Int)
    /// It was stopped while it ran.
    case cancelled
  }

  /// An index into the run's list of jobs.
  package var job: Int
  package var kind: Kind
  package var instant: ContinuousClock.Instant

  package init(job: Int, kind: Kind, instant: ContinuousClock.Instant) {
    self.job = job
    self.kind = kind
    self.instant = instant
  }

  /// Its message: the same on the screen, in the stream of events and in reports.
  var diagnostic: Diagnostic? {
    switch kind {
    case .failed(let failure): return Diagnostic(failure)
    case .warning(let diagnostic): return diagnostic
    case .retrying(let failure, let pause):
      // The job has not failed yet.
      var diagnostic = Diagnostic(failure)
      diagnostic.severity = .warning
      diagnostic.help = "another attempt begins in " + Figures.clock(pause)
      return diagnostic
    case .started, .progress, .postponed, .upToDate, .finished, .blocked, .cancelled: return nil
    }
  }
}
