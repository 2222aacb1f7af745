import ExportEngine
import JobFile
import MediaComposition
import Threads

/// Jobs on their way from text to something that can run, and what was found to be wrong.
struct Preparation {
  /// What is ready to run, in the order of writing.
  private(set) var exports: [Export] = []
  /// Everything to be said, in one pass.
  private(set) var diagnostics = Diagnostics()
  /// Whether something is wrong that only a change of the job file or the arguments can mend.
  private(set) var hasJobErrors = false
  /// Jobs that cannot run because of their media or their outputs.
  private(set) var refusedJobs = 0

  /// Probes every medium once, on all cores, and makes each job's composition.
  ///
  /// - Complexity: O(distinct media + items)
  init(_ jobs: [Job], library: MediaLibrary, budget: CPUBudget) {
    let references = Set(jobs.flatMap(\.media))
    inParallel(references, budget: budget) { reference in
      _ = try? library.asset(at: reference.path, streamIndex: reference.stream)
    }
    var reported: Set<MediaReference> = []
    for job in jobs {
      var isRefused = false
      for reference in job.media {
        do throws(Failure) {
          _ = try library.asset(at: reference.path, streamIndex: reference.stream)
        } catch {
          isRefused = true
          if error.remedy == .mendJob { hasJobErrors = true }
          if reported.insert(reference).inserted {
            diagnostics.append(Diagnostic(error, at: reference.origin))
          }
          continue
        }
        guard reported.insert(reference).inserted else { continue }
        for var warning in library.warnings(for: reference.path, streamIndex: reference.stream) {
          warning.origin = reference.origin
          diagnostics.append(Diagnostic(warning))
        }
      }
      do throws(Diagnostics) {
        let export = try job.export { try? library.asset(at: $0.path, streamIndex: $0.stream) }
        for failure in ExportSession(export, library: library).problems() {
          diagnostics.append(Diagnostic(failure))
          isRefused = true
          if failure.remedy == .mendJob { hasJobErrors = true }
        }
        if !isRefused { exports.append(export) }
      } catch {
        diagnostics.append(contentsOf: error.all)
        if !error.errors.isEmpty { hasJobErrors = true }
        isRefused = true
      }
      if isRefused { refusedJobs += 1 }
    }
    for failure in ExportSession.conflicts(among: exports) {
      diagnostics.append(Diagnostic(failure))
      hasJobErrors = true
    }
  }
}

/// Does `body` for each element on as many threads as the budget has cores.
private func inParallel<Element: Sendable>(
  _ elements: Set<Element>, budget: CPUBudget, _ body: @escaping @Sendable (Element) -> Void
) {
  let queue = Channel<Element>(capacity: max(1, elements.count))
  for element in elements { _ = queue.send(element) }
  queue.close()
  let work: @Sendable () -> Void = { while let element = queue.receive() { body(element) } }
  let helpers = (1..<max(1, min(budget.total, elements.count))).compactMap { _ in
    try? Thread.spawn(name: "probe", work)
  }
  work()
  for helper in helpers { helper.join() }
}
