import ExportEngine
import JobFile
import JobModel
import Threads

extension MediaLibrary {
  /// Probes media on as many threads as the budget has cores: what is asked about them then is
  /// known. What cannot be read says so when it is asked for.
  package func probe(_ references: [MediaReference], _ budget: CPUBudget) {
    let queue = Channel<MediaReference>(capacity: max(1, references.count))
    for reference in references { _ = queue.send(reference) }
    queue.close()
    let work: @Sendable () -> Void = {
      while let reference = queue.receive() {
        _ = try? self.asset(at: reference.path, streamIndex: reference.stream)
      }
    }
    let helpers = (1..<max(1, min(budget.total, references.count))).compactMap { _ in
      try? Thread.spawn(name: "probe", work)
    }
    work()
    for helper in helpers { helper.join() }
  }
}
