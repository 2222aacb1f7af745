import Diagnosis
import Threads

extension CancellationFlag {
  /// Refuses what was found by work that is cancelled (`endingReads`). Called before a finding is
  /// remembered: some reads may have failed, and been taken for damage or for what a file lacks.
  ///
  /// - Throws: The code `cancelled`.
  static func requireWanted(at location: MediaLocation? = nil) throws(Failure) {
    if current?.isCancelled == true { throw .cancelled(at: location) }
  }
}
