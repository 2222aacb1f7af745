import ExportEngine
import JobFile
import MediaComposition
import SystemPackage
import WorkerPool

/// An export that is ready to run, and what the run must know of it: a job, or a part of a split
/// one.
struct Work: Sendable {
  var export: Export
  /// The job that it is of, by which reports gather parts.
  var job: String
  /// Where the job file is, beside which receipts are kept; nil: it comes from no file.
  var folder: FilePath?
  /// What the pool must know to give it its turn.
  var estimate: Duration = .zero
  var needs: [Int] = []
  var timeLimit: Duration?
  var retries = 0

  var poolJob: PoolJob<Work> {
    PoolJob(
      self, estimate: estimate, needs: needs, timeLimit: timeLimit, retries: retries,
      claim: PoolClaim(of: export))
  }
}

/// What became of an export that succeeded.
enum WorkResult: Sendable {
  /// Its outputs were there already, from an earlier run, and nothing has changed since.
  case upToDate
  /// It was done; `reason` says why, for `--explain`.
  case written(ExportSession.Report, reason: String?)
}
