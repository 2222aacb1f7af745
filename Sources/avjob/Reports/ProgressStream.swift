import Diagnosis
import ExportEngine
import JobFile
import MediaComposition
import Terminal

/// A run as a stream of events for programs: one JSON object a line; `docs/reports.md` describes it.
///
/// Used on one thread. `write` gets whole lines.
struct ProgressStream {
  /// What the shape is called; it changes where something that was there changes or goes.
  static let version = 1
  /// Progress of one job is told twice a second at most.
  private static let pause = Duration.milliseconds(500)

  private let map: SourceMap
  private let start: ContinuousClock.Instant
  private let write: (String) -> Void
  private var state = ProgressState(names: [])
  private var names: [String] = []
  private var places: [Origin] = []
  private var lastProgress: [Int: ContinuousClock.Instant] = [:]

  /// A stream of a run that started at `start`, whose places `map` knows.
  init(
    places map: SourceMap, start: ContinuousClock.Instant, write: @escaping (String) -> Void
  ) {
    self.map = map
    self.start = start
    self.write = write
  }

  /// The first event: what is going to run.
  mutating func open(
    names: [String], origins: [Origin], estimates: [Duration], refused: Int,
    files: [String], at now: ContinuousClock.Instant
  ) {
    self.names = names
    places = origins
    state = ProgressState(names: names, estimates: estimates)
    tell(
      "run", at: now,
      .members([
        "version": .count(Self.version), "avjob": .text(Engine.version),
        "files": .list(files.map { .text($0) }), "jobs": .count(names.count),
        "refused": .count(refused),
      ]))
  }

  /// Something that belongs to no job that runs.
  func tell(_ message: RunReport.Message, at now: ContinuousClock.Instant) {
    tell(
      message.severity == .error ? "error" : "warning", at: now, JSONReport.message(message))
  }

  /// Something that happened to a job.
  mutating func tell(_ event: RunEvent) {
    state.apply(event)
    let message = event.diagnostic.map { JSONReport.message(RunReport.Message($0, in: map)) }
    let said = message ?? .object([])
    switch event.kind {
    case .started: tell("start", event, placed(event))
    case .progress: progress(event)
    case .warning: tell("warning", event, said)
    case .retrying(_, let pause):
      tell("retrying", event, said, .members(["after": JSONReport.seconds(pause)]))
    case .postponed: tell("postponed", event, .object([]))
    case .upToDate: tell("up_to_date", event, .object([]))
    case .finished(let outputs, let reason):
      tell(
        "finished", event,
        .members([
          "reason": reason.map { .text($0) }, "outputs": .list(outputs.map(JSONReport.output)),
        ]))
    case .failed: tell("failed", event, said)
    case .blocked(let other):
      let name: JSONValue? = names.indices.contains(other) ? .text(names[other]) : nil
      tell("blocked", event, .members(["by": .count(other + 1), "by_name": name]))
    case .cancelled: tell("cancelled", event, .object([]))
    }
  }

  /// The last event: how it all ended.
  func close(_ report: RunReport, at now: ContinuousClock.Instant) {
    tell(
      "summary", at: now,
      .members([
        "exit_status": .count(report.exitStatus), "totals": JSONReport.totals(report),
      ]))
  }

  private func placed(_ event: RunEvent) -> JSONValue {
    guard places.indices.contains(event.job),
      let place = RunReport.Place(places[event.job], in: map)
    else { return .object([]) }
    return .members([
      "file": .text(place.file), "line": .count(place.line), "column": .count(place.column),
    ])
  }

  private mutating func progress(_ event: RunEvent) {
    let now = event.instant
    if let last = lastProgress[event.job], last.duration(to: now) < Self.pause { return }
    guard let job = state.running.first(where: { $0.job == event.job }),
      let progress = job.progress
    else { return }
    lastProgress[event.job] = now
    let elapsed = job.start.duration(to: now).seconds
    tell(
      "progress", event,
      .members([
        "fraction": .number(job.fraction, decimals: 4),
        "completed": .number(progress.completed.seconds, decimals: 3),
        "total": .number(progress.total.seconds, decimals: 3),
        "speed": elapsed > 0 ? .number(progress.completed.seconds / elapsed, decimals: 2) : nil,
        "remaining": job.remaining(at: now).map(JSONReport.seconds),
        "run_fraction": state.share.map { .number($0, decimals: 4) },
        "run_remaining": state.remaining(at: now).map(JSONReport.seconds),
      ]))
  }

  private func tell(_ name: String, _ event: RunEvent, _ parts: JSONValue...) {
    let job = JSONValue.members([
      "job": .count(event.job + 1),
      "name": names.indices.contains(event.job) ? .text(names[event.job]) : nil,
    ])
    tell(name, at: event.instant, [job] + parts)
  }

  private func tell(_ name: String, at now: ContinuousClock.Instant, _ parts: JSONValue...) {
    tell(name, at: now, parts)
  }

  private func tell(_ name: String, at now: ContinuousClock.Instant, _ parts: [JSONValue]) {
    let head = JSONValue.members([
      "event": .text(name), "time": JSONReport.seconds(start.duration(to: now)),
    ])
    let members = ([head] + parts).flatMap { part -> [JSONValue.Member] in
      if case .object(let members) = part { members } else { [] }
    }
    write(JSONValue.object(members).line + "\n")
  }
}
