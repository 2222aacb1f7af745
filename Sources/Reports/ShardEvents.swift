import Diagnosis
import JSON
import MediaTime
import RunPlan
import WorkerPool

/// The events of a shard as its process has written them (`ProgressStream`), as events of the whole run.
package struct ShardEvents {
  /// What a line says.
  package enum Item: Sendable {
    case event(RunEvent)
    /// Belongs to no job.
    case message(RunReport.Message)
    /// The shard has ended, with this status, and this became of lists of files.
    case ended(Int32, manifests: [RunReport.Manifest])
    /// The shard's process has dealt out other work than this run: a job file has changed, or a medium
    /// cannot be read there.
    case foreign
  }

  private let plan: PlannedRun
  /// When the shard's process has started, by this process's clock.
  private var start = ContinuousClock.now
  /// Of the whole run, by those of the shard.
  private var numbers: [Int64: Int] = [:]

  /// Events of a shard of `plan`.
  package init(of plan: PlannedRun) { self.plan = plan }

  /// What a line says; nil where that is nothing here, or half a line.
  package mutating func item(_ line: [UInt8]) -> Item? {
    guard let value = try? JSONValue(reading: line),
      let name = value["event"]?.text.flatMap({ RunEvent.Name(rawValue: $0) })
    else { return nil }
    switch name {
    case .run:
      if let started = value["started"]?.text.flatMap(Timestamp.init) {
        start = .now.advanced(by: .zero - started.duration(to: .now))
      }
      return value["shard"]?["deal"]?.text == plan.report.deal ? nil : .foreign
    case .summary:
      return value["exit_status"]?.integer.map { status in
        .ended(Int32(clamping: status), manifests: Self.manifests(value))
      }
    default: break
    }
    let message = try? RunReport.Message(value)
    guard let job = number(value) else { return message.map { .message($0) } }
    guard let kind = kind(name, value, message) else { return nil }
    let instant = start.advanced(by: value["time"]?.elapsed ?? .zero)
    return .event(RunEvent(job: job, kind, at: instant))
  }

  /// Another version may say something else of them.
  private static func manifests(_ summary: JSONValue) -> [RunReport.Manifest] {
    guard summary["manifests"] != nil else { return [] }
    return (try? summary.list("manifests", RunReport.Manifest.init)) ?? []
  }

  /// The job of a line.
  private mutating func number(_ value: JSONValue) -> Int? {
    guard let own = value["job"]?.integer else { return nil }
    if let known = numbers[own] { return known }
    guard let job = value["number"]?.integer, let part = value["part"]?.integer,
      let name = value["name"]?.text,
      let number = plan.number(WorkOrder(job: Int(job), part: Int(part)), name: name)
    else { return nil }
    numbers[own] = number
    return number
  }

  private func kind(
    _ name: RunEvent.Name, _ value: JSONValue, _ message: RunReport.Message?
  ) -> RunEvent.Kind? {
    switch name {
    case .start: return .started
    case .progress:
      guard let completed = value["completed_exact"]?.text.flatMap({ Time($0) }),
        let total = value["total_exact"]?.text.flatMap({ Time($0) })
      else { return nil }
      return .progress(JobProgress(completed: completed, total: total))
    // A shard finds again what was found before it was submitted.
    case .note, .warning:
      return message.flatMap { plan.knows($0) ? nil : .warning($0) }
    case .retrying: return message.map { .retrying($0, after: value["after"]?.elapsed ?? .zero) }
    case .postponed: return .postponed
    case .finished:
      let outputs = try? value.list("outputs", RunReport.Output.init)
      return outputs.map { .finished($0, reason: value["reason"]?.text) }
    case .upToDate: return .upToDate
    case .failed: return message.map { .failed($0) }
    case .cancelled: return .cancelled
    case .blocked: return value["by"]?.integer.flatMap { numbers[$0] }.map { .blocked(by: $0) }
    // None of a job's, but for `requeued`, which no shard itself says.
    case .run, .summary, .error, .requeued: return nil
    }
  }
}
