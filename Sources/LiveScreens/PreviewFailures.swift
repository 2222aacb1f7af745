import Diagnosis

/// What of a preview could not be played.
package struct PreviewFailures: Sendable {
  /// How many jobs and media files.
  package private(set) var count = 0
  /// Whether another preview may find that all is well.
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
