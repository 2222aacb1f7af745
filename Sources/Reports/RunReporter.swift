import Diagnosis
import ExportEngine
import RunPlan
import Terminal
import WorkerPool

/// Reports what a run does while it goes on, and what it did: on the screen or as a stream of events,
/// and in reports.
///
/// One for a run, from before its job files are read to its end. Used on one thread.
package final class RunReporter {
  /// What is reported, and how.
  package struct Options: Sendable {
    /// Nothing of what goes well.
    package var isQuiet = false
    /// Each job, and what is decided about it.
    package var isVerbose = false
    /// Whether events go to standard output, in place of progress and table.
    package var streamsEvents = false
    package var targets: [ReportTarget] = []

    /// Progress and table, and no report.
    package init() {}
  }

  package let options: Options
  private let diagnostics: ReportedDiagnostics
  private var run: RunFacts
  private var tally = RunTally()
  private var work: [Work] = []
  /// Of a run on other machines.
  private var plan: PlannedRun?
  /// Of the same: messages of its shards that belong to no job.
  private var shardMessages: [RunReport.Message] = []
  /// All that was known before, and what shards said since.
  private var knownScreens: Set<String> = []
  /// How many messages this process had reported when it was known what runs.
  private var plannedMessages = 0
  /// Of the same: when the last thing happened.
  private var latest: ContinuousClock.Instant?
  private var writer: ReportWriter
  private var screen: ProgressScreen?
  private var stream: ProgressStream?
  /// When its jobs were known.
  private var opening: ContinuousClock.Instant?
  private var isClosed = false
  /// The command that resumes the run after a signal.
  package var command: String
  /// What became of lists of files.
  package var manifests: [RunReport.Manifest] = []

  /// A reporter of a run that starts now.
  ///
  /// - Parameters:
  ///   - options: What is reported.
  ///   - files: The job files, as they were named.
  ///   - cores: How many the run may use.
  ///   - shard: The share of the work that it does; nil: all.
  ///   - command: The command that resumes the run after a signal.
  ///   - diagnostics: What is reported beside events.
  package init(
    _ options: Options = Options(), files: [String] = [], cores: Int, shard: Shard? = nil,
    resumedBy command: String, diagnostics: ReportedDiagnostics
  ) {
    self.command = command
    self.options = options
    self.diagnostics = diagnostics
    run = RunFacts(files: files, cores: cores, shard: shard)
    writer = ReportWriter(options.targets, of: run, diagnostics)
    stream = Self.stream(options, run, diagnostics)
  }

  private static func stream(
    _ options: Options, _ run: RunFacts, _ diagnostics: ReportedDiagnostics
  ) -> ProgressStream? {
    guard options.streamsEvents else { return nil }
    return ProgressStream(of: run, places: diagnostics.map) {
      StandardStream.output.write(json: $0)
    }
  }

  // MARK: Before work

  /// Replaces reports of earlier runs by some that say that the run has not ended. To be called before
  /// anything is read.
  package func beginReports() { writer.begin() }

  /// Finds out whether the reports can be written, and replace nothing that the run reads or
  /// writes. To be called before media are opened, and again when it is known what split jobs write:
  /// from then on, and until they are written, all say that the run has not ended.
  ///
  /// - Parameters:
  ///   - registry: Knows all jobs, also those that are left out this time.
  ///   - isWhole: Whether it knows what split jobs write.
  /// - Returns: Whether they can; if not, that was reported, and only reports that were begun are
  ///   written.
  package func acceptsReports(
    beside registry: @autoclosure () -> PathRegistry, isWhole: Bool
  ) -> Bool {
    writer.targets.isEmpty || writer.accepts(beside: registry(), isWhole: isWhole)
  }

  /// The report of a run that a signal ends before its jobs are known. To be called on another thread
  /// while this reporter is silent.
  package func ending() -> @Sendable (_ status: Int32) -> Void {
    let (options, run, diagnostics, writer) = (options, run, diagnostics, writer)
    let command = command
    return { status in
      var writer = writer
      StandardStream.error.write("stopped before any job was started; to resume: \(command)\n")
      diagnostics.keep(
        Diagnostics(Diagnostic(Failure(.tryAgain, "stopped before any job was started"))))
      let tally = RunTally()
      var report = RunReport(run, tally, diagnostics, status: status)
      writer.write(&report)
      let stream = Self.stream(options, run, diagnostics)
      stream?.open(tally, diagnostics.all, at: .now)
      stream?.close(report, at: .now)
    }
  }

  /// Begins with the jobs that are going to run, and those that were refused; `deal` is how they were
  /// dealt out among machines.
  package func open(_ jobs: [Work], refusals: [Refusal] = [], deal: String? = nil) {
    work = jobs
    run.deal = deal
    stream?.run.deal = deal
    open(
      RunTally(jobs, refusals: refusals, in: diagnostics.map),
      owning: Set(jobs.lazy.flatMap(\.warnings)))
  }

  /// Begins with the jobs of a run on other machines, whose shards are followed from their first event
  /// on.
  package func open(_ plan: PlannedRun) {
    self.plan = plan
    plannedMessages = diagnostics.all.count
    run.begin(at: plan.report.started)
    stream?.run = run
    knownScreens = Set(plan.report.allMessages.map(\.message.screen))
    open(
      RunTally(
        plan.jobs.map(\.name), orders: plan.jobs.map(\.order), estimates: plan.estimates,
        refused: plan.refused
      ) { plan.jobs[$0] }, owning: Set(plan.jobs.lazy.flatMap(\.messages).map(\.diagnostic)))
  }

  private func open(_ tally: RunTally, owning owned: Set<Diagnostic>) {
    opening = .now
    self.tally = tally
    if let stream {
      return stream.open(tally, diagnostics.all.filter { !owned.contains($0) }, at: .now)
    }
    guard !options.isQuiet else { return }
    screen = ProgressScreen(
      jobCount: tally.total, isVerbose: options.isVerbose, transfer: { MediaNetwork.transfer },
      terminal: { StandardStream.error.terminal }, write: { StandardStream.error.write($0) })
  }

  // MARK: While it goes on

  /// Reports an event of this machine's pool.
  package func report(_ event: JobEvent<WorkResult>) {
    guard work.indices.contains(event.job) else { return }
    let failure = event.kind.failure
    let event = RunEvent(event, of: work[event.job], in: diagnostics.map)
    let ended = tally.apply(event)
    if var diagnostic = event.kind.message?.diagnostic {
      if tally.total > 1, let failure, failure.location == nil {
        // Many jobs may stand at one place.
        diagnostic.message = "'\(tally.names[event.job])': \(diagnostic.message)"
      }
      print(diagnostics.text(of: Diagnostics(diagnostic)))
      diagnostics.annotate(Diagnostics(diagnostic))
    }
    show(event, ended)
  }

  /// Reports an event of another machine.
  package func report(_ event: RunEvent) {
    latest = max(latest ?? event.instant, event.instant)
    let ended = tally.apply(event)
    if let message = event.kind.message {
      print(message.screen(of: tally.names[event.job]))
    }
    show(event, ended)
  }

  /// Reports what a shard on another machine says of no job; once, though each shard says it.
  package func report(_ message: RunReport.Message) {
    guard knownScreens.insert(message.screen).inserted else { return }
    shardMessages.append(message)
    if message.severity != .note || !options.isQuiet { print(message.screen) }
  }

  /// Takes what a shard on another machine knows of lists of files.
  package func add(_ found: [RunReport.Manifest]) { manifests = (manifests + found).merged }

  /// How many jobs have not started, though all shards have ended.
  package var leftCount: Int { tally.count(.notStarted) }

  /// Prints one line that reports no mistake, above what moves.
  package func note(_ text: String) {
    if !options.isQuiet { print("note: \(text)".printable) }
  }

  /// Reports what went wrong with a shard as a whole.
  package func report(_ failure: Failure) {
    report(RunReport.Message(Diagnostic(failure), in: diagnostics.map))
  }

  private func show(_ event: RunEvent, _ ended: RunTally.RunningJob?) {
    stream?.show(event, tally)
    screen?.show(event, ended: ended, tally, at: .now)
    // `--explain` asks for the reason by name.
    if options.isQuiet, case .finished(_, let reason?) = event.kind {
      print("\(tally.names[event.job]): \(reason)".printable)
    }
  }

  /// Shows what comes over the network, while no event comes: jobs may wait for it.
  package func refresh() { screen?.refresh(tally, at: .now) }

  /// Puts text on standard error that stays.
  package func print(_ text: String) {
    if screen == nil {
      StandardStream.error.write(text + "\n")
    } else {
      screen?.print(text, tally, at: .now)
    }
  }

  // MARK: At its end

  /// Takes the moving part of the screen away.
  package func endProgress() { screen?.close() }

  /// Prints the table and the closing message of a run whose jobs have all ended.
  ///
  /// - Parameters:
  ///   - attempts: How often each job was tried; nil: as often as events say.
  ///   - signalStatus: The status by the signal that stopped the run; nil: none did.
  /// - Returns: The run's status.
  package func conclude(attempts: [Int]? = nil, signalStatus: Int32?) -> Int32 {
    endProgress()
    if let attempts { tally.apply(attempts: attempts) }
    if !options.isQuiet, stream == nil, !options.targets.contains(.output) {
      let columns = StandardStream.output.terminal?.columns
      let elapsed =
        plan == nil
        ? (opening ?? run.start).duration(to: .now) : run.start.duration(to: latest ?? .now)
      StandardStream.output.write(OutputTable.text(tally, elapsed: elapsed, columns: columns))
    }
    let outcome = RunOutcome(tally, signalStatus: signalStatus, command: command)
    if let text = outcome.text { StandardStream.error.write(text + "\n") }
    return outcome.status
  }

  /// The status by the jobs that have ended so far.
  package var status: Int32 { RunOutcome(tally).status }

  /// Ends a run: writes the reports.
  ///
  /// - Parameter status: As the run itself has it.
  /// - Returns: The status to end with: 1 in place of 0 where a report could not be written.
  package func close(status: Int32) -> Int32 {
    guard !isClosed else { return status }
    isClosed = true
    if opening == nil { open([]) }
    endProgress()
    guard !writer.targets.isEmpty || stream != nil else { return status }
    var report = RunReport(run, tally, diagnostics, status: status)
    report.manifests = manifests
    if let plan {
      report.elapsed = run.start.duration(to: latest ?? .now)
      report.complete(
        by: plan,
        shardMessages
          + diagnostics.all.dropFirst(plannedMessages).map { .init($0, in: diagnostics.map) })
    }
    writer.write(&report)
    stream?.close(report, at: .now)
    return report.exitStatus
  }
}
