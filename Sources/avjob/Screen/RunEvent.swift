import Diagnosis
import JobFile
import MediaComposition
import Terminal
import WorkerPool

/// Something that happened to a job of a run, as the screens, programs and reports are told of it.
struct RunEvent {
  /// What can happen.
  enum Kind {
    case started
    case progress(JobProgress)
    /// Something that did not stop the job.
    case warning(Diagnostic)
    /// An attempt failed, and another one starts after a pause.
    case retrying(Failure, after: Duration)
    /// It could not be begun, since another process is at it: as if it had never started.
    case postponed
    /// Its outputs were there already, and nothing has changed since.
    case upToDate
    /// It is done; `reason` says why it ran, where somebody asked.
    case finished([RunReport.Output], reason: String?)
    /// The failure is placed where the job is, at least.
    case failed(Failure)
    /// It will not start, since a job that it needs did not finish: an index into the list of jobs.
    case blocked(by: Int)
    /// It was stopped while it ran.
    case cancelled
  }

  /// An index into the run's list of jobs.
  var job: Int
  var kind: Kind
  var instant: ContinuousClock.Instant

  /// What there is to be said of it: the same on the screen, in the stream of events and in reports.
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

extension Failure.Remedy {
  /// What a failure is called in reports and in the stream of events.
  var className: String {
    switch self {
    case .mendJob: "job"
    case .mendInput: "input"
    case .mendMachine: "machine"
    case .tryAgain: "temporary"
    case .reportBug: "bug"
    }
  }
}
