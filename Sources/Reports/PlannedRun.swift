import Diagnosis
import ExportEngine
import JSON
import RunPlan
import SystemPackage

/// A run before any of its jobs has started, as another process, perhaps another version, can follow it.
package struct PlannedRun: Sendable {
  /// What a report says of it: jobs that are to run have not started, others were refused.
  let report: RunReport
  /// Of the jobs that are to run.
  let jobs: [RunReport.Job]
  let estimates: [Duration]
  /// The number of the shard that each job is of.
  package let shards: [Int]
  /// The jobs by their places in the job files.
  private let numbers: [WorkOrder: Int]

  /// A run of `work` that is dealt out among machines.
  ///
  /// - Parameters:
  ///   - work: What is going to run.
  ///   - refusals: What is not.
  ///   - files: The job files, as they were named.
  ///   - cores: Of all machines together.
  ///   - diagnostics: What was reported so far.
  package init(
    _ work: [Work], refusals: [Refusal], of files: [String], cores: Int,
    _ diagnostics: ReportedDiagnostics
  ) {
    let run = RunFacts(files: files, cores: cores)
    let tally = RunTally(work, refusals: refusals, in: diagnostics.map)
    var report = RunReport(run, tally, diagnostics, status: ExitStatus.temporary)
    report.shards = RunReport.Shards(count: work.map(\.shard).max() ?? 1, missing: [])
    self.init(report, estimates: work.map(\.estimate), shards: work.map(\.shard))
  }

  private init(_ report: RunReport, estimates: [Duration], shards: [Int]) {
    self.report = report
    jobs = report.jobs.filter { $0.status == .notStarted }
    (self.estimates, self.shards) = (estimates, shards)
    numbers = Dictionary(
      jobs.enumerated().map { ($1.order, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The number of the job at a place; nil where it is none of this run.
  func number(_ order: WorkOrder) -> Int? { numbers[order] }

  /// The job files, as they were named.
  package var files: [String] { report.files }

  /// The job files and outputs, which no report may replace.
  package var registry: PathRegistry {
    var registry = PathRegistry()
    for path in files.map({ FilePath($0) }) + jobs.flatMap(\.outputs).map(\.path) {
      registry.protect(path)
    }
    return registry
  }

  var refused: [RunReport.Job] { report.jobs.filter { $0.status != .notStarted } }

  /// The jobs of some shards that have begun and not ended, or that have not begun.
  package func jobs(ofShard shard: Int) -> [Int] {
    shards.indices.filter { shards[$0] == shard }
  }

  // MARK: - As a document

  /// For `init(json:)`.
  package var json: JSONValue {
    [
      "estimates": .list(estimates.map { .elapsed($0) }),
      "shards": .list(shards.map { .count($0) }), "report": JSONReport.json(report),
    ]
  }

  /// What `json` gave; nil for any other document.
  package init?(json: JSONValue) {
    guard let document = json["report"], let report = try? RunReport(document) else { return nil }
    self.init(
      report, estimates: (json["estimates"]?.elements ?? []).compactMap(\.elapsed),
      shards: (json["shards"]?.elements ?? []).compactMap { $0.integer.map { Int($0) } })
    guard estimates.count == jobs.count, shards.count == jobs.count else { return nil }
  }
}

extension RunReport {
  /// Takes over what was known before the first job started, in place of what a process knows that
  /// only follows the run, and adds what its shards said of no job.
  mutating func complete(by plan: PlannedRun, _ messages: [Message]) {
    let delay = plan.report.started.duration(to: started)
    (files, cores, shards) = (plan.report.files, plan.report.cores, plan.report.shards)
    (started, elapsed) = (plan.report.started, elapsed + delay)
    for job in jobs.indices { jobs[job].start = jobs[job].start.map { $0 + delay } }
    self.messages = plan.report.messages + messages
  }
}
