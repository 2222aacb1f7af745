import ArgumentParser
import Diagnosis
import ExportEngine
import ExportGraph
import JobFile
import MediaComposition
import Reports
import RunPlan
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
          memory: door.memory,
          isolation: isIsolated
            ? Isolation(
              workers: min(workers ?? door.budget.total, door.budget.total),
              openFiles: door.limits.openFiles) : nil),
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
    ) { _ in continuation.text(of: CommandLine.arguments) }
    let status = reporter.close(status: outcome)
    if status != 0 { throw ExitCode(status) }
  }

  /// With `--verbose`: prints the decisions beyond the job file's words, as `plan` does.
  private func explain(_ work: Work) {
    guard let graph = try? work.session.graph() else { return }
    for decision in graph.conversions {
      reporter.print("\(work.export.name): \(decision)".printable)
    }
    let losses = work.session.losses
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
  ///   - preparation: Knows all jobs, also those that are left out this time.
  ///   - loaded: Knows the job files.
  /// - Throws: `Door.Status.wrongJob`
  func refuseConflicts(with preparation: Preparation, of loaded: LoadedJobs) throws {
    reportsAreCleared()
    let found = preparation.refusals(ofFilesAt: replacedFiles, reading: loaded.files)
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
