import ArgumentParser
import Clusters
import Diagnosis
import Reports
import RunExecution
import RunPlan
import SystemPackage
import Threads

/// `avjob run`
struct Run: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the jobs of job files.",
    discussion: """
      All jobs are checked before any of them starts; then they run, as many at once as there \
      are cores, and idle cores help those that run ('taskset' bounds them). A job waits for the jobs whose outputs it reads, and for those in its 'needs'. \
      A failed job stops only the jobs that need it. Outputs appear at their paths when they are \
      whole.

      Exit status: 0 all done, 1 a job failed, 2 the job file or the arguments are wrong, \
      75 a temporary failure, 129, 130 and 143 hung up, interrupted and terminated.
      """)

  @Argument(help: "Read these job files, or folders of them.", completion: .jobFiles)
  var files: [String]

  @Option(help: .value("number", "Run this many jobs at once; default: cores."))
  var workers: Int?

  @OptionGroup var reporting: ReportingOptions

  @OptionGroup var receipts: ReceiptOptions

  @Option(
    help: .value("folder", "Put all outputs into this BagIt bag when all jobs are done."),
    completion: .directory)
  var bag: String?

  @Flag(help: "Run each job in a process of its own.")
  var isolate = false

  @Flag(
    help: ArgumentHelp(
      "Go on: run what is new or has changed, until a signal comes.",
      discussion:
        "A source counts once it is whole: unchanged for 1.5 s, and open for writing nowhere."))
  var watch = false

  @OptionGroup var options: RunOptions
  @OptionGroup var array: ArrayOptions
  @OptionGroup var variables: VariableOptions
  @OptionGroup var bounds: BoundOptions

  @OptionGroup var annotations: AnnotationOption

  var network: NetworkOptions { variables.network }
  var isConfined: Bool { variables.confinement.root != nil }

  func validate() throws {
    if let workers, workers < 1 { throw ValidationError("--workers must be 1 or more") }
    if let bag, bag.isEmpty { throw ValidationError("--bag is a folder; it is empty") }
    try refusePruning()
    try refuseReceipts()
    try refuseArray()
    try refuseWatching()
    guard annotations.annotate == nil || reporting.progress == .text else {
      throw ValidationError(
        "--annotate writes to standard output, where --progress json has all lines to itself; "
          + "annotate 'avjob check'")
    }
  }

  func run() throws {
    // Before any report can be written.
    try variables.confinement.enter()
    guard !watch else { return try runWatching() }
    let context = makeContext()
    if array.engine == nil { noteIdleWorkers(context) }
    try run(context) {
      let loaded = try context.load(files, options: variables)
      if receipts.prune { try context.refuse(Pruning.refusals(of: loaded)) }
      return loaded
    }
  }

  private func makeContext(isPrinting: Bool = true) -> CommandContext {
    let memory = isConfined && !bounds.trustReceipts ? nil : receipts.memory
    return CommandContext(
      memory, annotations: annotations.annotate, isQuiet: reporting.quiet,
      probingIn: processBounds, isPrinting: isPrinting)
  }

  /// Runs in rounds until a signal comes.
  private func runWatching() throws {
    // The first round makes all of them; later ones make what has changed.
    let watch = RunWatch(
      makeContext: { makeContext(isPrinting: false) },
      load: { context in
        let loaded = try context.load(files, options: variables, isWatched: true)
        try context.refuse(
          loaded.bags.map { bag, _ in
            Diagnostic(
              "'bag' in a watched run, whose outputs come one after the other", at: bag.origin,
              help: "make the bag by a run of its own, as 'avjob run --bag FOLDER'")
          })
        return loaded
      },
      runJobs: { context, loaded, signals in
        try run(context, caughtBy: signals) { loaded }
      }, subject: files.joined(separator: ", "), isQuiet: reporting.quiet)
    try watch.run()
  }

  /// A run of the jobs that `load` gives.
  private func run(
    _ context: CommandContext, caughtBy signals: Signals? = nil, _ load: () throws -> LoadedJobs
  ) throws {
    let memory = context.memory
    defer { memory?.close(context.library) }
    let machines = try machines(context)
    var rules = RunRules(
      .run, only: options.choice.names(in: context.map), keepsGoing: options.keepGoing || watch,
      retries: options.retry, shard: options.shard,
      timeLimit: bounds.maxTime ?? processBounds?.time, outputLimit: processBounds?.fileSize)
    rules.shards = machines?.count
    let reporter = RunReporter(
      reporting.options, files: files, cores: context.budget.total, shard: options.shard,
      resumedBy: (isConfined && memory == nil ? Continuation.cleanFolder : .sameCommand)
        .text(of: ProcessArguments.words),
      diagnostics: context.diagnostics)
    var batch = Batch(
      context: context, reporter: reporter, workers: workers, bounds: processBounds,
      replaced: !isConfined ? .all : bounds.trustReceipts ? .found : .none,
      startsAfterFailure: !options.failFast)
    batch.bag = bag.map { FilePath($0) }
    batch.signals = signals
    batch.array = machines.map { machines in
      ArrayBatch(
        reporter: reporter, scheduler: SlurmScheduler(), options: array.engineOptions,
        words: ArrayOptions.words(Array(ProcessArguments.words.dropFirst(2))), files: files,
        cores: machines.cores, isDetached: array.detach)
    }
    try batch.run(rules, load) { preparation in
      guard receipts.prune, let memory else { return nil }
      let pruning = try Pruning(
        besides: preparation.registry, of: memory, making: preparation.work)
      context.report(Diagnostics(pruning.warnings))
      return pruning
    }
  }

  /// Among which machines the jobs are dealt out, with `--on`.
  private func machines(_ context: CommandContext) throws -> Machines? {
    guard array.engine != nil else { return nil }
    let (count, cores) = (array.machines.shards, array.machines.cores)
    if let count, let cores { return Machines(count: count, cores: cores) }
    do throws(Failure) {
      let found = try SlurmScheduler().machines(in: array.partition)
      return Machines(count: count ?? found.count, cores: cores ?? found.cores)
    } catch {
      context.report(Diagnostics(Diagnostic(error)))
      throw ExitCode(error.remedy)
    }
  }

  /// What a run that never ends cannot do.
  private func refuseWatching() throws {
    let given = [
      ("--on", array.engine != nil), ("--prune", receipts.prune), ("--force", receipts.force),
      ("--fail-fast", options.failFast), ("--only", !options.choice.only.isEmpty),
      ("--bag", bag != nil),
    ]
    guard watch, let option = given.first(where: \.1)?.0 else { return }
    throw ValidationError("--watch and \(option) exclude each other; leave out one of them")
  }

  /// What a run on other machines cannot do.
  private func refuseArray() throws {
    guard array.engine != nil else { return }
    let given = [
      ("--shard", options.shard != nil), ("--prune", receipts.prune),
      ("--fail-fast", options.failFast), ("--root", isConfined),
      ("--annotate", annotations.annotate != nil), ("--bag", bag != nil),
      ("--report", array.detach && !reporting.reports.reports.isEmpty),
      ("--progress json", array.detach && reporting.progress == .json),
    ]
    guard let option = given.first(where: \.1)?.0 else { return }
    guard !["--report", "--progress json"].contains(option) else {
      throw ValidationError("--detach and \(option) exclude each other; give it to 'avjob attach'")
    }
    throw ValidationError("--on and \(option) exclude each other; leave out one of them")
  }

  /// With `--root`, a job that takes more than it may fails alone.
  private var processBounds: ProcessBounds? {
    let usual = variables.confinement.root == nil ? nil : ProcessBounds.confined
    guard isolate || usual != nil || bounds.maxMemory != nil || bounds.maxOutput != nil else {
      return nil
    }
    return ProcessBounds(
      memory: bounds.maxMemory ?? usual?.memory, fileSize: bounds.maxOutput ?? usual?.fileSize,
      time: bounds.maxTime ?? usual?.time)
  }

  /// Receipts below `--root` may be a stranger's.
  private func refuseReceipts() throws {
    guard variables.confinement.root != nil else {
      guard !bounds.trustReceipts else {
        throw ValidationError("--trust-receipts is for --root; leave it out")
      }
      return
    }
    let given = [
      ("--force", receipts.force), ("--explain", receipts.explain),
      ("--checksum", receipts.checksum), ("--prune", receipts.prune),
    ]
    guard !bounds.trustReceipts, let option = given.first(where: \.1)?.0 else { return }
    throw ValidationError(
      "\(option) is about receipts, and --root believes none; add --trust-receipts, if no stranger "
        + "can write to .avjob")
  }

  /// What some jobs or some variables make is not all that the job files make.
  private func refusePruning() throws {
    let given = [
      ("--only", !options.choice.only.isEmpty), ("--shard", options.shard != nil),
      ("--set", !variables.assignments.isEmpty), ("--env", !variables.environment.isEmpty),
    ]
    guard receipts.prune, let option = given.first(where: \.1)?.0 else { return }
    throw ValidationError(
      "--prune and \(option) exclude each other: --prune must know what all jobs make")
  }

  /// A job runs where it has a core.
  private func noteIdleWorkers(_ context: CommandContext) {
    let cores = context.budget.total
    guard let workers, workers > cores else { return }
    let most = cores == 1 ? "1 job runs" : "\(cores) jobs run"
    context.note("--workers \(workers) is more than the cores that may be used: \(most) at once")
  }
}
