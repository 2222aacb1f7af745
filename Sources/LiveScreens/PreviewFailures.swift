import Diagnosis

/// The entries of a preview that could not be played.
package struct PreviewFailures: Sendable {
  /// The number of these jobs and media files.
  package private(set) var count = 0
  /// Whether all these entries may be playable in another preview.
  package private(set) var mayPass = true

  package init() {}

  /// Counts a failure.
  package mutating func add(_ failure: Failure) { add(1, mayPass: failure.remedy == .tryAgain) }

  /// Counts some failures.
  package mutating func add(_ number: Int, mayPass: Bool) {
    count += number
    self.mayPass = self.mayPass && (mayPass || number == 0)
  }
}
