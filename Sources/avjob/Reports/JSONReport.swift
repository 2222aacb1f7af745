import ExportEngine
import JobFile
import JobModel
import MediaComposition
import MediaTime
import Terminal

/// The report for programs; `docs/reports.md` describes it.
enum JSONReport {
  /// What the shape is called; it changes where something that was there changes or goes.
  static let version = 1

  /// The whole document. O(length).
  static func text(_ report: RunReport) -> String {
    JSONValue.members([
      "version": .count(version),
      "versions": versions(report),
      "machine": .members(["system": .text(report.system), "cores": .count(report.cores)]),
      "files": .list(report.files.map { .text($0) }),
      "started": .text(report.started.text),
      "elapsed": seconds(report.elapsed),
      "exit_status": .count(report.exitStatus),
      "totals": totals(report),
      "messages": .list(report.messages.map(message)),
      "jobs": .list(report.jobs.map(job)),
    ]).document
  }

  private static func versions(_ report: RunReport) -> JSONValue {
    .object(
      report.versions.map { JSONValue.Member(name: $0.name, value: .text($0.version)) })
  }

  /// What is counted over all jobs.
  static func totals(_ report: RunReport) -> JSONValue {
    let outputs = report.jobs.filter { $0.status == .done }.flatMap(\.outputs)
    let sound: Double = outputs.compactMap { $0.sound?.duration.seconds }.reduce(0, +)
    let bytes: Int64 = outputs.reduce(0) { $0 + ($1.bytes ?? 0) }
    var members = [JSONValue.Member(name: "jobs", value: .count(report.jobs.count))]
    for status in RunReport.Status.allCases {
      members.append(.init(name: status.rawValue, value: .count(report.count(status))))
    }
    members.append(.init(name: "outputs", value: .count(outputs.count)))
    members.append(.init(name: "bytes", value: .integer(bytes)))
    members.append(.init(name: "sound", value: .number(sound, decimals: 6)))
    return .object(members)
  }

  private static func job(_ job: RunReport.Job) -> JSONValue {
    let speed = job.duration.flatMap { duration -> JSONValue? in
      let elapsed = job.elapsed.seconds
      return elapsed > 0 ? .number(duration.seconds / elapsed, decimals: 2) : nil
    }
    return .members([
      "name": .text(job.name), "job": job.job == job.name ? nil : .text(job.job),
      "file": job.place.map { .text($0.file) }, "line": job.place.map { .count($0.line) },
      "column": job.place.map { .count($0.column) },
      "status": .text(job.status.rawValue),
      "blocked_by": job.blockedBy.map { .text($0) }, "reason": job.reason.map { .text($0) },
      "attempts": .count(job.attempts), "start": job.start.map(seconds),
      "elapsed": job.start.map { _ in seconds(job.elapsed) }, "speed": speed,
      "inputs": .list(job.inputs.map(input)), "outputs": .list(job.outputs.map(output)),
      "messages": .list(job.messages.map(message)),
    ])
  }

  private static func input(_ input: RunReport.Input) -> JSONValue {
    .file(
      input.path,
      [
        "stream": .count(input.stream), "container": .text(input.container),
        "codec": .text(input.codec), "sample_rate": .count(input.sampleRate),
        "channels": .text(input.channels), "frames": .integer(input.frames),
        "duration": duration(Time(frames: input.frames, rate: input.sampleRate)),
      ])
  }

  /// A file that a job writes.
  static func output(_ output: RunReport.Output) -> JSONValue {
    .file(
      output.path,
      [
        "format": .text(output.format), "bytes": output.bytes.map { .integer($0) },
        "sha256": output.sha256.map { .text($0) },
        "sample_rate": output.sound.map { .count($0.sampleRate) },
        "channels": output.sound.map { .count($0.channelCount) },
        "frames": output.sound.map { .integer($0.frames) },
        "duration": output.sound.map { duration($0.duration) },
        "peak_dbfs": output.sound.map { sound in
          sound.peakDecibels.map { .number($0, decimals: 2) } ?? .null
        },
        "clipped_samples": output.sound.map { .integer($0.clippedSamples) },
      ])
  }

  /// Something that was said.
  static func message(_ message: RunReport.Message) -> JSONValue {
    .members([
      "severity": .text(message.severity.rawValue),
      "class": message.remedy.map { .text($0.className) },
      "message": .text(message.text), "help": message.help.map { .text($0) },
      "file": message.place.map { .text($0.file) }, "line": message.place.map { .count($0.line) },
      "column": message.place.map { .count($0.column) },
    ])
  }

  /// Of sound: to the microsecond; frames and rate beside it are exact.
  private static func duration(_ time: Time) -> JSONValue { .number(time.seconds, decimals: 6) }

  /// Of work: to the millisecond.
  static func seconds(_ duration: Duration) -> JSONValue {
    .number(duration.seconds, decimals: 3)
  }
}
