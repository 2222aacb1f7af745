import ArgumentParser
import Diagnosis
import ExportEngine
import Glibc
import JobFile
import MediaComposition
import SystemPackage
import Terminal

/// Tells what a run does while it goes on, and what it did: to the screen or as a stream of events,
/// and to the reports.
///
/// One for a run, from before its job files are read to its end. Used on one thread.
final class RunTeller {
  private let door: Door
  private let telling: Telling
  private let files: [String]
  private let start = ContinuousClock.now
  private var account: RunAccount
  private var writer: ReportWriter
  private var screen: ProgressScreen?
  private var stream: ProgressStream?
  private var names: [String] = []
  private var isOpen = false
  private var isClosed = false

  init(_ telling: Telling = Telling(), files: [String] = [], door: Door) {
    self.door = door
    self.telling = telling
    self.files = files
    account = RunAccount(of: files, door: door)
    writer = ReportWriter(door: door, files: files, targets: telling.targets)
    stream = Self.stream(telling, door, start)
  }

  private static func stream(
    _ telling: Telling, _ door: Door, _ start: ContinuousClock.Instant
  ) -> ProgressStream? {
    guard telling.progress == .json else { return nil }
    return ProgressStream(places: door.map, start: start) { StandardStream.output.write($0) }
  }

  // MARK: Before work

  /// Checks that the reports can be written, as far as that is known without the jobs; what is wrong
  /// is said before this throws, and no report is written then.
  ///
  /// - Throws: `Door.Status.wrongJob`
  func requireWritable() throws {
    var found = Diagnostics()
    for target in telling.targets {
      do throws(Failure) {
        try target.requireWritable()
      } catch {
        found.append(Diagnostic(error))
      }
    }
    try refuse(found)
  }

  /// Refuses reports at the path of something that is read or written otherwise; what is wrong is said
  /// before this throws, and no report is written then.
  ///
  /// - Parameters:
  ///   - exports: What is going to run.
  ///   - loaded: All jobs, also those that are left out this time.
  /// - Throws: `Door.Status.wrongJob`
  func refuseConflicts(with exports: [Export], of loaded: LoadedJobs) throws {
    writer.isCleared = true
    let records = telling.targets.filter(\.replacesFile).compactMap(\.path).map {
      ExportRecord(path: $0)
    }
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
    try refuse(Diagnostics(found.map { Diagnostic($0) }))
  }

  private func refuse(_ found: Diagnostics) throws {
    guard !found.isEmpty else { return }
    door.report(found)
    writer.targets = []
    throw Door.Status.wrongJob
  }

  /// What is told of a run that a signal ends while it is still found out what there is to do: its
  /// reports say so, too. To be called on another thread than this teller, which must be silent then.
  var early: Signals.Ending {
    let (door, telling, files, start) = (door, telling, files, start)
    let (account, writer) = (account, writer)
    return { status in
      let command = Continuation.sameCommand.text(of: CommandLine.arguments, done: [])
      StandardStream.error.write("stopped before any job was started; to go on: \(command)\n")
      door.journal.note(
        Diagnostics(Diagnostic(Failure(.tryAgain, "stopped before any job was started"))))
      let status = writer.write(account, status: status)
      var stream = Self.stream(telling, door, start)
      stream?.open(
        names: [], origins: [], estimates: [], refused: 0, files: files, at: .now)
      for said in door.journal.entries {
        stream?.tell(RunReport.Message(said, in: door.map), at: .now)
      }
      stream?.close(account.report(status: status), at: .now)
    }
  }

  /// Takes down what is going to run, and what was refused.
  func open(_ work: [Work], refusals: [Refusal]) {
    isOpen = true
    names = work.map(\.export.name)
    // An account of a hundred thousand jobs is for nothing where nobody reads it.
    if !telling.targets.isEmpty || stream != nil { account.open(work, refusals: refusals) }
    let estimates = work.map(\.estimate)
    guard stream == nil else { return openStream(work, estimates, refused: refusals.count) }
    let isQuiet = telling.isQuiet
    screen = ProgressScreen(
      names: names, estimates: estimates, isVerbose: telling.isVerbose,
      terminal: { StandardStream.error.terminal },
      write: { text in if !isQuiet { StandardStream.error.write(text) } })
    if telling.isVerbose { for one in work { tellDecisions(of: one) } }
  }

  private func openStream(_ work: [Work], _ estimates: [Duration], refused: Int) {
    stream?.open(
      names: names, origins: work.map(\.export.origin), estimates: estimates, refused: refused,
      files: files, at: .now)
    let owned = Set(work.lazy.flatMap(\.warnings))
    for said in door.journal.entries where !owned.contains(said) {
      stream?.tell(RunReport.Message(said, in: door.map), at: .now)
    }
    for (index, one) in work.enumerated() {
      for warning in one.warnings {
        stream?.tell(RunEvent(job: index, kind: .warning(warning), instant: .now))
      }
    }
  }

  // MARK: While it goes on

  /// Tells what happened to a job, and what there is to say about it.
  func tell(_ event: RunEvent) {
    account.note(event)
    if let said = event.diagnostic {
      say(door.render(Diagnostics(said)))
      door.annotate(Diagnostics(said))
    }
    stream?.tell(event)
    screen?.show(event, at: .now)
    // Why a job ran is said to who asked for it by name.
    if telling.isQuiet, case .finished(_, let reason?) = event.kind,
      names.indices.contains(event.job)
    {
      say("\(names[event.job]): \(reason)".printable)
    }
  }

  /// Puts something on standard error that stays.
  private func say(_ text: String) {
    if telling.isQuiet || screen == nil {
      StandardStream.error.write(text + "\n")
    } else {
      screen?.print(text, at: .now)
    }
  }

  /// With `--verbose`: what the job does beyond its words, as `plan` tells it.
  private func tellDecisions(of work: Work) {
    let session = door.session(work.export)
    guard let graph = try? session.graph() else { return }
    for decision in graph.conversions { say("\(work.export.name): \(decision)".printable) }
    let losses = session.review().losses
    if !losses.isEmpty { say(door.render(Diagnostics(losses.map(Diagnostic.init)))) }
  }

  // MARK: At its end

  /// Takes the moving part of the screen away.
  func endProgress() { screen?.close() }

  /// Ends the telling of a run that ends with `status`: writes the reports.
  ///
  /// - Parameters:
  ///   - status: As the run itself has it.
  ///   - attempts: How often each job was tried.
  /// - Returns: The status to end with: 1 in place of 0 where a report could not be written.
  func close(status: Int32, attempts: [Int] = []) -> Int32 {
    guard !isClosed else { return status }
    isClosed = true
    if !isOpen { open([], refusals: []) }
    endProgress()
    account.note(attempts: attempts)
    let status = writer.write(account, status: status)
    stream?.close(account.report(status: status), at: .now)
    return status
  }

  /// Whether the table of outputs is printed: not where something else has its place.
  var showsTable: Bool { stream == nil && !telling.targets.contains(.output) }
}
