import Diagnosis
import ExportEngine
import Files
import Glibc
import MediaComposition
import MediaTime
import Receipts
import RunPlan
import Terminal
import WorkerPool

/// Joins the pool, which knows jobs, to the engine, which knows exports, and to the receipts of
/// what was exported.
package struct ExportRunner: JobRunner {
  private let memory: RunMemory?
  private let isolation: Isolation?
  private let replaced: ExportSession.ReplacedFiles
  private let examination: ExportSession.Examination
  /// nil: none is removed.
  private let staleSidecars: StaleSidecars?
  /// What killed runs left beside the outputs.
  private let leftovers = LeftoverCache()

  /// - Parameters:
  ///   - memory: The receipts; nil: every export is made, and no receipt is written.
  ///   - isolation: Starts a process for each export; nil: exports run in this process.
  ///   - replaced: Which files at the outputs' paths are replaced; jobs fail for others. Of files that
  ///     are found, only those that receipts know.
  ///   - examination: What is found out for reports alone.
  ///   - registry: Knows every file that jobs read or write: other sidecars of earlier runs are removed
  ///     where outputs are made without them; nil: none is.
  package init(
    memory: RunMemory? = nil, isolation: Isolation? = nil,
    replacing replaced: ExportSession.ReplacedFiles = .all,
    examining examination: ExportSession.Examination = [],
    besides registry: PathRegistry? = nil
  ) {
    self.examination = examination
    staleSidecars = registry.map(StaleSidecars.init)
    self.memory = memory
    self.isolation = isolation
    self.replaced = replaced
  }

  /// Without files: events have them, and those who keep them copy them. Small pieces that stay on a
  /// worker's heap scatter it.
  package func kept(of result: WorkResult) -> WorkResult {
    guard case .written(var report, let reason) = result else { return result }
    (report.outputs, report.records, report.files, report.warnings) = ([], [], [], [])
    return .written(report, reason: reason)
  }

  package func run(_ work: Work, context: JobContext) throws -> WorkResult {
    let session = try work.settled(unless: context.cancellation)
    guard let memory, let ledger = memory.ledger(for: work.folder) else {
      leftovers.removeLeftovers(of: session.export)
      return .written(try perform(session, work, context), reason: nil)
    }
    let inputs = ExportInputs(
      try session.fingerprint { ledger.folder.relative($0).bytes }, readingTexts: work.texts)
    let isCancelled = { context.cancellation.isCancelled }
    var isOutdated = false
    func reason() throws -> Reason? {
      if memory.options.isForced { return .forced }
      let reason: Reason?
      (reason, isOutdated) = try ledger.reason(
        for: inputs, by: work.loop, unless: isCancelled)
      if case .sourceDecayed(let source, let was, let now)? = reason {
        throw Failure(decayed: source, was: was, now: now, origin: session.export.origin)
      }
      return reason
    }
    guard var why = try reason() else {
      leftovers.removeLeftovers(of: session.export)
      if isOutdated { ledger.renew(inputs, by: work.loop) }
      return .upToDate
    }

    var lock: Ledger.ExportLock?
    switch ledger.begin(inputs) {
    case .granted(let granted): lock = granted
    case .busy(let wait):
      do throws(Failure) {
        try report(wait, of: work, context)
      } catch {
        // The next attempt has a wait of its own.
        ledger.giveUpWait(inputs)
        throw error
      }
      throw JobPostponed(after: wait.pause)
    case .unavailable(let error): memory.report(error, of: ledger, context)
    }
    defer { lock?.end() }
    // Not while another process has the job, though its machine cannot be seen from here.
    leftovers.removeLeftovers(of: session.export)
    if let lock {
      // Another process that had the lock before may have made it.
      guard let still = try reason() else {
        if isOutdated { ledger.renew(inputs, by: work.loop, holding: lock) }
        return .upToDate
      }
      why = still
    }
    for asset in session.export.composition.readAssets { try session.library.confirm(asset) }
    let report = try perform(session, work, context)
    if lock != nil {
      staleSidecars?.remove(of: session.export, inputs, by: ledger, context)
      record(inputs, report, of: work, in: ledger, memory, context)
    }
    return .written(report, reason: memory.options.explains ? "\(why)" : nil)
  }

  /// Names the process that a job waits for, when that is worth it.
  ///
  /// - Throws: `Failure` (`tryAgain`) where the wait has lasted longer than an attempt of this job may:
  ///   the process that has the lock lives. It may be well, with a longer time of its own, or hang.
  private func report(_ wait: LockWait, of work: Work, _ context: JobContext) throws(Failure) {
    let output = work.export.outputs.first
    let age = wait.holder.start.map { max(0, Int64(time(nil)) - $0) }
    let who =
      "\(wait.holder)" + (age.map { ", for \(Figures.clock(Duration.seconds($0)))" } ?? "")
      + (wait.holder.isStopped ? ", and is stopped (SIGSTOP)" : "")
    // The pool leaves an attempt alone that is late by five seconds.
    if wait.waited > work.timeLimit + .seconds(5) {
      throw Failure(
        .tryAgain,
        "another avjob has had this job for longer than an attempt may take: \(who); let it finish, "
          + "or end it where it hangs, and run this again",
        path: output?.path, origin: output?.origin ?? work.export.origin)
    }
    guard wait.isReportDue else { return }
    context.warn(
      Warning(
        "waits for another avjob that has this job: \(who)", path: output?.path,
        origin: output?.origin ?? work.export.origin))
  }

  /// Writes the receipts; the outputs are in their places.
  private func record(
    _ inputs: ExportInputs, _ report: ExportSession.Report, of work: Work, in ledger: Ledger,
    _ memory: RunMemory, _ context: JobContext
  ) {
    let written = Dictionary(
      report.files.map { ($0.path, $0.identity) }, uniquingKeysWith: { _, last in last })
    do {
      let isRecorded = try ledger.record(inputs, written: written, by: work.loop) {
        context.cancellation.isCancelled
      }
      guard !isRecorded else { return }
      context.warn(
        Warning(
          "this or a source of it was changed meanwhile: the next run makes it again",
          path: inputs.outputs.first?.path))
    } catch is CancellationError {
      // The job is done; only the next run does not know it.
    } catch {
      memory.report(error, of: ledger, context)
    }
  }

  private func perform(
    _ session: ExportSession, _ work: Work, _ context: JobContext
  ) throws -> ExportSession.Report {
    // What is there by now would be found in the way of the finished file.
    if replaced != .all, let foreign = foreignFiles(of: [work], by: memory).first {
      throw Confinement.root == nil
        ? .madeMeanwhile(foreign.path, origin: foreign.origin) : Failure(keeping: foreign, memory)
    }
    let report =
      if let isolation {
        try isolation.perform(
          session, work, context, replacing: replaced, examining: examination, remembering: memory)
      } else {
        try performHere(session, context)
      }
    for warning in report.warnings { context.warn(warning) }
    return report
  }

  private func performHere(
    _ session: ExportSession, _ context: JobContext
  ) throws -> ExportSession.Report {
    do throws(Failure) {
      return try session.run(
        budget: context.budget, replacing: replaced, examining: examination,
        cancellation: context.cancellation,
        progress: eachSecond {
          context.report(JobProgress(completed: $0.completed, total: $0.total))
        })
    } catch {
      // As a runner says it (`JobRunner`).
      let isCancelled = context.cancellation.isCancelled && error.code == .cancelled
      throw isCancelled ? CancellationError() : error
    }
  }
}

extension Failure {
  /// Says that nothing is made of a source whose bytes have changed behind its time of modification.
  fileprivate init(decayed source: MediaLocation, was: String, now: String, origin: Origin) {
    self.init(
      .mendInput,
      "has other bytes than the outputs were made of, at the same size and time of modification, as a "
        + "file that decays on its disk: its SHA-256 is \(now), and was \(was); the outputs stay: "
        + "restore it from a copy, or if it was edited, 'touch' it or run with --force",
      location: source, origin: origin)
  }
}

/// Passes on progress once for each second of sound: each report wakes an observer, which costs as
/// much as decoding a block.
func eachSecond(
  _ report: @escaping (ExportSession.Progress) -> Void
) -> (ExportSession.Progress) -> Void {
  var next = Time.zero
  return { progress in
    guard progress.completed >= next else { return }
    next = progress.completed + Time(value: 1, timescale: 1)
    report(progress)
  }
}
