import ArgumentParser
import Diagnosis
import ExportEngine
import Files
import Reports
import RunExecution
import RunPlan
import SystemPackage
import Terminal
import WorkerPool

/// What the process of a job, or of a probe, may take.
struct ProcessBounds {
  /// Bytes; nil: its share of the machine.
  var memory: Int?
  /// Bytes of each file; nil: any number.
  var fileSize: Int?
  /// nil: as much as usual.
  var time: Duration?

  /// With `--root`, unless options say otherwise.
  static let confined = ProcessBounds(
    memory: 2_000_000_000, fileSize: 10_000_000_000, time: .seconds(3600))
}

/// A run of exports in the pool, from its first event to the exit status.
struct Batch {
  let context: CommandContext
  let reporter: RunReporter
  /// nil: one for each core.
  var workers: Int?
  /// What each job's process may take; nil: the jobs share this process.
  var bounds: ProcessBounds?
  /// Which files at the outputs' paths are replaced.
  var replaced = ExportSession.ReplacedFiles.all
  /// Whether a note says which outputs could be copied.
  var suggestsCopying = false
  /// Whether jobs are still started when one has failed.
  var startsAfterFailure = true
  /// Who catches signals; nil: this run.
  var signals: Signals?
  /// Where the jobs run; nil: here.
  var array: ArrayBatch?
  /// A bag of all outputs beside those of job files; nil: none.
  var bag: FilePath?

  /// Runs the jobs that `load` gives, as far as `rules` want them, and removes files where all of them
  /// are done: only then is it known what they make. However it ends, it has its reports. To be called
  /// before any other thread is started. Throws an `ExitCode` where anything failed or a signal came.
  func run(
    _ rules: RunRules = RunRules(), _ load: () throws -> LoadedJobs,
    thenRemoving pruning: (Preparation) throws -> Pruning? = { _ in nil }
  ) throws {
    reporter.beginReports()
    let signals = signals ?? Signals.catchAll(beforeWork: reporter.ending())
    do {
      let ready = try ready(rules, load, pruning, signals)
      try run(ready, rules, signals)
    } catch let status as ExitCode {
      signals.workBegins()
      throw ExitCode(reporter.close(status: status.rawValue))
    }
  }

  /// What is left of jobs and files when all is known to be well, while the work goes on: a hundred
  /// thousand jobs are no small thing to hold.
  private struct Ready {
    let work: [Work]
    let refusals: [Refusal]
    /// How they are dealt out among machines.
    let deal: String?
    let manifests: [PlannedManifest]
    let pruning: Pruning?
    let bags: [PlannedBag]
    /// Knows every file that a job reads or writes.
    let registry: PathRegistry
  }

  private func ready(
    _ rules: RunRules, _ load: () throws -> LoadedJobs,
    _ pruning: (Preparation) throws -> Pruning?, _ signals: Signals
  ) throws -> Ready {
    let loaded = try load()
    guard reporter.acceptsReports(beside: JobDependencies(loaded).registry, isWhole: false) else {
      throw ExitCode.wrongJob
    }
    let preparation = try context.prepare(loaded, rules) { wrong in
      signals.workBegins()
      reporter.open(wrong.work, refusals: wrong.refusals, deal: wrong.deal)
    }
    signals.workBegins()
    let sessions = preparation.work.map(\.session)
    context.report(
      Diagnostics(
        sessions.flatMap { (try? $0.graph()).map { $0.gridNotes + $0.encodedNotes } ?? [] }
          + sessions.flatMap(\.leftOutNotes)
          + (suggestsCopying ? sessions.flatMap(\.export.copyNotes) : [])))
    let bags = PlannedBag.all(loaded, of: bag)
    try context.refuse(PlannedBag.refusals(of: bags, among: preparation.work))
    let removed = try pruning(preparation)
    guard reporter.acceptsReports(beside: preparation.registry, isWhole: true) else {
      throw ExitCode.wrongJob
    }
    return Ready(
      work: preparation.work, refusals: preparation.refusals, deal: preparation.deal,
      manifests: preparation.manifests, pruning: removed, bags: bags,
      registry: preparation.registry)
  }

  private func run(_ ready: Ready, _ rules: RunRules, _ signals: Signals) throws {
    let work = ready.work
    try reportForeignFiles(of: ready, rules)
    if let array {
      noteUnmade(ready.bags, because: "its jobs run on several machines: run them once more here")
      return try array.run(work, ready.refusals, deal: ready.deal, context, signals)
    }
    reporter.open(work, refusals: ready.refusals, deal: ready.deal)
    if !startsAfterFailure, !ready.refusals.isEmpty {
      StandardStream.error.write("nothing was started: --fail-fast\n")
      throw ExitCode(reporter.status)
    }
    if reporter.options.isVerbose { for one in work { explain(one) } }
    let pool = Pool(
      budget: context.budget, workers: workers, keepGoing: startsAfterFailure,
      limits: context.limits)
    let reports: [JobReport<WorkResult>]
    do throws(Failure) {
      reports = try pool.run(
        work.map(\.poolJob),
        with: ExportRunner(
          memory: context.memory, isolation: isolation,
          replacing: replaced,
          examining: reporter.options.targets.examination, besides: ready.registry),
        cancellation: signals.cancellation
      ) {
        reporter.report($0)
      } idle: {
        reporter.refresh()
      }
    } catch {
      reporter.endProgress()
      report([Diagnostic(error)])
      throw ExitCode.temporary
    }
    context.hindrances.note(reports, of: work)
    var status = reporter.conclude(
      attempts: reports.map(\.attempts), signalStatus: signals.exitStatus)
    if !write(ready.manifests, after: work, reports), status == 0 { status = ExitStatus.jobFailed }
    status = make(ready.bags, of: ready, rules, afterStatus: status, signals)
    if status == 0, let pruning = ready.pruning, !remove(pruning) { status = ExitStatus.jobFailed }
    status = reporter.close(status: status)
    if status != 0 { throw ExitCode(status) }
  }

