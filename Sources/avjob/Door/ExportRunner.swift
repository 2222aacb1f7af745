import ExportEngine
import MediaComposition
import WorkerPool

/// Joins the pool, which knows jobs, to the engine, which knows exports.
struct ExportRunner: JobRunner {
  let library: MediaLibrary

  func run(_ export: Export, context: JobContext) throws -> ExportSession.Report {
    let report = try ExportSession(export, library: library).run(
      cancellation: context.cancellation
    ) { progress in
      context.report(JobProgress(completed: progress.completed, total: progress.total))
    }
    for warning in report.warnings { context.warn(warning) }
    return report
  }
}
