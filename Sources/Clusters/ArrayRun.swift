import Diagnosis
import Files
import Glibc
import Reports
import RunPlan
import SystemPackage
import Threads

/// A run whose shards are the tasks of a job array, seen from outside: what they write is reported as
/// if their jobs ran here.
///
/// All that is told of a shard stands in its task's files; the engine is asked only whether a task may
/// still write. So the engine may be down for a while, and forget what has ended. Used on one thread.
package struct ArrayRun {
  private let scheduler: any ArrayScheduler
  private let folder: RunFolder
  private let plan: PlannedRun
  private let reporter: RunReporter
  private var tasks: [Int: Task]
  private var isCancelled = false

  /// How long the last lines of a task that has ended may take to be seen: on network file systems
  /// seconds (`acdirmax` of nfs(5), 60).
  private let grace: Duration
  private static let pause = Duration.milliseconds(200)
  private static let askingPause = Duration.seconds(2)

  /// What is known of a task.
  private struct Task {
    var events: ShardEvents
    /// Whose events are read; nil: it has not begun.
    var start: Int?
    /// Of the events that are read.
    var offset: Int64 = 0
    var partialLine: [UInt8] = []
    /// Of the shard's process, where it has ended properly.
    var status: Int32?
    var state = TaskState.waiting("")
    /// Since when the engine has nothing to run.
    var goneSince: ContinuousClock.Instant?
    var isEnded = false
    /// Its jobs that are done.
    var done: Set<Int> = []
    /// Its jobs that run.
    var running: Set<Int> = []
    /// Its jobs that ended and are not done.
    var undone: Set<Int> = []
  }

  /// Follows a run that was submitted from the present folder.
  package init(
    _ plan: PlannedRun, in folder: RunFolder, of scheduler: any ArrayScheduler,
    _ reporter: RunReporter, grace: Duration = .seconds(60)
  ) {
    (self.scheduler, self.folder, self.plan) = (scheduler, folder, plan)
    (self.reporter, self.grace) = (reporter, grace)
    tasks = Dictionary(
      uniqueKeysWithValues: Set(plan.shards).map { ($0, Task(events: ShardEvents(of: plan))) })
  }

  /// Queues the shards of a run.
  ///
  /// - Parameters:
  ///   - run: What each shard is to do.
  ///   - plan: What is known of its jobs.
  ///   - scheduler: The engine.
  ///   - options: Of the engine's command, beside those that follow from `run`.
  /// - Returns: The folder that the tasks write to.
  /// - Throws: Where the engine takes no array, or the folder cannot be made.
  package static func submit(
    _ run: ShardedRun, _ plan: PlannedRun, to scheduler: any ArrayScheduler, options: [String]
  ) throws(Failure) -> RunFolder {
    var program = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &program, Int(PATH_MAX))
    guard length > 0 else { throw Failure(.mendMachine, "/proc is not mounted") }
    let name = String(decoding: program[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let array = try scheduler.submit(
      RunFolder.script(run, program: name),
      ClusterManifest.sbatchOptions(run) + ["--output=/dev/null"] + options)
    let folder = RunFolder(array: array)
    do {
      try folder.write(plan)
    } catch {
      // Nobody could follow it.
      try? scheduler.cancel(array)
      throw error
    }
    return folder
  }

  /// Reports what the shards do until all of them have ended. A first signal stops all tasks.
  ///
  /// - Returns: The status of the shards together, 0 where each has done its share.
  /// - Throws: Where the engine does not stop the tasks.
  package mutating func follow(_ cancellation: CancellationFlag) throws(Failure) -> Int32 {
    var lastAnswer: ContinuousClock.Instant?
    while true {
      if cancellation.isCancelled, !isCancelled {
        isCancelled = true
        reporter.print(
          "stopping array \(folder.array); a second signal leaves it alone, and 'avjob attach "
            + "\(folder.array)' comes back")
        try scheduler.cancel(folder.array)
        lastAnswer = nil
      }
      if lastAnswer.map({ $0.duration(to: .now) >= Self.askingPause }) ?? true {
        askEngine()
        lastAnswer = .now
      }
      let starts = folder.starts()
      for (number, _) in tasks.sorted(by: { $0.key < $1.key }) {
        follow(number, latestStart: starts[number])
      }
      if tasks.values.allSatisfy(\.isEnded) { break }
      reporter.refresh()
      usleep(UInt32(Self.pause / .microseconds(1)))
    }
    return ExitStatus.worst(tasks.values.map { $0.status ?? ExitStatus.temporary })
  }

  private mutating func askEngine() {
    guard let states = scheduler.tasks(of: folder.array) else { return }
    for number in tasks.keys {
      let state = states[number] ?? .ended("")
      tasks[number]?.state = state
      if case .ended = state {
        if tasks[number]?.goneSince == nil { tasks[number]?.goneSince = .now }
      } else {
        tasks[number]?.goneSince = nil
      }
    }
  }

  // MARK: - One task

  private mutating func follow(_ number: Int, latestStart: Int?) {
    guard var task = tasks[number], !task.isEnded else { return }
    defer { tasks[number] = task }
    read(&task, number)
    if let latestStart, latestStart != task.start {
      // The start before it has written its last.
      if task.start != nil { restart(&task) }
      (task.start, task.offset, task.partialLine, task.status) = (latestStart, 0, [], nil)
      task.events = ShardEvents(of: plan)
      read(&task, number)
    }
    let isGone = task.goneSince != nil
    switch task.status {
    // One that a signal has stopped may be queued again.
    case let status? where status < 128 || isGone: task.isEnded = true
    case nil where isGone && (isCancelled && task.start == nil || isOverdue(task)):
      end(&task, number)
    default: break
    }
  }

  private func isOverdue(_ task: Task) -> Bool {
    task.goneSince.map { $0.duration(to: .now) > grace } ?? false
  }

  /// What a start has left undone begins once more.
  private func restart(_ task: inout Task) {
    for job in task.running.union(task.undone).sorted() {
      reporter.report(.requeued(job))
    }
    (task.running, task.undone) = ([], [])
  }

  /// Takes the whole lines that a task has written since the last time.
  private func read(_ task: inout Task, _ number: Int) {
    guard let start = task.start, task.status == nil else { return }
    let path = folder.events(ofTask: number, start: start)
    guard let file = try? PathCalls.openToRead(path) else { return }
    defer { try? file.close() }
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let offset = task.offset
      let count = try? block.withUnsafeMutableBytes {
        try file.read(fromAbsoluteOffset: offset, into: $0)
      }
      guard let count, count > 0 else { return }
      task.offset += Int64(count)
      task.partialLine += block[..<count]
      while let feed = task.partialLine.firstIndex(of: UInt8(ascii: "\n")) {
        take(Array(task.partialLine[..<feed]), &task)
        task.partialLine.removeSubrange(...feed)
      }
    }
  }

  private func take(_ line: [UInt8], _ task: inout Task) {
    switch task.events.item(line) {
    case .event(let event):
      // A later start finds what an earlier one has done.
      guard !task.done.contains(event.job) else { return }
      switch event.end {
      case .done: task.done.insert(event.job)
      case .undone: task.undone.insert(event.job)
      case nil: task.running.insert(event.job)
      }
      if event.end != nil { task.running.remove(event.job) }
      reporter.report(event)
    case .message(let message): reporter.report(message)
    case .ended(let status): task.status = status
    case nil: break
    }
  }

  /// A task that has ended without a word: what ran has failed, and the rest is left.
  private func end(_ task: inout Task, _ number: Int) {
    task.isEnded = true
    guard !isCancelled else { return }
    var reason = "the task of shard \(number) has ended without a report"
    if case .ended(let state) = task.state, !state.isEmpty { reason += " (\(state))" }
    let words = task.start.map { folder.lastWords(ofTask: number, start: $0) } ?? ""
    reason += task.start == nil ? ": does its machine share this folder?" : ""
    reason += words.isEmpty ? "" : "; it wrote: \(words)"
    let failure = Failure(.tryAgain, reason + "; run again, and what is done is left as it is")
    for job in task.running.sorted() { reporter.report(RunEvent(job: job, failedBy: failure)) }
    reporter.report(failure)
  }
}
