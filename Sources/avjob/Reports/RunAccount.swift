import Diagnosis
import ExportEngine
import Glibc
import JobFile
import JobModel
import MediaComposition
import WorkerPool

/// A job that was refused before anything ran.
struct Refusal {
  /// The job.
  var name: String
  var origin: Origin
  /// What there is to be said of it.
  var messages: [Diagnostic]
  /// The job that it needs and that cannot run, where nothing else is wrong with it.
  var blockedBy: String?

  /// Whether another run may find that all is well.
  var mayPass: Bool {
    !messages.isEmpty && messages.allSatisfy { $0.severity == .warning || $0.remedy == .tryAgain }
  }
}

/// Keeps account of a run, from what is told of it while it goes on: what reports are made of.
///
/// Used on one thread.
struct RunAccount {
  private let door: Door
  private let files: [String]
  private let start = ContinuousClock.now
  private let started = WallTime.now
  private var entries: [RunReport.Job] = []
  private var refused: [RunReport.Job] = []
  private var starts: [ContinuousClock.Instant?] = []

  /// An account of a run of `files`, which starts now.
  init(of files: [String], door: Door) {
    self.files = files
    self.door = door
  }

  /// Takes down what is to be run, and what was refused.
  mutating func open(_ work: [Work], refusals: [Refusal]) {
    entries = work.map { work in
      let export = work.export
      let assets = export.composition.assets.sorted {
        ($0.path.string, $0.streamIndex) < ($1.path.string, $1.streamIndex)
      }
      return RunReport.Job(
        name: export.name, job: work.job, place: RunReport.Place(export.origin, in: door.map),
        status: .notStarted, inputs: assets.map(RunReport.Input.init),
        outputs: RunReport.Output.planned(export),
        messages: work.warnings.map { RunReport.Message($0, in: door.map) })
    }
    starts = work.map { _ in nil }
    refused = refusals.map { refusal in
      RunReport.Job(
        name: refusal.name, job: refusal.name,
        place: RunReport.Place(refusal.origin, in: door.map),
        status: refusal.blockedBy == nil ? .failed : .blocked, blockedBy: refusal.blockedBy,
        messages: refusal.messages.map { RunReport.Message($0, in: door.map) })
    }
  }

  /// Takes down what happened.
  mutating func note(_ event: RunEvent) {
    guard entries.indices.contains(event.job) else { return }
    if let said = event.diagnostic {
      entries[event.job].messages.append(RunReport.Message(said, in: door.map))
    }
    switch event.kind {
    case .started:
      starts[event.job] = event.instant
      entries[event.job].start = start.duration(to: event.instant)
    case .progress, .warning, .retrying: return
    case .postponed:
      starts[event.job] = nil
      entries[event.job].start = nil
    case .upToDate: end(event, as: .upToDate)
    case .finished(let outputs, let reason):
      end(event, as: .done)
      entries[event.job].outputs = outputs
      entries[event.job].reason = reason
    case .failed: end(event, as: .failed)
    case .blocked(let other):
      end(event, as: .blocked)
      entries[event.job].blockedBy =
        entries.indices.contains(other) ? entries[other].name : nil
    case .cancelled: end(event, as: .cancelled)
    }
  }

  private mutating func end(_ event: RunEvent, as status: RunReport.Status) {
    entries[event.job].status = status
    if let start = starts[event.job] {
      entries[event.job].elapsed = start.duration(to: event.instant)
    }
  }

  /// Takes down how often each job was tried.
  mutating func note(attempts: [Int]) {
    for (index, count) in zip(entries.indices, attempts) { entries[index].attempts = count }
  }

  /// The account as it stands, of a run that ends with `status`.
  func report(status: Int32) -> RunReport {
    let jobs = inOrderOfWriting(entries + refused)
    let owned = Set(jobs.flatMap(\.messages).map(\.screen))
    // What was said of no job that is in the report.
    let messages = door.journal.entries.map { RunReport.Message($0, in: door.map) }
    return RunReport(
      versions: Engine.versions, system: Self.system, cores: door.budget.total, files: files,
      started: started, elapsed: start.duration(to: .now), exitStatus: status,
      messages: messages.filter { !owned.contains($0.screen) }, jobs: jobs)
  }

  /// Refused jobs where they stand among the others; those of one line as they came.
  private func inOrderOfWriting(_ jobs: [RunReport.Job]) -> [RunReport.Job] {
    guard !refused.isEmpty else { return jobs }
    let order = Dictionary(
      files.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    func key(_ job: RunReport.Job) -> (Int, Int, Int) {
      guard let place = job.place else { return (.max, 0, 0) }
      return (order[place.file] ?? .max, place.line, place.column)
    }
    let keyed = jobs.enumerated().map { (key: key($1), index: $0, job: $1) }
    return keyed.sorted { $0.key == $1.key ? $0.index < $1.index : $0.key < $1.key }.map(\.job)
  }

  /// `Linux 6.1.0 x86_64`
  private static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux" }
    func text<Tuple>(_ field: Tuple) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return [text(names.sysname), text(names.release), text(names.machine)].joined(separator: " ")
  }
}

extension RunReport.Output {
  /// The files that `export` would write.
  static func planned(_ export: Export) -> [RunReport.Output] {
    export.outputs.map { output in
      RunReport.Output(path: output.path, format: output.format.name)
    } + export.records.map { RunReport.Output(path: $0.path, format: recordFormat) }
  }

  /// The files that it has written.
  static func written(
    _ export: Export, _ report: ExportSession.Report
  ) -> [RunReport.Output] {
    zip(export.outputs, report.outputs).flatMap { output, written in
      [
        RunReport.Output(
          path: written.path, format: output.format.name, bytes: written.size,
          sound: RunReport.Sound(
            sampleRate: written.sampleRate, channelCount: written.channelCount,
            frames: written.frameCount, peak: written.peak,
            clippedSamples: written.clippedSamples),
          sha256: written.sha256.map(JSONValue.hexadecimal))
      ]
        + written.sidecars.map {
          RunReport.Output(path: $0.path, format: $0.kind.name, bytes: $0.size)
        }
    }
      + report.records.map {
        RunReport.Output(path: $0.path, format: recordFormat, bytes: $0.size)
      }
  }

  private static let recordFormat = "JSON record"
}
