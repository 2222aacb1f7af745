import Diagnosis
import MediaComposition
import Threads

/// One run of a pool: what its workers share.
///
/// Workers take jobs from the schedule, the timekeeper stops attempts that have had their time; all
/// their shared state is behind one lock.
final class PoolRun<Runner: JobRunner>: Sendable {
  typealias Event = JobEvent<Runner.Result>
  typealias Report = JobReport<Runner.Result>

  /// The workers' events; closed when the last of them leaves.
  let events = Channel<Event>(capacity: 256)
  let pool: Pool
  let jobs: [PoolJob<Runner.Job>]
  let runner: Runner
  let cancellation: CancellationFlag
  let state: Monitor<State>

  struct State {
    var schedule: Schedule
    var reports: [Report]
    /// By job.
    var attempts: [Int: Attempt] = [:]
    var pauses: [Int: AttemptPause] = [:]
    var workersAtWork = 0
    /// Those that are to be waited for, by number.
    var threads: [Int: Thread] = [:]
    var nextWorker = 1
    /// Whether all workers that there will be at first have been started.
    var isStaffed = false
  }

  init(
    _ jobs: [PoolJob<Runner.Job>], for pool: Pool, runner: Runner, cancellation: CancellationFlag
  ) {
    self.jobs = jobs
    self.pool = pool
    self.runner = runner
    self.cancellation = cancellation
    let reports = Array(
      repeating: Report(.notStarted, elapsed: .zero, attempts: 0), count: jobs.count)
    state = Monitor(
      State(schedule: Schedule(jobs, limits: pool.limits), reports: reports))
  }

  /// Starts as many workers as it can, `count` at most.
  ///
  /// - Throws: Where there is not even one.
  func start(workers count: Int) throws(Thread.SpawnError) {
    defer { state.withLock { $0.isStaffed = true } }
    for number in 1...max(1, count) {
      do {
        try startWorker()
      } catch {
        guard number > 1 else { throw error }
        break
      }
    }
  }

  /// Starts a worker that leaves by itself.
  func startWorker() throws(Thread.SpawnError) {
    let number = state.withLock { state in
      state.workersAtWork += 1
      state.nextWorker += 1
      return state.nextWorker - 1
    }
    do {
      let thread = try pool.spawn("avjob-\(number)") { self.work(as: number) }
      state.withLock { $0.threads[number] = thread }
    } catch {
      leave()
      throw error
    }
  }

  /// The outcome of each job; called once, when the events are over. Waits for the threads, but for
  /// those that were abandoned.
  func takeReports() -> [Report] {
    let threads = state.withLock { state in
      defer { state.threads = [:] }
      return state.threads.values
    }
    for thread in threads { thread.join() }
    return state.withLock { $0.reports }
  }

  /// A worker's loop: take a job, take a core, do it, until there is none left.
  private func work(as number: Int) {
    if number == 1 { failImpossibleJobs() }
    while let job = takeJob() {
      guard let lease = pool.budget.lease(unless: cancellation) else {
        state.withLock { $0.schedule.giveBack(job) }
        break
      }
      let isMine = run(job, as: number, lease)
      lease.release()
      // Another worker has taken this one's place, and leaves for both.
      guard isMine else { return }
    }
    leave()
  }

  /// The next job, when there is one; nil when there is none for ever.
  private func takeJob() -> Int? {
    state.wait { state -> Monitor<State>.Answer<Int?> in
      if cancellation.isCancelled { state.schedule.stop() }
      return switch state.schedule.next(at: .now) {
      case .run(let job): .now(job)
      case .wait(let instant): .later(by: instant)
      case .over: .now(nil)
      }
    }
  }

  /// Counts one worker out; the last one ends the run.
  func leave() {
    let isLast = state.withLock { state in
      state.workersAtWork -= 1
      return state.workersAtWork == 0
    }
    guard isLast else { return }
    endPauses()
    events.close()
  }

  /// Fails jobs that could never start, so that nothing waits for them.
  private func failImpossibleJobs() {
    for job in state.withLock({ $0.schedule.impossible }) {
      let failure = Failure(.reportBug, "the job needs itself, or one that there is not")
      state.withLock { $0.reports[job] = Report(.failed(failure), elapsed: .zero, attempts: 0) }
      events.send(Event(job: job, .started, at: .now))
      events.send(Event(job: job, .failed(failure), at: .now))
    }
  }

  /// Jobs that will have no other attempt, since the run has been stopped.
  private func endPauses() {
    let pauses = state.withLock { state in
      defer { state.pauses = [:] }
      return state.pauses
    }
    for (job, pause) in pauses.sorted(by: { $0.key < $1.key }) {
      let now = ContinuousClock.now
      let outcome: Report.Outcome =
        cancellation.isCancelled ? .cancelled : .failed(pause.failure)
      events.send(Event(job: job, outcome.event, at: now))
      state.withLock {
        $0.reports[job] = Report(
          outcome, elapsed: pause.start.duration(to: now), attempts: pause.attempts)
      }
    }
  }

  /// Reports a job's end, and starts or blocks the jobs that need it.
  func conclude(_ job: Int, _ report: Report) {
    events.send(Event(job: job, report.outcome.event, at: .now))
    var report = report
    var (isFinished, isFailed) = (false, false)
    switch report.outcome {
    case .finished(let result):
      isFinished = true
      report = Report(
        .finished(runner.kept(of: result)), elapsed: report.elapsed, attempts: report.attempts)
    case .failed: isFailed = true
    case .cancelled, .notStarted, .blocked: break
    }
    let blocked = state.withLock { [report, isFinished, isFailed] state in
      state.reports[job] = report
      if isFailed, !pool.keepGoing { state.schedule.stop() }
      // What a cancelled run leaves is not started, whatever it needs.
      guard isFinished || isFailed else {
        state.schedule.giveBack(job)
        return [(job: Int, by: Int)]()
      }
      let blocked = state.schedule.end(job, isFinished: isFinished)
      for (job, need) in blocked {
        state.reports[job] = Report(.blocked(by: need), elapsed: .zero, attempts: 0)
      }
      return blocked
    }
    for (job, need) in blocked { events.send(Event(job: job, .blocked(by: need), at: .now)) }
  }
}

extension JobReport.Outcome {
  /// The event for observers.
  fileprivate var event: JobEvent<Result>.Kind {
    switch self {
    case .finished(let result): .finished(result)
    case .failed(let failure): .failed(failure)
    case .cancelled, .notStarted: .cancelled
    case .blocked(let need): .blocked(by: need)
    }
  }
}
