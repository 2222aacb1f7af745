import ArgumentParser
import Diagnosis
import ExportEngine
import ExportGraph
import JobFile
import MediaComposition
import Reports
import Terminal
import Threads
import WorkerPool

/// A run of exports in the pool, from its first event to the exit status.
struct Batch {
  let door: Door
  let reporter: RunReporter
  /// nil: one for each core.
  var workers: Int?
  /// Whether each job runs in a process of its own.
  var isIsolated = false
  /// Whether jobs are still started when one has failed.
  var startsAfterFailure = true
  /// What stops it.
  var signals: Signals
  /// How it goes on that was stopped.
  var continuation = Continuation.sameCommand

  /// Runs the jobs that are ready; `refusals` were refused before. Throws an `ExitCode` where anything
  /// failed or a signal came.
  func run(_ work: [Work], refusals: [Refusal]) throws {
    reporter.open(work.map(\.reported), refusals: refusals)
    if reporter.options.isVerbose { for one in work { explain(one) } }
    let pool = Pool(
      budget: door.budget, workers: workers, keepGoing: startsAfterFailure, limits: door.limits)
    let reports: [JobReport<WorkResult>]
    do throws(Failure) {
      reports = try pool.run(
        work.map(\.poolJob),
        with: ExportRunner(
          library: door.library, memory: door.memory,
          isolation: isIsolated ? door.isolation(workers: workers) : nil),
        cancellation: signals.cancellation
      ) { event in
        reporter.report(RunEvent(event, of: work[event.job].export))
      }
    } catch {
      reporter.endProgress()
      door.report(Diagnostics(Diagnostic(error)))
      throw ExitCode(reporter.close(status: ExitStatus.temporary))
    }
    let outcome = reporter.conclude(
      attempts: reports.map(\.attempts), signalStatus: signals.exitStatus
    ) { continuation.text(of: CommandLine.arguments, done: $0) }
    let status = reporter.close(status: outcome)
    if status != 0 { throw ExitCode(status) }
  }

  /// With `--verbose`: prints the decisions beyond the job file's words, as `plan` does.
  private func explain(_ work: Work) {
    let session = door.session(work.export)
    guard let graph = try? session.graph() else { return }
    for decision in graph.conversions {
      reporter.print("\(work.export.name): \(decision)".printable)
    }
    let losses = session.review().losses
    if !losses.isEmpty { reporter.print(door.render(Diagnostics(losses.map(Diagnostic.init)))) }
  }
}

extension Work {
  /// As a run's reports have it.
  var reported: ReportedJob {
    ReportedJob(export, of: job, estimate: estimate, warnings: warnings)
  }
}

extension RunReporter {
  /// Refuses reports at paths that are read or written otherwise; that is reported before this
  /// throws, and no report is written then.
  ///
  /// - Parameters:
  ///   - exports: The jobs that are going to run.
  ///   - loaded: All jobs, also those that are left out this time.
  /// - Throws: `Door.Status.wrongJob`
  func refuseConflicts(with exports: [Export], of loaded: LoadedJobs) throws {
    reportsAreCleared()
    let records = replacedFiles.map { ExportRecord(path: $0) }
    guard !records.isEmpty else { return }
    // Reports are to be no other files than outputs are.
    let reports = Export(
      name: "reports", composition: Composition(tracks: []), outputs: [], records: records)
    var found = ExportSession.conflicts(among: exports + [reports])
    let told = Set(found.compactMap(\.path))
    let made = loaded.jobs.flatMap { $0.outputs.map(\.path) + $0.records.map(\.path) }
    for (files, what) in [(loaded.files, "is a job file"), (made, "is another job's output")] {
      let inodes = Set(files.compactMap(SourceFile.inode))
      for record in records where !told.contains(record.path) {
        guard let file = SourceFile.inode(of: record.path), inodes.contains(file) else { continue }
        found.append(Failure(.mendJob, "\(what); choose another path", path: record.path))
      }
    }
    guard accepts(found.map { Diagnostic($0) }) else { throw Door.Status.wrongJob }
  }
}

extension RunEvent {
  /// What happened to `export` in the pool.
  fileprivate init(_ event: JobEvent<WorkResult>, of export: Export) {
    let kind: Kind =
      switch event.kind {
      case .started: .started
      case .progress(let progress): .progress(progress)
      case .warning(let warning): .warning(Diagnostic(warning))
      case .retrying(let failure, let pause):
        .retrying(failure.placed(at: export.origin), after: pause)
      case .postponed: .postponed
      case .finished(.upToDate): .upToDate
      case .finished(.written(let report, let reason)):
        .finished(RunReport.Output.written(export, report), reason: reason)
      case .failed(let failure): .failed(failure.placed(at: export.origin))
      case .cancelled: .cancelled
      case .blocked(let other): .blocked(by: other)
      }
    self.init(job: event.job, kind: kind, instant: event.instant)
  }
}
