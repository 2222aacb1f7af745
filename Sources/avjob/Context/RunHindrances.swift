import Diagnosis
import RunPlan
import Synchronization
import WorkerPool

/// What kept jobs of a run from being done and may pass while nothing of them changes, as a full disk or a
/// server's failure: a watch tries them again.
final class RunHindrances: Sendable {
  private struct Hindered {
    /// Numbers in the order of writing, from 1.
    var jobs: Set<Int> = []
    var isWholeRun = false
  }

  private let hindered = Mutex(Hindered())

  /// Whether any job was kept so.
  var isEmpty: Bool { hindered.withLock { $0.jobs.isEmpty && !$0.isWholeRun } }

  /// Whether a job was kept so, by its number in the order of writing, from 1.
  func contains(_ job: Int) -> Bool {
    hindered.withLock { $0.isWholeRun || $0.jobs.contains(job) }
  }

  /// Notes how jobs have ended.
  func note<Result>(_ reports: [JobReport<Result>], of work: [Work]) {
    for (report, work) in zip(reports, work) {
      guard case .failed(let failure) = report.outcome, failure.remedy.mayPass else { continue }
      hindered.withLock { _ = $0.jobs.insert(work.order.job) }
    }
  }

  /// Notes what was found before work started.
  func note(_ preparation: Preparation) {
    if preparation.hasJobErrors { noteRun(preparation.diagnostics.all) }
    for refusal in preparation.refusals where refusal.messages.contains(where: \.mayPass) {
      hindered.withLock { _ = $0.jobs.insert(refusal.order.job) }
    }
  }

  /// Notes what was reported of all jobs together.
  func noteRun(_ diagnostics: [Diagnostic]) {
    if diagnostics.contains(where: \.mayPass) { hindered.withLock { $0.isWholeRun = true } }
  }
}

extension Diagnostic {
  fileprivate var mayPass: Bool { severity == .error && remedy.mayPass }
}

extension Failure.Remedy {
  fileprivate var mayPass: Bool { self == .mendMachine || self == .tryAgain }
}
