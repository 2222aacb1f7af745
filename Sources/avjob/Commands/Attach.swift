import ArgumentParser
import Clusters
import Diagnosis
import Reports
import RunPlan
import Threads

/// `avjob attach`
struct Attach: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach", abstract: "Follow a run of 'avjob run --on slurm'.",
    discussion: """
      Run it in the folder where the run was started. Prints what the run prints, from its start, and \
      ends with its status. A signal stops the run, but for that of a terminal that is closed.
      """)

  @Argument(help: "The number of the job array.")
  var array: Int

  @OptionGroup var reporting: ReportingOptions

  func run() throws {
    let context = CommandContext(isQuiet: reporting.quiet)
    var folder = RunFolder(array: "\(array)")
    let (plan, command): (PlannedRun, String)
    do throws(Failure) {
      (plan, command) = try folder.run()
    } catch {
      context.report(Diagnostics(Diagnostic(error)))
      throw ExitCode(error.remedy)
    }
    let reporter = RunReporter(
      reporting.options, files: plan.files, cores: context.budget.total,
      resumedBy: command, diagnostics: context.diagnostics)
    reporter.beginReports()
    let signals = Signals.catchAll()
    guard reporter.acceptsReports(beside: plan.registry, isWhole: true) else {
      throw ExitCode.wrongJob
    }
    reporter.open(plan)
    let batch = ArrayBatch(
      reporter: reporter, scheduler: SlurmScheduler(), options: [], words: [], files: plan.files,
      cores: 0, isDetached: false)
    try batch.follow(plan, in: folder, signals)
  }
}
