import Diagnosis
import Glibc
import Threads

/// Where a task of a job array is.
package enum TaskState: Hashable, Sendable {
  /// It is queued, for a reason in the engine's words.
  case waiting(String)
  case running
  /// It will not run any more; the state in the engine's words.
  case ended(String)
}

/// An engine that runs the tasks of a job array.
package protocol ArrayScheduler: Sendable {
  /// As people call it.
  var name: String { get }

  /// Queues an array.
  ///
  /// - Parameters:
  ///   - script: For a shell, which has `SLURM_ARRAY_TASK_ID`.
  ///   - options: As the engine's command takes them.
  /// - Returns: Its number.
  /// - Throws: Where the engine is not here, or refuses it.
  func submit(_ script: String, _ options: [String]) throws(Failure) -> String

  /// The tasks of an array that the engine remembers, by their numbers; nil where it does not answer.
  func tasks(of array: String) -> [Int: TaskState]?

  /// Stops all tasks of an array.
  func cancel(_ array: String) throws(Failure)
}

/// Machines of one kind.
package struct Machines: Hashable, Sendable {
  package var count: Int
  /// Of each.
  package var cores: Int

  package init(count: Int, cores: Int) { (self.count, self.cores) = (count, cores) }
}

/// Slurm, by its commands. Tested with 22.05.
package struct SlurmScheduler: ArrayScheduler {
  package let name = "Slurm"

  /// Slurm as this machine is set up for it.
  package init() {}

  package func submit(_ script: String, _ options: [String]) throws(Failure) -> String {
    let answer = try ask(["sbatch", "--parsable"] + options, saying: script)
    // The number, and the cluster behind a semicolon where there are several.
    guard let id = answer.first?.split(separator: ";").first, Int(id) != nil else {
      throw Failure(
        .mendMachine, "sbatch gave no number: \(answer.joined(separator: " ").printable)")
    }
    return String(id)
  }

  package func tasks(of array: String) -> [Int: TaskState]? {
    let words = ["squeue", "--noheader", "--array", "--states=all", "--format=%K|%T|%r"]
    do throws(Failure) {
      return Self.tasks(try ask(words + ["--jobs=\(array)"]))
    } catch {
      // It forgets what ended some minutes ago (MinJobAge).
      return error.message.contains("Invalid job id") ? [:] : nil
    }
  }

  package func cancel(_ array: String) throws(Failure) { _ = try ask(["scancel", array]) }

  /// How many machines of a partition, or of the usual one, are up, and how many cores the smallest of
  /// them has.
  package func machines(in partition: String?) throws(Failure) -> Machines {
    let lines = try ask(
      ["sinfo", "--noheader", "--format=%P|%D|%c|%t"]
        + (partition.map { ["--partition=\($0)"] } ?? []))
    guard let machines = Self.machines(lines, isChosen: partition != nil) else {
      let name = partition.map { "partition '\($0)'" } ?? "usual partition"
      throw Failure(
        .mendMachine,
        "the \(name) of Slurm has no machine that is up; 'sinfo' lists them, and --shards with "
          + "--cores asks for some")
    }
    return machines
  }

  /// What sinfo has printed: the usual partition has an asterisk.
  static func machines(_ lines: [String], isChosen: Bool) -> Machines? {
    var machines: Machines?
    for line in lines {
      let words = line.split(separator: "|")
      guard words.count == 4, isChosen || words[0].hasSuffix("*"), let count = Int(words[1]),
        let cores = Int(words[2].prefix { $0.isNumber }), count > 0, cores > 0,
        // A trailing sign is about power or contact (sinfo, "node state codes").
        ["idle", "mix", "alloc", "comp", "plnd"].contains(where: words[3].hasPrefix),
        !words[3].hasSuffix("*")
      else { continue }
      let known = machines ?? Machines(count: 0, cores: cores)
      machines = Machines(
        count: min(known.count + count, largestArray), cores: min(known.cores, cores))
    }
    return machines
  }

  /// Tasks of an array, unless a site says otherwise (`MaxArraySize` of slurm.conf, less one).
  private static let largestArray = 1000

  /// What squeue has printed.
  static func tasks(_ lines: [String]) -> [Int: TaskState] {
    var tasks: [Int: TaskState] = [:]
    for line in lines {
      let words = line.split(separator: "|", omittingEmptySubsequences: false)
      guard words.count == 3, let number = Int(words[0]) else { continue }
      tasks[number] =
        switch words[1] {
        case "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "SUSPENDED",
          "STOPPED":
          .waiting(String(words[2]))
        case "RUNNING", "CONFIGURING", "COMPLETING", "RESIZING", "SIGNALING", "STAGE_OUT": .running
        default: .ended(String(words[1]))
        }
    }
    return tasks
  }

  /// Bytes of input are for its standard input. An answer has a minute.
  private func ask(_ words: [String], saying input: String = "") throws(Failure) -> [String] {
    let child: ChildProcess
    do {
      // A task that submits a run has a count of its own.
      child = try ChildProcess.spawn(
        "/usr/bin/env", arguments: ["-u", "SLURM_RESTART_COUNT"] + words)
    } catch {
      throw Failure(.mendMachine, "\(words[0]) cannot be started: \(error)")
    }
    _ = child.send(Array(input.utf8))
    var lines: [String] = []
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    reading: while true {
      switch child.readLine(within: ContinuousClock.now.duration(to: end)) {
      case .line(let line): lines.append(String(decoding: line, as: UTF8.self))
      case .nothing where ContinuousClock.now < end: continue
      case .nothing, .endless:
        child.signal(SIGKILL)
        throw Failure(.tryAgain, "\(words[0]) does not answer")
      case .end: break reading
      }
    }
    switch child.wait() {
    case .exited(0): return lines
    case .exited(127):
      throw Failure(
        .mendMachine, "there is no '\(words[0])' here: log in to a machine of the cluster")
    default:
      let words = [words[0] + ":"] + child.lastComplaints(3)
      throw Failure(.mendMachine, words.joined(separator: " ").printable)
    }
  }
}