  /// Names the files that a run replaces and that avjob did not make; below `--root`, it refuses
  /// to.
  private func reportForeignFiles(of ready: Ready, _ rules: RunRules) throws {
    let manifests = ready.manifests.compactMap { foreignFile(of: $0, by: context.memory) }
    context.report(
      Diagnostics(ready.manifests.compactMap { foreignLines(in: $0, by: context.memory) }))
    if Confinement.root != nil {
      // Otherwise their jobs fail alone.
      guard !rules.keepsGoing else { return }
      let found = foreignFiles(of: ready.work, by: context.memory) + manifests
      try context.refuse(found.map { Diagnostic(Failure(keeping: $0, context.memory)) })
    } else if context.memory != nil {
      // Of other commands --force says what becomes of them.
      let found = foreignFiles(of: ready.work, by: context.memory) + manifests
      context.report(Diagnostics(found.map { Diagnostic(replacing: $0) }))
    }
  }

  /// Writes lists of files, as far as their files are there.
  ///
  /// - Returns: Whether none of them has failed.
  private func write(
    _ manifests: [PlannedManifest], after work: [Work], _ reports: [JobReport<WorkResult>]
  ) -> Bool {
    let writer = ManifestWriter(memory: context.memory, replacing: replaced)
    let outcomes = writer.write(manifests, after: work, reports)
    reporter.manifests = outcomes.map {
      RunReport.Manifest(
        $0.manifest, fileCount: $0.fileCount, missingCount: $0.missingCount,
        isWhole: $0.problem == nil)
    }
    let found = outcomes.compactMap(\.problem)
    report(found)
    return !found.contains { $0.severity == .error }
  }

  /// Makes bags of the outputs, where all of them are there.
  ///
  /// - Returns: The status of the run.
  private func make(
    _ bags: [PlannedBag], of ready: Ready, _ rules: RunRules, afterStatus status: Int32,
    _ signals: Signals
  ) -> Int32 {
    guard !bags.isEmpty else { return status }
    guard status == 0, rules.only == nil, rules.shard == nil else {
      noteUnmade(
        bags, because: status == 0 ? "the run leaves out jobs" : "some of its jobs are not done")
      return status
    }
    let maker = BagMaker(
      memory: context.memory, budget: context.budget, cancellation: signals.cancellation)
    let date = String(Timestamp.now.text.prefix(10))
    var failures: [Failure] = []
    for planned in bags {
      do {
        let outcome = try maker.make(planned, of: ready.work, ready.manifests, date: date)
        guard case .made(let files, let bytes) = outcome else { continue }
        context.note(
          "the bag '\(planned.bag.path)' has \(files == 1 ? "1 file" : "\(files) files"), "
            + Figures.size(bytes: bytes))
      } catch let failure as Failure {
        failures.append(failure)
      } catch {
        guard let status = signals.exitStatus else {
          failures.append(Failure(.reportBug, "\(error)", path: planned.bag.path))
          continue
        }
        return status
      }
    }
    report(failures.map { Diagnostic($0) })
    return failures.isEmpty ? 0 : ExitStatus.worst(failures.map { ExitStatus.failed($0.remedy) })
  }

  private func noteUnmade(_ bags: [PlannedBag], because reason: String) {
    for planned in bags { context.note("the bag '\(planned.bag.path)' is not made: \(reason)") }
  }

  /// Reports what is wrong with the whole run.
  private func report(_ found: [Diagnostic]) {
    context.report(Diagnostics(found))
    context.hindrances.noteRun(found)
  }

  private var isolation: Isolation? {
    guard let bounds else { return nil }
    let cores = context.budget.total
    return Isolation(
      workers: min(workers ?? cores, cores), openFiles: context.limits.openFiles,
      memory: bounds.memory, fileSize: bounds.fileSize)
  }

  /// Lists and removes files that no job makes any more.
  ///
  /// - Returns: Whether all are removed; the others are reported.
  private func remove(_ pruning: Pruning) -> Bool {
    let paths = pruning.paths
    guard !paths.isEmpty else { return true }
    let subject = paths.count == 1 ? "1 file" : "\(paths.count) files"
    // Also of a quiet run: it is the only list of them.
    StandardStream.error.write("note: removing \(subject) that no job makes any more:\n")
    for path in paths { StandardStream.error.write("  \(path)".printable + "\n") }
    let failures = pruning.run()
    report(failures.map { Diagnostic($0) })
    return failures.isEmpty
  }

  /// With `--verbose`: prints the decisions beyond the job file's words, as `plan` does.
  private func explain(_ work: Work) {
    guard let graph = try? work.session.graph() else { return }
    for decision in graph.conversions {
      reporter.print("\(work.export.name): \(decision)".printable)
    }
    let notes = work.session.losses.map(Diagnostic.init) + work.remarks
    if !notes.isEmpty { reporter.print(context.render(Diagnostics(notes))) }
  }
}
