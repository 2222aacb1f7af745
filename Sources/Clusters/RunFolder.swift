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
  let path: FilePath
  /// The array's number.
  package let array: String
  /// In the names of all files of one submission: an engine that was set up anew gives numbers again.
  private(set) var token: String

  /// The folder of an array of Slurm, below the folder of all runs; `token` is that of its submission,
  /// or empty until `run()`.
  package init(array: String, token: String = "", below runs: FilePath = Self.all) {
    path = runs.appending("slurm-\(array)")
    (self.array, self.token) = (array, token)
  }

  package static let all = FilePath(".avjob/runs")
  private var plan: FilePath { path.appending("run.json") }
  private static let version: Int64 = 1
  private static let largestPlan = 1 << 30

  // MARK: - The plan

  /// Keeps what is known before the first task starts, and the command that resumes the run.
  func write(_ run: PlannedRun, resumedBy command: String) throws(Failure) {
    for folder in [".avjob", Self.all, path] where PathCalls.mkdir(folder, 0o777) != 0 {
      guard errno == EEXIST else {
        throw Failure(.mendMachine, "cannot be made: \(Errno(rawValue: errno))", path: folder)
      }
    }
    let document: JSONValue = [
      "version": .integer(Self.version), "token": .text(token), "command": .text(command),
      "run": run.json,
    ]
    let file = try OutputFile.create(at: plan)
    try file.put(Array(document.document().utf8), at: 0)
    try file.flush()
    try file.commit()
  }

  /// The plan of a run that was started in the present folder, and the command that resumes it.
  ///
  /// - Returns: Both.
  /// - Throws: Where there is none, or it cannot be read.
  /// - Complexity: O(jobs)
  package mutating func run() throws(Failure) -> (plan: PlannedRun, command: String) {
    let bytes: [UInt8]
    do {
      bytes = try PathCalls.contents(of: plan, limit: Self.largestPlan)
    } catch {
      guard error == .noSuchFileOrDirectory else {
        throw Failure(.mendMachine, "cannot be read: \(error)", path: plan)
      }
      throw Failure(
        .mendJob,
        "there is no run \(array) here: 'avjob attach' follows what 'avjob run --on slurm' has "
          + "started in the same folder")
    }
    guard let document = try? JSONValue(reading: bytes),
      document["version"]?.integer == Self.version,
      let token = document["token"]?.text, let command = document["command"]?.text,
      let run = document["run"].flatMap({ PlannedRun(json: $0) })
    else {
      throw Failure(
        .mendMachine,
        "cannot be read: another version of avjob has written it; attach with that one, or run again",
        path: plan)
    }
    self.token = token
    return (run, command)
  }

  // MARK: - The tasks' files

  /// What a task runs: a shard, whose events go to a file of this start, since a task that is queued
  /// again starts anew. Then `--force` would make again what is made.
  static func script(_ run: ShardedRun, program: String, token: String) -> String {
    let isForced = run.words.contains("--force")
    var run = run
    run.words = run.words.without(options: [], flags: ["--force"])
    let command = run.command(
      shellQuoted(program), shard: "\"$SLURM_ARRAY_TASK_ID/\(run.shards)\"",
      // A task finds out what its own report tells, and its events have it.
      reports: run.examination.isEmpty
        ? [] : [run.examination.contains(.levels) ? "\"$task.json\"" : "\"$task.xml\""],
      options: ["--progress", "json", "\"${force[@]}\""])
    return """
      #!/bin/bash
      folder=\(all)/slurm-$SLURM_ARRAY_JOB_ID
      task=$folder/$SLURM_ARRAY_TASK_ID.${SLURM_RESTART_COUNT:-0}.\(token)
      mkdir -p "$folder" || exit
      force=(\(isForced ? "--force" : ""))
      ((${SLURM_RESTART_COUNT:-0} == 0)) || force=()
      exec \(command) >"$task.events" 2>"$task.log"

      """
  }

  /// The starts of each task that has begun, in their order. O(n log n), n being the folder's files
  func starts() -> [Int: [Int]] {
    var starts: [Int: [Int]] = [:]
    for entry in PathCalls.entries(of: path) ?? [] {
      let words = entry.name.string.split(separator: ".")
      guard words.count == 4, words[2] == token, words[3] == "events", let task = Int(words[0]),
        let start = Int(words[1])
      else { continue }
      starts[task, default: []].append(start)
    }
    return starts.mapValues { $0.sorted() }
  }

  /// The file of a task's start: its `events`, or its `log`.
  func file(ofTask task: Int, start: Int, _ kind: String) -> FilePath {
    path.appending("\(task).\(start).\(token).\(kind)")
  }

  /// The last lines that a task has printed for people; empty where there are none.
  func lastLines(ofTask task: Int, start: Int) -> String {
    let log = file(ofTask: task, start: start, "log")
    let bytes = (try? PathCalls.contents(of: log, limit: 64 << 20)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(3)
      .joined(separator: " | ").printable
  }
}
