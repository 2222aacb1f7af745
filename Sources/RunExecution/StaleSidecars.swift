import Diagnosis
import ExportEngine
import MediaComposition
import Receipts
import Synchronization
import SystemPackage
import WorkerPool

/// Removes sidecars that earlier runs of exports made and that these do not write any more: their words,
/// chapters and silences are not those of the new outputs. Safe from any thread.
final class StaleSidecars: Sendable {
  private let registry: Mutex<PathRegistry>

  /// - Parameter registry: Knows every file that a job reads or writes; those stay.
  init(besides registry: PathRegistry) { self.registry = Mutex(registry) }

  /// Removes those of an export whose outputs have just been put in their places.
  func remove(
    of export: Export, _ inputs: ExportInputs, by ledger: Ledger, _ context: JobContext
  ) {
    let stale = ledger.staleSidecars(of: inputs)
    guard !stale.isEmpty else { return }
    // It may ask for one that it has nothing for: no other export writes that.
    let own = Set(ExportFiles(export).files.map(\.path))
    for path in stale {
      let isNeeded = registry.withLock {
        own.contains(path) ? $0.isRead(path) : $0.isKnown(path)
      }
      guard !isNeeded else { continue }
      let error = ledger.remove(staleSidecar: path)
      context.warn(
        Warning(
          error.map {
            "an earlier run made it, it is not written any more, and cannot be removed: \($0)"
          }
            ?? "removed: an earlier run made it, and it is not written any more", path: path))
    }
  }
}
