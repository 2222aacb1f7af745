import Diagnosis
import Synchronization
import WorkerPool

/// What kept jobs of a run from being done, for a watch that tries them again.
final class RunHindrances: Sendable {
  private let passing = Atomic(false)

  /// Whether one of them may pass while nothing of the jobs changes, as a full disk or a server's failure.
  var mayPass: Bool { passing.load(ordering: .acquiring) }

  /// Notes how jobs have ended.
  func note<Result>(_ reports: [JobReport<Result>]) {
    let hasPassing = reports.contains { report in
      guard case .failed(let failure) = report.outcome else { return false }
      return failure.remedy == .mendMachine || failure.remedy == .tryAgain
    }
    if hasPassing { passing.store(true, ordering: .releasing) }
  }
}
