import ArgumentParser

/// `avjob run`
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make what job files say.",
    discussion: """
      Every mistake that can be found before work starts is found first; then all jobs run, as \
      many at once as there are cores. One job's failure does not stop the others. An output is \
      at its path only when it is whole.

      Exit status: 0 all done, 1 a job failed, 2 the job file or the arguments are wrong, \
      75 a temporary failure, 130 and 143 interrupted and terminated.
      """)

  @Argument(help: "Job files (YAML).")
  var files: [String]

  @Option(help: "Jobs to run at once; as many as cores unless given.")
  var workers: Int?

  @Flag(name: .shortAndLong, help: "Show no progress, only what went wrong and the table.")
  var quiet = false

  @OptionGroup var variables: VariableOptions

  @OptionGroup var annotations: AnnotationOption

  func validate() throws {
    if let workers, workers < 1 { throw ValidationError("--workers must be 1 or more") }
  }

  func run() throws {
    let door = Door(annotations: annotations.annotate)
    noteIdleWorkers(door.budget.total)
    let preparation = try door.prepare(door.load(files, options: variables))
    try Batch(door: door, workers: workers, isQuiet: quiet)
      .run(preparation.work, refusedJobs: preparation.refusedJobs)
  }

  /// A job runs where it has a core.
  private func noteIdleWorkers(_ cores: Int) {
    guard let workers, workers > cores else { return }
    let most = cores == 1 ? "1 job runs" : "\(cores) jobs run"
    StandardStream.error.write(
      "note: --workers \(workers) is more than the cores that may be used: \(most) at once\n")
  }
}
