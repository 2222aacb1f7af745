import ExportEngine
import MediaComposition
import MediaTime
import WorkerPool

/// Joins the pool, which knows jobs, to the engine, which knows exports.
struct ExportRunner: JobRunner {
  let library: MediaLibrary
  /// nil: in this process.
  var isolation: Isolation?

  func run(_ work: Work, context: JobContext) throws -> WorkResult {
    .written(try perform(work.export, timeLimit: work.timeLimit, context), reason: nil)
  }

  private func perform(
    _ export: Export, timeLimit: Duration?, _ context: JobContext
  ) throws -> ExportSession.Report {
    let report =
      if let isolation {
        try isolation.perform(export, timeLimit: timeLimit, context)
      } else {
        try performHere(export, context)
      }
    for warning in report.warnings { context.warn(warning) }
    return report
  }

  private func performHere(
    _ export: Export, _ context: JobContext
  ) throws -> ExportSession.Report {
    // Each report wakes the observer's thread, which costs as much as decoding the block that it is
    // about: one for each second of sound will do.
    let step = Time(value: 1, timescale: 1)
    var next = Time.zero
    return try ExportSession(export, library: library).run(
      budget: context.budget, cancellation: context.cancellation
    ) { progress in
      guard progress.completed >= next else { return }
      next = progress.completed + step
      context.report(JobProgress(completed: progress.completed, total: progress.total))
    }
  }
}
