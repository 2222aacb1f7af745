import ArgumentParser
import Clusters
import Diagnosis
import Glibc
import Reports
import RunPlan
import Terminal
import Threads

/// A run whose jobs are done by the tasks of a job array.
struct ArrayBatch {
  let reporter: RunReporter
  let scheduler: any ArrayScheduler
  /// Of the engine's own command.
  let options: [String]
  /// What each task runs, behind `avjob run`.
  let words: [String]
  let files: [String]
  let cores: Int
  /// Whether the run is left to itself once it is queued.
  let isDetached: Bool

  /// Queues the shards of `work`, and reports what they do.
  ///
  /// - Throws: An `ExitCode` where anything failed or a signal came.
  func run(
    _ work: [Work], _ refusals: [Refusal], deal: String?, _ context: CommandContext,
    _ signals: Signals
  ) throws {
    let count = work.map(\.shard).max() ?? 0
    let plan = PlannedRun(
      work, refusals: refusals, of: files, deal: deal, cores: count * cores,
      context.diagnostics)
    reporter.open(plan)
    let folder: RunFolder
    guard count > 0 else { return try conclude(0, signals) }
    do throws(Failure) {
      var run = ShardedRun(work, of: files.first ?? "", words: words, shards: count, cores: cores)
      run.examination = reporter.options.targets.examination
      folder = try ArrayRun.submit(
        run, plan, to: scheduler, options: options, resumedBy: reporter.command)
    } catch {
      reporter.endProgress()
      context.report(Diagnostics(Diagnostic(error)))
      throw ExitCode(error.remedy)
    }
    guard !isDetached else {
      reporter.endProgress()
      context.note("'avjob attach \(folder.array)' follows the run, in this folder")
      StandardStream.output.write(folder.array + "\n")
      // Of jobs that were refused.
      guard reporter.status == 0 else { throw ExitCode(reporter.status) }
      return
    }
    let tasks = count == 1 ? "1 task" : "\(count) tasks"
    reporter.note("array \(folder.array) of \(scheduler.name) has \(tasks)")
    try follow(plan, in: folder, signals)
  }

  /// Reports what the shards of a run do that was queued before.
  ///
  /// - Throws: As `run`.
  func follow(_ plan: PlannedRun, in folder: RunFolder, _ signals: Signals) throws {
    var array = ArrayRun(plan, in: folder, of: scheduler, reporter)
    let status = array.follow(signals.cancellation) {
      signals.exitStatus == ChildProcess.exitStatus(ofSignal: SIGHUP)
    }
    // The array goes on.
    if status == nil { reporter.command = "avjob attach \(folder.array)" }
    try conclude(status ?? 0, signals)
  }

  private func conclude(_ shards: Int32, _ signals: Signals) throws {
    var status = ExitStatus.worst([reporter.conclude(signalStatus: signals.exitStatus), shards])
    let left = reporter.leftCount
    if status == 0, left > 0 {
      reporter.report(
        Failure(
          .tryAgain,
          "\(left == 1 ? "1 job was" : "\(left) jobs were") done by no shard; run again"))
      status = ExitStatus.temporary
    }
    status = reporter.close(status: signals.exitStatus ?? status)
    if status != 0 { throw ExitCode(status) }
  }
}
