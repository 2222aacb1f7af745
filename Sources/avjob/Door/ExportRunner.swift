import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import Receipts
import Terminal
import WorkerPool

/// Joins the pool, which knows jobs, to the engine, which knows exports, and to the receipts of
/// what was exported.
struct ExportRunner: JobRunner {
  let library: MediaLibrary
  /// nil: everything is made, and nothing remembered.
  var memory: RunMemory?
  /// nil: in this process.
  var isolation: Isolation?
  /// What killed runs left beside outputs that are up to date.
  private let leftovers = LeftoverLook()

  init(library: MediaLibrary, memory: RunMemory? = nil, isolation: Isolation? = nil) {
    self.library = library
    self.memory = memory
    self.isolation = isolation
  }

  func run(_ work: Work, context: JobContext) throws -> WorkResult {
    let export = try work.settled(library: library)
    guard let memory, let ledger = memory.ledger(for: work.folder) else {
      return .written(try perform(export, timeLimit: work.timeLimit, context), reason: nil)
    }
    let fingerprint = try ExportSession(export, library: library)
      .fingerprint { ledger.folder.relative($0).bytes }
    let claim = Claim(fingerprint)
    let isCancelled = { context.cancellation.isCancelled }
    func reason() throws -> Reason? {
      memory.options.force ? .forced : try ledger.reason(for: claim, unless: isCancelled)
    }
    guard var why = try reason() else { return upToDate(export) }

    var lock: Ledger.Work?
    switch ledger.begin(claim) {
    case .granted(let work): lock = work
    case .busy(let wait):
      do throws(Failure) {
        try tell(wait, of: work, context)
      } catch {
        // The next attempt has a wait of its own.
        ledger.giveUpWait(claim)
        throw error
      }
      throw JobPostponed(after: wait.pause)
    case .unavailable(let error): memory.tell(error, of: ledger, context)
    }
    defer { lock?.end() }
    if lock != nil {
      // Who had the lock before may have made it.
      guard let still = try reason() else { return upToDate(export) }
      why = still
    }
    for asset in export.composition.assets { try library.confirm(asset) }
    let report = try perform(export, timeLimit: work.timeLimit, context)
    if lock != nil { record(claim, report, in: ledger, memory, context) }
    return .written(report, reason: memory.options.explain ? "\(why)" : nil)
  }

  /// Says whom a job waits for, when that is worth it.
  ///
  /// - Throws: `Failure` (`tryAgain`) where the wait has lasted longer than an attempt of this job may:
  ///   who has the lock lives. It may be well, with a longer time of its own, or get nowhere.
  private func tell(_ wait: LockWait, of work: Work, _ context: JobContext) throws(Failure) {
    let output = work.export.outputs.first
    let age = wait.holder.start.map { max(0, Int64(time(nil)) - $0) }
    let who =
      "\(wait.holder)" + (age.map { ", for \(Figures.clock(.seconds($0)))" } ?? "")
      + (wait.holder.isStopped ? ", and is stopped (SIGSTOP)" : "")
    // The pool leaves an attempt alone that is late by five seconds.
    if wait.waited > work.timeLimit + .seconds(5) {
      throw Failure(
        .tryAgain,
        "another avjob is at it for longer than an attempt of this job may take: \(who); let it finish, "
          + "or end it where it hangs, and run this again",
        path: output?.path, origin: output?.origin ?? work.export.origin)
    }
    guard wait.isWorthTelling else { return }
    context.warn(
      Warning(
        "waits for another avjob that is at it: \(who)", path: output?.path,
        origin: output?.origin ?? work.export.origin))
  }

  /// Nobody else removes what is left beside outputs that nobody writes.
  private func upToDate(_ export: Export) -> WorkResult {
    leftovers.removeLeftovers(of: export)
    return .upToDate
  }

  /// Writes the receipts; the outputs are in their places.
  private func record(
    _ claim: Claim, _ report: ExportSession.Report, in ledger: Ledger, _ memory: RunMemory,
    _ context: JobContext
  ) {
    let written = Dictionary(
      report.files.map { ($0.path, $0.identity) }, uniquingKeysWith: { _, last in last })
    do {
      let isRecorded = try ledger.record(claim, written: written) {
        context.cancellation.isCancelled
      }
      guard !isRecorded else { return }
      context.warn(
        Warning(
          "this or a source of it was changed meanwhile: the next run makes it again",
          path: claim.outputs.first?.path))
    } catch is CancellationError {
      // The job is done; only the next run does not know it.
    } catch {
      memory.tell(error, of: ledger, context)
    }
  }

  private func perform(
    _ export: Export, timeLimit: Duration, _ context: JobContext
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
    var step = ProgressStep()
    return try ExportSession(export, library: library).run(
      budget: context.budget, cancellation: context.cancellation
    ) { progress in
      guard step.takes(progress) else { return }
      context.report(JobProgress(completed: progress.completed, total: progress.total))
    }
  }
}
