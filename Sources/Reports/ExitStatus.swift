import Diagnosis

/// Exit statuses beside 0 for success, and what each end of a command has of them.
package enum ExitStatus {
  package static let jobFailed: Int32 = 1
  package static let wrongJob: Int32 = 2
  package static let temporary: Int32 = 75

  /// Of a command that failed, by what the user must do.
  package static func failed(_ remedy: Failure.Remedy) -> Int32 {
    switch remedy {
    case .mendJob: wrongJob
    case .tryAgain: temporary
    case .mendInput, .mendMachine, .reportBug: jobFailed
    }
  }

  /// Of a command that could do all but `count` jobs; `mayPass`: whether another run may do all of
  /// these.
  package static func failed(_ count: Int, mayPass: Bool) -> Int32 {
    count == 0 ? 0 : mayPass ? temporary : jobFailed
  }

  /// The status of several runs, or several failures, together: what lasts counts more than what may
  /// pass, a mistake more than a failure, and a signal most.
  package static func worst(_ statuses: [Int32]) -> Int32 {
    let bad = statuses.filter { $0 != 0 }
    return bad.filter { $0 != temporary }.max() ?? bad.first ?? 0
  }
}
