import Diagnosis
import Files
import Glibc
import Reports
import RunPlan
import Threads

/// A run whose shards are the tasks of a job array, seen from outside: what they write is reported as
/// if their jobs ran here.
///
/// All that is reported of a shard stands in its task's files; the engine is asked only whether a task
/// may still write. So the engine may be down for a while, and need not remember what has ended. Used
/// on one thread.
package struct ArrayRun {
  private let scheduler: any ArrayScheduler
  private let folder: RunFolder
  private let plan: PlannedRun
  private let reporter: RunReporter
  private var tasks: [Int: Task]
  /// Whether a signal has come, and whether the engine has taken that in.
  private var isCancelled = false
  private var isStopped = false
  private var notedReasons: Set<String> = []
  private let grace: Duration

  /// What is known of a task.
  private struct Task {
    var events: TaskEvents
    /// Of the shard's process, where it has ended properly.
    var status: Int32?
    var state = TaskState.waiting("")
    /// Since when the engine has nothing to run.
    var goneSince: ContinuousClock.Instant?
    var isEnded = false
    /// Whether it has dealt out other work than was dealt out here.
    var isForeign = false
    /// Its jobs that are done.
    var done: Set<Int> = []
    /// Its jobs that run.
    var running: Set<Int> = []
    /// Its jobs that ended and are not done.
    var undone: Set<Int> = []
  }

  /// Follows a run that was submitted from the present folder.
  ///
  /// - Parameters:
  ///   - plan: What was known when it was submitted.
  ///   - folder: What its tasks write to.
  ///   - scheduler: The engine that has them.
  ///   - reporter: Gets what happens.
  ///   - grace: How long the last lines of a task that has ended may take to be seen: on network file
  ///     systems up to a minute (`acdirmax` of nfs(5)).
  package init(
    _ plan: PlannedRun, in folder: RunFolder, of scheduler: any ArrayScheduler,
    _ reporter: RunReporter, grace: Duration = .seconds(60)
  ) {
    (self.scheduler, self.folder, self.plan) = (scheduler, folder, plan)
    (self.reporter, self.grace) = (reporter, grace)
    tasks = Dictionary(
      uniqueKeysWithValues: Set(plan.shards).map { ($0, Task(events: TaskEvents(of: plan))) })
  }

  /// Queues the shards of a run.
  ///
  /// - Parameters:
  ///   - run: What each shard is to do.
  ///   - plan: What is known of its jobs.
  ///   - scheduler: The engine.
  ///   - options: Of the engine's command, beside those that follow from `run`.
  ///   - command: Resumes the run after it was stopped.
  /// - Returns: The folder that the tasks write to.
  /// - Throws: Where the engine takes no array, or the folder cannot be made.
  package static func submit(
    _ run: ShardedRun, _ plan: PlannedRun, to scheduler: any ArrayScheduler, options: [String],
    resumedBy command: String
  ) throws(Failure) -> RunFolder {
    guard let program = PathCalls.target(ofProcessLink: "exe") else {
      throw Failure(.mendMachine, "/proc is not mounted")
    }
    let token = String(UInt64.random(in: .min ... .max), radix: 36)
    let array = try scheduler.submit(
      RunFolder.script(run, program: program.string, token: token),
      ClusterManifest.sbatchOptions(run) + ["--output=/dev/null"] + options)
    let folder = RunFolder(array: array, token: token)
    do {
      try folder.write(plan, resumedBy: command)
    } catch {
      // Nobody could follow it.
      try? scheduler.cancel(array)
      throw error
    }
    return folder
  }

  /// Reports what the shards do until all of them have ended. A first signal stops all tasks, but for
  /// that of a terminal that was closed.
  ///
  /// - Parameters:
  ///   - cancellation: Set by the first signal.
  ///   - isHungUp: Whether that is SIGHUP.
  /// - Returns: The status of the shards together, 0 where each has done its share; nil where they were
  ///   left to themselves.
  package mutating func follow(
    _ cancellation: CancellationFlag, isHungUp: () -> Bool = { false }
  ) -> Int32? {
    var nextAnswer = ContinuousClock.now
    while true {
      if cancellation.isCancelled, isHungUp() { return nil }
      if cancellation.isCancelled, !isCancelled {
        isCancelled = true
        nextAnswer = .now
        reporter.print(
          "stopping array \(folder.array); a second signal ends avjob at once, and 'avjob attach "
            + "\(folder.array)' follows the array again")
      }
      if nextAnswer <= .now {
        if isCancelled { stop() }
        askEngine()
        nextAnswer = .now.advanced(by: max(.seconds(2), .milliseconds(5) * tasks.count))
      }
      let starts = folder.starts()
      for number in tasks.keys.sorted() { follow(number, starts[number] ?? []) }
      if tasks.values.allSatisfy(\.isEnded) { break }
      reporter.refresh()
      usleep(UInt32(200_000 + min(10_000, tasks.count) * 500))
    }
    return ExitStatus.worst(
      tasks.values.map { $0.isForeign ? ExitStatus.temporary : $0.status ?? ExitStatus.temporary })
  }

  // MARK: - The engine

  /// Asks the engine to stop all tasks, until it has taken that in.
  private mutating func stop() {
    guard !isStopped else { return }
    do throws(Failure) {
      try scheduler.cancel(folder.array)
      isStopped = true
    } catch {
      reporter.report(error)
    }
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
    noteReasons()
  }

  /// Prints why all tasks wait that have not ended, each reason once.
  private mutating func noteReasons() {
    let live = tasks.values.filter { !$0.isEnded && $0.goneSince == nil }
    let reasons = live.compactMap { task -> String? in
      if case .waiting(let reason) = task.state { reason } else { nil }
    }
    guard reasons.count == live.count, let reason = reasons.max(),
      !["", "None", "Priority", "BeginTime"].contains(reason),
      notedReasons.insert(reason).inserted
    else { return }
    reporter.note("array \(folder.array) waits: \(reason)")
  }

  // MARK: - One task

  private mutating func follow(_ number: Int, _ starts: [Int]) {
    guard var task = tasks[number], !task.isEnded else { return }
    defer { tasks[number] = task }
    read(&task, number)
    // The start before it has written its last.
    for start in starts where start > task.events.start ?? -1 {
      restart(&task)
      task.events.begin(start)
      task.status = nil
      read(&task, number)
    }
    let isGone = task.goneSince != nil
    switch task.status {
    // One that a signal has stopped may be queued again.
    case let status? where status < 128: task.isEnded = true
    case let status? where isGone:
      task.isEnded = true
      guard !isCancelled else { return }
      reporter.report(
        Failure(
          .tryAgain,
          "the task of shard \(number) was stopped (status \(status)), as Slurm does when its time is "
            + "over; run again, and ask for more: --sbatch --time=2:00:00"))
    case nil where isGone && (wasCancelledBeforeStart(task) || isOverdue(task)): end(&task, number)
    default: break
    }
  }

  private func wasCancelledBeforeStart(_ task: Task) -> Bool {
    task.events.start == nil && (isCancelled || task.state == .ended("CANCELLED"))
  }

  private func isOverdue(_ task: Task) -> Bool {
    task.goneSince.map { $0.duration(to: .now) > grace } ?? false
  }

  /// What a start has left undone begins once more.
  private func restart(_ task: inout Task) {
    for job in task.running.union(task.undone).sorted() { reporter.report(.requeued(job)) }
    (task.running, task.undone) = ([], [])
  }

  /// Takes what a task has written since the last time.
  private func read(_ task: inout Task, _ number: Int) {
    guard let start = task.events.start, task.status == nil else { return }
    for item in task.events.items(in: folder.file(ofTask: number, start: start, "events")) {
      switch item {
      case .event(let event): take(event, &task)
      case .message(let message): reporter.report(message)
      case .ended(let status, let manifests):
        task.status = status
        reporter.add(manifests)
      case .foreign:
        task.isForeign = true
        reporter.report(
          Failure(
            .tryAgain,
            "shard \(number) has dealt out the jobs in another way than they were submitted: a job "
              + "file has changed, or a medium cannot be read on its machine; run again"))
      }
    }
  }

  private func take(_ event: RunEvent, _ task: inout Task) {
    // A later start finds what an earlier one has done.
    guard !task.done.contains(event.job) else { return }
    if let effect = event.effect {
      task.running.remove(event.job)
      task.undone.remove(event.job)
      switch effect {
      case .running: task.running.insert(event.job)
      case .done: task.done.insert(event.job)
      case .undone: task.undone.insert(event.job)
      case .waiting: break
      }
    }
    reporter.report(event)
  }

  /// A task that has ended without its last event: the jobs that ran have failed, and the rest is left.
  private func end(_ task: inout Task, _ number: Int) {
    task.isEnded = true
    guard !isCancelled else { return }
    let state = if case .ended(let state) = task.state, !state.isEmpty { " (\(state))" } else { "" }
    var reason = "the task of shard \(number) has ended without a report" + state
    if let start = task.events.start {
      let lines = folder.lastLines(ofTask: number, start: start)
      reason += lines.isEmpty ? "" : "; it wrote: \(lines)"
    } else if !wasCancelledBeforeStart(task) {
      reason += " and without events: its machine must share this folder"
    }
    let failure = Failure(.tryAgain, reason + "; run again, and what is done is left as it is")
    for job in task.running.sorted() { reporter.report(RunEvent(job: job, failedBy: failure)) }
    reporter.report(failure)
  }
}
