import Diagnosis
import JobFile
import Synchronization

/// What the door has said so far, for reports. Safe from any thread.
final class Journal: Sendable {
  private let said = Mutex<[Diagnostic]>([])

  /// In the order in which it was said.
  var entries: [Diagnostic] { said.withLock { $0 } }

  func note(_ diagnostics: Diagnostics) { said.withLock { $0 += diagnostics.all } }
}
