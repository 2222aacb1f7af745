import Diagnosis
import ExportEngine
import JSON

/// A run as a stream of events for programs: one JSON object a line; `docs/json.md` describes it.
///
/// Used on one thread. `write` gets whole lines.
struct ProgressStream {
  /// Of the events: it changes where a member changes or goes.
  static let version = 2
  /// Between two events of one job's progress, at least.
  private static let pause = Duration.milliseconds(500)

  private let map: SourceMap
  var run: RunFacts
  private let write: (String) -> Void
  private var lastProgress: [Int: ContinuousClock.Instant] = [:]

  /// The stream of a run, whose places `map` knows.
  init(of run: RunFacts, places map: SourceMap, write: @escaping (String) -> Void) {
    self.run = run
    self.map = map
    self.write = write
  }

  /// The first event, and messages that belong to no job that runs.
  func open(_ tally: RunTally, _ messages: [Diagnostic], at now: ContinuousClock.Instant) {
    write(
      .run, at: now,
      .members([
        "version": .count(Self.version), "avjob": .text(Engine.version),
        "started": .text(run.started.text), "files": .list(run.files.map { .text($0) }),
        "shard": run.shard.map { JSONReport.shard($0, deal: run.deal) },
        "jobs": .count(tally.names.count),
        "refused": .count(tally.refused.count),
      ]))
    for message in messages {
      write(
        .init(message.severity), at: now, JSONReport.message(RunReport.Message(message, in: map)))
    }
    for job in tally.names.indices {
      for message in tally.plannedJob(job).messages {
        write(.init(message.severity), JSONReport.message(message), of: job, tally, at: now)
      }
    }
  }

  /// Something that happened to a job, which `tally` has taken in.
  mutating func show(_ event: RunEvent, _ tally: RunTally) {
    guard tally.names.indices.contains(event.job) else { return }
    let message = event.kind.message.map(JSONReport.message) ?? [:]
    let (name, members): (RunEvent.Name, JSONValue?) =
      switch event.kind {
      case .started:
        (.start, JSONReport.place(tally.plannedJob(event.job).place))
      case .progress: (.progress, progress(event, tally))
      case .warning: (.warning, message)
      case .retrying(_, let pause): (.retrying, message.with(["after": .elapsed(pause)]))
      case .postponed: (.postponed, [:])
      case .requeued: (.requeued, [:])
      case .upToDate: (.upToDate, [:])
      case .finished(let outputs, let reason):
        (
          .finished,
          .members([
            "reason": reason.map { .text($0) },
            "outputs": .list(outputs.map(JSONReport.output)),
          ])
        )
      case .failed: (.failed, message)
      case .blocked(let other):
        (
          .blocked,
          .members([
            "by": .count(other + 1),
            "by_name": tally.names.indices.contains(other) ? .text(tally.rawNames[other]) : nil,
          ])
        )
      case .cancelled: (.cancelled, [:])
      }
    if let members { write(name, members, of: event.job, tally, at: event.instant) }
  }

  /// The last event: how it all ended.
  func close(_ report: RunReport, at now: ContinuousClock.Instant) {
    write(
      .summary, at: now,
      .members([
        "exit_status": .count(report.exitStatus), "totals": JSONReport.totals(report),
        "manifests": JSONReport.manifests(report),
      ]))
  }

  /// Nil where it comes too soon after the last one.
  private mutating func progress(_ event: RunEvent, _ tally: RunTally) -> JSONValue? {
    let now = event.instant
    if let last = lastProgress[event.job], last.duration(to: now) < Self.pause { return nil }
    guard let job = tally.running.first(where: { $0.job == event.job }),
      let progress = job.progress
    else { return nil }
    lastProgress[event.job] = now
    return .members([
      "fraction": .number(job.fraction, decimals: 4),
      "completed": .time(progress.completed), "total": .time(progress.total),
      "speed": JSONReport.speed(progress.completed, in: job.start.duration(to: now)),
      "remaining": job.remaining(at: now).map { .elapsed($0) },
      "run_fraction": tally.share.map { .number($0, decimals: 4) },
      "run_remaining": tally.remaining(at: now).map { .elapsed($0) },
    ])
  }

  private func write(
    _ name: RunEvent.Name, _ members: JSONValue, of job: Int, _ tally: RunTally,
    at now: ContinuousClock.Instant
  ) {
    let order = run.shard == nil ? nil : tally.orders[job]
    let head = JSONValue.members([
      "job": .count(job + 1), "name": .text(tally.rawNames[job]),
      "number": order.map { .count($0.job) }, "part": order.map { .count($0.part) },
    ])
    write(name, at: now, head.with(members))
  }

  private func write(_ name: RunEvent.Name, at now: ContinuousClock.Instant, _ members: JSONValue) {
    let head: JSONValue = [
      "event": .text(name.rawValue), "time": .elapsed(run.start.duration(to: now)),
    ]
    write(head.with(members).line + "\n")
  }
}
