import Diagnosis
import WorkerPool

/// What kept jobs of a run from being done, for a watch that tries them again. Of one thread.
final class RunHindrances {
  /// Whether one of them may pass while nothing of the jobs changes, as a full disk or a server's failure.
  private(set) var mayPass = false

  /// Notes how jobs have ended.
  func note<Result>(_ reports: [JobReport<Result>]) {
    mayPass =
      mayPass
      || reports.contains { report in
        guard case .failed(let failure) = report.outcome else { return false }
        return failure.remedy == .mendMachine || failure.remedy == .tryAgain
      }
  }
}
