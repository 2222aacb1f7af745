import Diagnosis
import ExportEngine
import Files
import Glibc
import JSON
import Reports
import SystemPackage

/// What the tasks of an array write, and what is needed to follow them: a folder below the current
/// one, which all machines share.
package struct RunFolder: Sendable {
  package let path: FilePath
  /// The array's number.
  package let array: String

  /// The folder of an array of Slurm.
  package init(array: String) {
    path = Self.all.appending("slurm-\(array)")
    self.array = array
  }

  private static let all = FilePath(".avjob/runs")
  private var plan: FilePath { path.appending("run.json") }
  private static let version: Int64 = 1
  private static let largestPlan = 1 << 30

  // MARK: - The plan

  /// Keeps what is known before the first task starts.
  func write(_ run: PlannedRun) throws(Failure) {
    for folder in [".avjob", Self.all, path] where PathCalls.mkdir(folder, 0o777) != 0 {
      guard errno == EEXIST else {
        throw Failure(.mendMachine, "cannot be made: \(Errno(rawValue: errno))", path: folder)
      }
    }
    let document: JSONValue = ["version": .integer(Self.version), "run": run.json]
    let file = try OutputFile.create(at: plan)
    try file.put(Array(document.document().utf8), at: 0)
    try file.flush()
    try file.commit()
  }

  /// The plan of a run that was started in this folder.
  package func run() throws(Failure) -> PlannedRun {
    let bytes: [UInt8]
    do {
      bytes = try PathCalls.contents(of: plan, limit: Self.largestPlan)
    } catch {
      throw Failure(
        .mendJob,
        "there is no run \(array) here: 'avjob attach' follows what 'avjob run --on slurm' has "
          + "started in the same folder")
    }
    guard let document = try? JSONValue(reading: bytes),
      document["version"]?.integer == Self.version,
      let run = document["run"].flatMap({ PlannedRun(json: $0) })
    else {
      throw Failure(.mendMachine, "cannot be read: another version has written it", path: plan)
    }
    return run
  }

  // MARK: - The tasks' files

  /// What a task runs: a shard, whose events go to a file of this start, since a task that is queued
  /// again starts anew. Then `--force` would make again what is made.
  static func script(_ run: ShardedRun, program: String) -> String {
    let isForced = run.words.contains("--force")
    var run = run
    run.words = run.words.without(options: [], flags: ["--force"])
    let command = run.command(
      shellQuoted(program), shard: "auto", reports: run.measures ? ["\"$task.json\""] : [],
      options: ["--progress", "json", "\"${force[@]}\""])
    return """
      #!/bin/bash
      folder=\(all)/slurm-$SLURM_ARRAY_JOB_ID
      task=$folder/$SLURM_ARRAY_TASK_ID.${SLURM_RESTART_COUNT:-0}
      mkdir -p "$folder" || exit
      force=(\(isForced ? "--force" : ""))
      ((${SLURM_RESTART_COUNT:-0} == 0)) || force=()
      exec \(command) >"$task.events" 2>"$task.log"

      """
  }

  /// The latest start of each task that has begun, from 0. O(files)
  func starts() -> [Int: Int] {
    var starts: [Int: Int] = [:]
    for entry in PathCalls.entries(of: path) ?? [] {
      let words = entry.name.string.split(separator: ".")
      guard words.count == 3, words[2] == "events", let task = Int(words[0]),
        let start = Int(words[1])
      else { continue }
      starts[task] = max(start, starts[task] ?? 0)
    }
    return starts
  }

  func events(ofTask task: Int, start: Int) -> FilePath {
    path.appending("\(task).\(start).events")
  }

  /// The last lines that a task has printed for people; empty where there are none.
  func lastWords(ofTask task: Int, start: Int) -> String {
    let log = path.appending("\(task).\(start).log")
    let bytes = (try? PathCalls.contents(of: log, limit: 1 << 20)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(3)
      .joined(separator: " | ").printable
  }
}
