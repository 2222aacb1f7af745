import ArgumentParser
import ExportEngine
import Glibc
import JobFile
import MediaComposition
import SystemPackage

/// Tells what a run does while it goes on, and what it did: to the screen or as a stream of events,
/// and to the reports.
///
/// One for a run, from before its job files are read to its end. Used on one thread.
final class RunTeller {
  private let door: Door
  private let telling: Telling
  private let files: [String]
  private var account: RunAccount
  private var screen: ProgressScreen?
  private var stream: ProgressStream?
  /// Whether it is known that the reports replace nothing that is read or written otherwise.
  private var isCleared = false
  private var isOpen = false
  private var isClosed = false

  /// Checks that the reports can be written, as far as that is known without the jobs; what is wrong
  /// is said before this throws.
  init(_ telling: Telling = Telling(), files: [String] = [], door: Door) throws {
    self.door = door
    self.telling = telling
    self.files = files
    account = RunAccount(of: files, door: door)
    if telling.progress == .json {
      stream = ProgressStream(places: door.map, start: .now) { StandardStream.output.write($0) }
    }
    var found = Diagnostics()
    for target in telling.targets {
      do throws(Failure) {
        try target.requireWritable()
      } catch {
        found.append(Diagnostic(error))
      }
    }
    guard found.isEmpty else {
      door.report(found)
      throw Door.Status.wrongJob
    }
  }

  /// Refuses reports at the path of something that is read or written otherwise; what is wrong is said
  /// before this throws.
  ///
  /// - Parameters:
  ///   - exports: What is going to run.
  ///   - loaded: All jobs, also those that are left out this time.
  /// - Throws: `Door.Status.wrongJob`
  func refuseConflicts(with exports: [Export], of loaded: LoadedJobs) throws {
    isCleared = true
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
    guard !found.isEmpty else { return }
    isClosed = true
    door.report(Diagnostics(found.map { Diagnostic($0) }))
    throw Door.Status.wrongJob
  }

  /// Takes down what is going to run, and what was refused.
  func open(_ work: [Work], refusals: [Refusal]) {
    isOpen = true
    // An account of a hundred thousand jobs is for nothing where nobody reads it.
    if !telling.targets.isEmpty || stream != nil { account.open(work, refusals: refusals) }
    let names = work.map(\.export.name)
    let estimates = work.map(\.estimate)
    if stream != nil {
      stream?.open(
        names: names, origins: work.map(\.export.origin), estimates: estimates,
        refused: refusals.count, files: files, at: .now)
      for said in door.journal.entries {
        stream?.tell(RunReport.Message(said, in: door.map), at: .now)
      }
      return
    }
    let isQuiet = telling.isQuiet
    screen = ProgressScreen(
      names: names, estimates: estimates, isVerbose: telling.isVerbose,
      terminal: { StandardStream.error.terminal },
      write: { text in if !isQuiet { StandardStream.error.write(text) } })
    if telling.isVerbose { for one in work { tellDecisions(of: one) } }
  }

  /// Tells what happened to a job, and what there is to say about it.
  func tell(_ event: RunEvent) {
    account.note(event)
    if let said = diagnostic(of: event) {
      say(door.render(Diagnostics(said)))
      door.annotate(Diagnostics(said))
    }
    stream?.tell(event)
    screen?.show(event, at: .now)
  }

  private func diagnostic(of event: RunEvent) -> Diagnostic? {
    switch event.kind {
    case .failed(let failure): return Diagnostic(failure)
    case .warning(let diagnostic): return diagnostic
    case .retrying(let failure, let pause):
      var diagnostic = Diagnostic(failure)
      diagnostic.severity = .warning
      diagnostic.help = "another attempt begins in " + Figures.clock(pause)
      return diagnostic
    case .started, .progress, .postponed, .upToDate, .finished, .blocked, .cancelled: return nil
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
    var status = status
    for target in telling.targets {
      do throws(Failure) {
        try requireNotRead(target)
        try target.write(account.report(status: status))
      } catch {
        door.report(Diagnostics(Diagnostic(error)))
        if status == 0 { status = Door.Status.jobFailed.rawValue }
      }
    }
    stream?.close(account.report(status: status), at: .now)
    return status
  }

  /// A run that found a mistake before it knew all that its jobs read and write knows what it has
  /// read so far: no report replaces that.
  private func requireNotRead(_ target: ReportTarget) throws(Failure) {
    guard !isCleared, target.replacesFile, let path = target.path,
      let file = SourceFile.inode(of: path)
    else { return }
    let read = (files + door.map.fileNames).map { FilePath($0) }
    guard !read.contains(where: { SourceFile.inode(of: $0) == file }) else {
      throw Failure(.mendJob, "is a file that was read; choose another path", path: path)
    }
  }

  /// Whether the table of outputs is printed: not where something else has its place.
  var showsTable: Bool { stream == nil && !telling.targets.contains(.output) }
}
