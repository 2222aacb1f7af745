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
  /// The share of the work that it does; nil: all.
  var shard: Shard?
  /// How the work was dealt out (`Preparation.deal`), once that is known.
  var deal: String?
  private(set) var start = ContinuousClock.now
  private(set) var started = Timestamp.now

  /// Takes over when a run has started that another process began.
  mutating func begin(at started: Timestamp) {
    start = start.advanced(by: self.started.duration(to: started))
    self.started = started
  }
}

extension RunReport {
  /// The report of a run that ends with `status`, as `tally` has it now.
  ///
  /// - Complexity: O(n log n)
  init(_ run: RunFacts, _ tally: RunTally, _ diagnostics: ReportedDiagnostics, status: Int32) {
    let map = diagnostics.map
    jobs = tally.names.indices.map { number in
      var job = tally.job(number)
      job.start = tally.states[number].start.map { run.start.duration(to: $0) }
      job.tries = tally.states[number].tries.map { one in
        RunReport.Try(
          start: run.start.duration(to: one.start), elapsed: one.start.duration(to: one.end),
          end: one.ending)
      }
      return job
    }
    if !tally.refused.isEmpty { jobs = (jobs + tally.refused).sorted { $0.order < $1.order } }
    let owned = Set(jobs.lazy.flatMap(\.messages).map(\.diagnostic))
    messages = diagnostics.all.lazy.filter { !owned.contains($0.masked) }.map {
      Message($0, in: map)
    }
    (versions, system, cores) = (Engine.versions, Self.machine, run.cores)
    (files, started, elapsed) = (run.files, run.started, run.start.duration(to: .now))
    (exitStatus, shard, deal) = (status, run.shard, run.deal)
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
  init(_ refusal: Refusal, in map: SourceMap) {
    self.init(
      name: refusal.name, job: refusal.name, order: refusal.order,
      place: map.place(of: refusal.origin),
      status: refusal.blockedBy == nil ? .failed : .blocked, blockedBy: refusal.blockedBy,
      messages: refusal.messages.map { RunReport.Message($0, in: map) })
  }

  /// A job before anything happened to it.
  init(_ work: Work, in map: SourceMap) {
    let assets = work.export.composition.readAssets.sorted {
      ($0.location, $0.streamIndex) < ($1.location, $1.streamIndex)
    }
    self.init(
      name: work.export.name, job: work.job, order: work.order,
      place: map.place(of: work.export.origin), status: .notStarted,
      inputs: assets.map(RunReport.Input.init), outputs: RunReport.Output.planned(work.export),
      messages: work.warnings.map { RunReport.Message($0, in: map) })
    if let nodes = try? work.session.graph().nodes {
      graph = RunReport.PlannedGraph(nodeCount: nodes.count) {
        (try? work.session.graph())?.nodesJSON ?? .null
      }
    }
  }
}
