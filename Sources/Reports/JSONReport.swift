import Diagnosis
import ExportEngine
import JSON
import MediaComposition
import MediaTime
import RunPlan
import Terminal

/// The report for programs (`docs/json.md`).
enum JSONReport {
  /// Of the document: it changes where a member changes or goes.
  static let version = 2

  /// Whether a text that starts like this is a report, of any version.
  static func isReport(_ head: String) -> Bool {
    head.contains("\"versions\": {\n    \"avjob\": ") && head.contains("\n  \"machine\": {")
  }

  /// The whole document. O(length).
  static func text(_ report: RunReport) -> String { json(report).document() }

  /// The whole document as a value. O(length).
  static func json(_ report: RunReport) -> JSONValue {
    .members([
      "version": .count(version),
      "versions": .object(report.versions.map { JSONValue.Member($0.name, .text($0.version)) }),
      "machine": .members(["system": .text(report.system), "cores": .count(report.cores)]),
      "files": .list(report.files.map { .text($0) }),
      "started": .text(report.started.text),
      "elapsed": .elapsed(report.elapsed),
      "exit_status": .count(report.exitStatus),
      "shard": report.shard.map { shard($0, deal: report.deal) },
      "shards": report.shards.map {
        ["count": .count($0.count), "missing": .list($0.missing.map { .count($0) })]
      },
      "totals": totals(report),
      "messages": .list(report.messages.map(message)),
      "jobs": .list(
        report.jobs.map { job($0, isNumbered: report.shard != nil || report.shards != nil) }),
      "manifests": manifests(report),
    ])
  }

  /// What became of lists of files; nil: there are none.
  static func manifests(_ report: RunReport) -> JSONValue? {
    report.manifests.isEmpty ? nil : .list(report.manifests.map(\.json))
  }

  /// The share of a run.
  static func shard(_ shard: Shard, deal: String?) -> JSONValue {
    .members([
      "number": .count(shard.number), "count": .count(shard.count),
      "deal": deal.map { .text($0) },
    ])
  }

  /// Counts over all jobs.
  static func totals(_ report: RunReport) -> JSONValue {
    let outputs = report.writtenOutputs
    let statuses = RunReport.Status.allCases.map {
      JSONValue.Member($0.rawValue, .count(report.count($0)))
    }
    return JSONValue.members(["jobs": .count(report.jobs.count)])
      .with(.object(statuses))
      .with([
        "outputs": .count(outputs.count),
        "bytes": .integer(outputs.bytes),
        "sound": .time(outputs.duration),
      ])
  }

  private static func job(_ job: RunReport.Job, isNumbered: Bool) -> JSONValue {
    JSONValue.members([
      "name": .text(job.name), "job": job.job == job.name ? nil : .text(job.job),
      "number": isNumbered ? .count(job.order.job) : nil,
      "part": isNumbered && job.job != job.name ? .count(job.order.part) : nil,
    ])
    .with(place(job.place))
    .with(
      .members([
        "status": .text(job.status.rawValue),
        "blocked_by": job.blockedBy.map { .text($0) }, "reason": job.reason.map { .text($0) },
        "attempts": .count(job.attempts),
        "tries": job.tries.count > 1 ? .list(job.tries.map(oneTry)) : nil,
        "start": job.start.map { .elapsed($0) },
        "elapsed": job.start.map { _ in .elapsed(job.elapsed) },
        "speed": job.duration.flatMap { speed($0, in: job.elapsed) },
        "inputs": .list(job.inputs.map(input)), "outputs": .list(job.outputs.map(output)),
        "messages": .list(job.messages.map(message)),
      ]))
  }

  private static func oneTry(_ one: RunReport.Try) -> JSONValue {
    .members([
      "start": .elapsed(one.start), "elapsed": .elapsed(one.elapsed),
      "end": one.end.map { .text($0.rawValue) },
    ])
  }

  /// Seconds of sound for each second of work; nil before there is any.
  static func speed(_ sound: Time, in elapsed: Duration) -> JSONValue? {
    elapsed > .zero ? .number(sound.seconds / elapsed.seconds, decimals: 2) : nil
  }

  private static func input(_ input: RunReport.Input) -> JSONValue {
    input.place.with(
      .members([
        "stream": input.stream.map { .count($0) }, "container": .text(input.container),
        "codec": .text(input.codec), "sample_rate": .count(input.sampleRate),
        "channels": .text(input.channels), "frames": .integer(input.frameCount),
        "duration": .time(Time(frames: input.frameCount, rate: input.sampleRate)),
      ]))
  }

  /// A file that a job writes.
  static func output(_ output: RunReport.Output) -> JSONValue {
    JSONValue.file(
      output.path,
      [
        "format": .text(output.format), "bytes": output.bytes.map { .integer($0) },
        "sha256": output.sound?.sha256.map { .text($0) },
        "sample_rate": output.sound.map { .count($0.sampleRate) },
        "channel_count": output.sound.map { .count($0.channelCount) },
        "channels": output.sound?.layout.map { .text($0) },
        "frames": output.sound.map { .integer($0.frameCount) },
        "duration": output.sound.map { .time($0.duration) },
        "peak_dbfs": output.sound.map { sound in
          sound.peak.map { .number($0, decimals: 2) } ?? .null
        },
        "clipped_samples": output.sound.map { .integer($0.clippedSamples) },
      ]
    ).with(output.sound?.facts ?? [:])
  }

  /// A diagnostic.
  static func message(_ message: RunReport.Message) -> JSONValue {
    let diagnostic = message.diagnostic
    return JSONValue.members([
      "severity": .text(diagnostic.severity.rawValue),
      "class": diagnostic.severity == .error ? .text(diagnostic.remedy.className) : nil,
      "message": .text(diagnostic.message),
      "help": diagnostic.help.map { .text($0) },
    ]).with(message.place.map(place) ?? .members(["file": diagnostic.file.map { .text($0) }]))
      .with(.members(["excerpt": message.excerpt.map { .text($0) }]))
  }

  /// The members of a place; none where it is not known.
  static func place(_ place: Place?) -> JSONValue {
    .members([
      "file": place.map { .text($0.file) }, "line": place.map { .count($0.line) },
      "column": place.map { .count($0.column) },
    ])
  }
}

extension JSONValue {
  /// Diagnostics, as every document has them.
  package static func messages(_ messages: [Diagnostic], in map: SourceMap) -> JSONValue {
    .list(messages.map { JSONReport.message(RunReport.Message($0, in: map)) })
  }
}

extension Failure.Remedy {
  /// The `class` of a failure.
  package var className: String {
    switch self {
    case .mendJob: "job"
    case .mendInput: "input"
    case .mendMachine: "machine"
    case .tryAgain: "temporary"
    case .reportBug: "bug"
    }
  }
}
