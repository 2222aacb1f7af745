import Diagnosis
import ExportEngine
import RunPlan
import Terminal
import WorkerPool

/// Something that happened to a job of a run, on this machine or another: the one input of screens,
/// streams and reports. In the order of `JobEvent`.
package struct RunEvent: Sendable {
  /// What can happen.
  enum Kind: Sendable {
    case started
    case progress(JobProgress)
    case warning(RunReport.Message)
    /// An attempt failed, as a warning, and another one follows.
    case retrying(RunReport.Message, after: Duration)
    case postponed
    /// Its shard starts anew on another machine: what is not done begins once more.
    case requeued
    /// Its files are written; `reason` says why it ran, with `--explain`.
    case finished([RunReport.Output], reason: String?)
    case upToDate
    case failed(RunReport.Message)
    case cancelled
    /// Another job of the run is not done.
    case blocked(by: Int)

    /// What is reported of it: the same on the screen, in the stream of events and in reports.
    var message: RunReport.Message? {
      switch self {
      case .warning(let message), .retrying(let message, after: _), .failed(let message): message
      default: nil
      }
    }
  }

  /// Which job of the run.
  package let job: Int
  let kind: Kind
  let instant: ContinuousClock.Instant

  /// An event of job number `job`.
  init(job: Int, _ kind: Kind, at instant: ContinuousClock.Instant) {
    (self.job, self.kind, self.instant) = (job, kind, instant)
  }
}

extension RunEvent {
  /// What lines of an event stream are called: of a run, of a message, and of what happens to a job.
  enum Name: String {
    case run, summary
    case note, warning, error
    case start, progress, retrying, postponed, requeued, finished, failed, cancelled, blocked
    case upToDate = "up_to_date"

    /// Of a message.
    init(_ severity: Diagnostic.Severity) {
      switch severity {
      case .note: self = .note
      case .warning: self = .warning
      case .error: self = .error
      }
    }
  }

  /// Where an event leaves its job.
  package enum Effect: Sendable {
    case running
    /// It starts again later.
    case waiting
    /// Its files are there.
    case done
    /// It has ended without them.
    case undone
  }

  /// Where it leaves its job; nil: where it was.
  package var effect: Effect? {
    switch kind {
    case .started: .running
    case .postponed, .requeued: .waiting
    case .finished, .upToDate: .done
    case .failed, .cancelled, .blocked: .undone
    case .progress, .warning, .retrying: nil
    }
  }

  /// A shard starts anew, and the job is not done.
  package static func requeued(_ job: Int) -> RunEvent { RunEvent(job: job, .requeued, at: .now) }

  /// The job was cut off.
  package init(job: Int, failedBy failure: Failure) {
    self.init(job: job, .failed(.init(Diagnostic(failure), in: SourceMap())), at: .now)
  }

  /// What a pool says of `work`, with places by `map`.
  init(_ event: JobEvent<WorkResult>, of work: Work, in map: SourceMap) {
    let export = work.export
    func message(_ diagnostic: Diagnostic) -> RunReport.Message { .init(diagnostic, in: map) }
    func message(retrying failure: Failure, after pause: Duration) -> RunReport.Message {
      // The job has not failed yet.
      var diagnostic = Diagnostic(failure, at: export.origin)
      diagnostic.severity = .warning
      diagnostic.help = "another attempt begins in " + Figures.clock(pause)
      return message(diagnostic)
    }
    let kind: Kind =
      switch event.kind {
      case .started: .started
      case .progress(let progress): .progress(progress)
      case .warning(let warning): .warning(message(Diagnostic(warning)))
      case .retrying(let failure, let pause):
        .retrying(message(retrying: failure, after: pause), after: pause)
      case .postponed: .postponed
      case .finished(.written(let report, let reason)):
        .finished(RunReport.Output.written(work.session, report), reason: reason)
      case .finished(.upToDate): .upToDate
      case .failed(let failure): .failed(message(Diagnostic(failure, at: export.origin)))
      case .cancelled: .cancelled
      case .blocked(let other): .blocked(by: other)
      }
    self.init(job: event.job, kind, at: event.instant)
  }
}
