import Diagnosis
import ExportEngine
import Glibc
import RunPlan

/// A run as a whole, from before its job files are read.
struct RunFacts: Sendable {
  /// The job files, as they were named.
  let files: [String]
  /// How many cores it may use.
  let cores: Int
  let start = ContinuousClock.now
  let started = Timestamp.now
}

extension RunReport {
  /// The report of a run that ends with `status`, as `tally` has it now.
  ///
  /// - Complexity: O(n log n)
  init(_ run: RunFacts, _ tally: RunTally, _ diagnostics: ReportedDiagnostics, status: Int32) {
    let map = diagnostics.map
    jobs = tally.refusals.map { Job($0, in: map) }
    jobs = tally.jobs.indices.map { Job($0, of: run, tally, in: map) } + jobs
    if !tally.refusals.isEmpty { jobs = Self.inOrderOfWriting(jobs, of: run.files) }
    let owned = Set(jobs.lazy.flatMap(\.messages).map(\.diagnostic))
    messages = diagnostics.all.lazy.filter { !owned.contains($0) }.map { Message($0, in: map) }
    (versions, system, cores) = (Engine.versions, Self.machine, run.cores)
    (files, started, elapsed) = (run.files, run.started, run.start.duration(to: .now))
    exitStatus = status
  }

  /// Refused jobs where they stand among the others; those of one line as they came.
  private static func inOrderOfWriting(_ jobs: [Job], of files: [String]) -> [Job] {
    let order = Dictionary(
      files.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    func key(_ job: Job) -> (Int, Int, Int) {
      guard let place = job.place else { return (.max, 0, 0) }
      return (order[place.file] ?? .max, place.line, place.column)
    }
    let keyed = jobs.enumerated().map { (key: key($1), index: $0, job: $1) }
    return keyed.sorted { $0.key == $1.key ? $0.index < $1.index : $0.key < $1.key }.map(\.job)
  }

  /// `Linux 6.1.0 x86_64`
  private static var machine: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux" }
    func text<Tuple>(_ field: Tuple) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return [text(names.sysname), text(names.release), text(names.machine)].joined(separator: " ")
  }
}

extension RunReport.Job {
  fileprivate init(_ refusal: Refusal, in map: SourceMap) {
    self.init(
      name: refusal.name, job: refusal.name, place: map.place(of: refusal.origin),
      status: refusal.blockedBy == nil ? .failed : .blocked, blockedBy: refusal.blockedBy,
      messages: refusal.messages.map { RunReport.Message($0, in: map) })
  }

  fileprivate init(_ index: Int, of run: RunFacts, _ tally: RunTally, in map: SourceMap) {
    let (job, state) = (tally.jobs[index], tally.states[index])
    let assets = job.export.composition.readAssets.sorted {
      ($0.location, $0.streamIndex) < ($1.location, $1.streamIndex)
    }
    self.init(
      name: job.export.name, job: job.job, place: map.place(of: job.export.origin),
      status: state.status,
      blockedBy: state.blocker.flatMap {
        tally.jobs.indices.contains($0) ? tally.jobs[$0].export.name : nil
      },
      reason: state.reason, start: state.start.map { run.start.duration(to: $0) },
      elapsed: state.elapsed, attempts: state.attempts,
      inputs: assets,
      outputs: state.status == .done ? state.outputs : RunReport.Output.planned(job.export),
      messages: (job.warnings + state.diagnostics).map { RunReport.Message($0, in: map) })
  }
}
