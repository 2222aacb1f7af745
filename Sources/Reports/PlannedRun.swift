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
  /// Of their messages, as the screen shows them.
  private let knownScreens: Set<String>
  let estimates: [Duration]
  /// The number of the shard that each job is of.
  package let shards: [Int]
  /// The jobs by their places in the job files.
  private let numbers: [WorkOrder: Int]

  /// A run of `work` that is dealt out among machines.
  ///
  /// - Parameters:
  ///   - work: What is going to run.
  ///   - refusals: The jobs that were refused.
  ///   - files: The job files, as they were named.
  ///   - deal: How the work is dealt out (`Preparation.deal`).
  ///   - cores: Of all machines together.
  ///   - diagnostics: What was reported so far.
  package init(
    _ work: [Work], refusals: [Refusal], of files: [String], deal: String?, cores: Int,
    _ diagnostics: ReportedDiagnostics
  ) {
    var run = RunFacts(files: files, cores: cores)
    run.deal = deal
    let tally = RunTally(work, refusals: refusals, in: diagnostics.map)
    var report = RunReport(run, tally, diagnostics, status: ExitStatus.temporary)
    report.shards = RunReport.Shards(count: work.map(\.shard).max() ?? 1, missing: [])
    self.init(report, estimates: work.map(\.estimate), shards: work.map(\.shard))
  }

  private init(_ report: RunReport, estimates: [Duration], shards: [Int]) {
    self.report = report
    jobs = report.jobs.filter { $0.status == .notStarted }
    (self.estimates, self.shards) = (estimates, shards)
    knownScreens = Set(jobs.lazy.flatMap(\.messages).map(\.screen))
    numbers = Dictionary(
      jobs.enumerated().map { ($1.order, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The number of the job at a place; nil where it is none of this run, or has another name.
  func number(_ order: WorkOrder, name: String) -> Int? {
    numbers[order].flatMap { jobs[$0].name == name ? $0 : nil }
  }

  /// Whether a message was reported of a job before work started.
  func knows(_ message: RunReport.Message) -> Bool { knownScreens.contains(message.screen) }

  /// The job files, as they were named.
  package var files: [String] { report.files }

  /// The job files and outputs, which no report may replace. O(outputs)
  package var registry: PathRegistry {
    var registry = PathRegistry()
    for path in files.map({ FilePath($0) }) + jobs.flatMap(\.outputs).map(\.path) {
      registry.protect(path)
    }
    return registry
  }

  var refused: [RunReport.Job] { report.jobs.filter { $0.status != .notStarted } }

  // MARK: - As a document

  /// The plan as a document, for `init(json:)`. O(jobs)
  package var json: JSONValue {
    [
      "estimates": .list(estimates.map { .elapsed($0) }),
      "shards": .list(shards.map { .count($0) }), "report": JSONReport.json(report),
      "deal": report.deal.map { .text($0) } ?? .null,
    ]
  }

  /// The plan of a document that `json` gave; nil for any other document. O(jobs)
  package init?(json: JSONValue) {
    guard let document = json["report"], var report = try? RunReport(document) else { return nil }
    report.deal = json["deal"]?.text
    self.init(
      report, estimates: (json["estimates"]?.elements ?? []).compactMap(\.elapsed),
      shards: (json["shards"]?.elements ?? []).compactMap { $0.integer.map { Int($0) } })
    guard estimates.count == jobs.count, shards.count == jobs.count else { return nil }
  }
}

extension RunReport {
  /// Takes over what was known before the first job started, in place of what a process knows that
  /// only follows the run, and adds `messages` that are later.
  mutating func complete(by plan: PlannedRun, _ messages: [Message]) {
    (files, cores, shards) = (plan.report.files, plan.report.cores, plan.report.shards)
    self.messages = plan.report.messages + messages
  }
}
