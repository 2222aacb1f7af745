import Diagnosis
import ExportEngine
import RunPlan
import Terminal

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
  private let run: RunFacts
  private var tally = RunTally()
  private var writer: ReportWriter
  private var screen: ProgressScreen?
  private var stream: ProgressStream?
  /// When its jobs were known.
  private var opening: ContinuousClock.Instant?
  private var isClosed = false
  private let command: String

  /// A reporter of a run that starts now.
  ///
  /// - Parameters:
  ///   - options: What is reported.
  ///   - files: The job files, as they were named.
  ///   - cores: How many the run may use.
  ///   - command: The command that resumes the run after a signal.
  ///   - diagnostics: What is reported beside events.
  package init(
    _ options: Options = Options(), files: [String] = [], cores: Int, resumedBy command: String,
    diagnostics: ReportedDiagnostics
  ) {
    self.command = command
    self.options = options
    self.diagnostics = diagnostics
    run = RunFacts(files: files, cores: cores)
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

  /// Begins with the jobs that are going to run, and those that were refused.
  package func open(_ jobs: [Work], refusals: [Refusal] = []) {
    opening = .now
    tally = RunTally(jobs, refusals: refusals)
    if let stream {
      let owned = Set(jobs.lazy.flatMap(\.warnings))
      return stream.open(tally, diagnostics.all.filter { !owned.contains($0) }, at: .now)
    }
    guard !options.isQuiet else { return }
    screen = ProgressScreen(
      jobCount: tally.total, isVerbose: options.isVerbose, transfer: { MediaNetwork.transfer },
      terminal: { StandardStream.error.terminal }, write: { StandardStream.error.write($0) })
  }

  // MARK: While it goes on

  /// Reports an event.
  package func report(_ event: RunEvent) {
    let ended = tally.apply(event)
    if var diagnostic = tally.diagnostic(of: event) {
      if tally.total > 1, let failure = event.kind.failure, failure.location == nil {
        // Many jobs may stand at one place.
        diagnostic.message = "'\(tally.names[event.job])': \(diagnostic.message)"
      }
      print(diagnostics.text(of: Diagnostics(diagnostic)))
      diagnostics.annotate(Diagnostics(diagnostic))
    }
    stream?.show(event, tally)
    screen?.show(event, ended: ended, tally, at: .now)
    // `--explain` asks for the reason by name.
    if options.isQuiet, case .finished(.written(_, let reason?)) = event.kind {
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
  ///   - attempts: How often each job was tried.
  ///   - signalStatus: The status by the signal that stopped the run; nil: none did.
  /// - Returns: The run's status.
  package func conclude(attempts: [Int], signalStatus: Int32?) -> Int32 {
    endProgress()
    tally.apply(attempts: attempts)
    if !options.isQuiet, stream == nil, !options.targets.contains(.output) {
      let columns = StandardStream.output.terminal?.columns
      let elapsed = (opening ?? run.start).duration(to: .now)
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
    writer.write(&report)
    stream?.close(report, at: .now)
    return report.exitStatus
  }
}
