import Diagnosis
import MediaComposition
import Threads

/// Workers that run jobs side by side, each on a thread of its own, within a budget of cores.
package struct Pool: Sendable {
  /// The cores that the jobs share with one another and with the encoders inside them.
  package let budget: CPUBudget
  /// How many jobs may run at once, where the budget has a core for each; at least 1.
  package let workers: Int
  /// Whether the other jobs are still started after one has failed.
  package let keepGoing: Bool
  /// What jobs that run at once may take together; one that requests more runs alone.
  package let limits: ResourceRequest
  /// The pauses between attempts at one job.
  package let backoff: Backoff
  /// How long an attempt may run after its cancellation, before it is abandoned.
  package let grace: Duration
  /// How workers are started: another way in tests.
  var spawn: Spawn = { name, body in try Thread.spawn(name: name, body) }

  /// Starts a thread; see `Thread.spawn`.
  typealias Spawn =
    @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Thread.SpawnError) ->
    Thread

  /// A pool over `budget`, by default with a worker for each of its cores.
  package init(
    budget: CPUBudget, workers: Int? = nil, keepGoing: Bool = true,
    limits: ResourceRequest = .unlimited, backoff: Backoff = Backoff(),
    grace: Duration = .seconds(5)
  ) {
    self.budget = budget
    self.workers = max(1, workers ?? budget.total)
    self.keepGoing = keepGoing
    self.limits = limits
    self.backoff = backoff
    self.grace = max(.zero, grace)
  }

  /// Runs all jobs and waits for them.
  ///
  /// A job starts when all that it needs have finished; of those that can start, the one with the
  /// longest chain of estimates ahead of it, and in the order of the list where they are equal. No
  /// result depends on that order, or on the number of workers.
  ///
  /// Blocks the calling thread, so it is not for Swift's cooperative pool. When it returns, every
  /// core is back in the budget and every thread that it started has ended, but for those in a
  /// runner that did not come back within `grace` after its cancellation. A program with such a
  /// thread should end.
  ///
  /// - Parameters:
  ///   - jobs: What to do.
  ///   - runner: Runs each job.
  ///   - cancellation: Once set, no further job starts, and running ones are cancelled.
  ///   - observer: Called on the calling thread, for one event at a time: a job's own events in
  ///     the order in which they happened. While it is slow, workers wait for it.
  ///   - idle: Called on the calling thread, some times a second while there is no event.
  /// - Returns: One report for each job, in the order of the jobs, with what the runner keeps of
  ///   each result.
  /// - Throws: `Failure` with `tryAgain` where not even one thread could be started.
  /// - Complexity: O(jobs × log jobs + needs), beside the work itself.
  package func run<Runner: JobRunner>(
    _ jobs: [PoolJob<Runner.Job>], with runner: Runner,
    cancellation: CancellationFlag = CancellationFlag(),
    observer: (JobEvent<Runner.Result>) -> Void = { _ in }, idle: () -> Void = {}
  ) throws(Failure) -> [JobReport<Runner.Result>] {
    guard !jobs.isEmpty else { return [] }
    let run = PoolRun(jobs, for: self, runner: runner, cancellation: cancellation)
    let timekeeper: Thread
    do throws(Thread.SpawnError) {
      timekeeper = try spawn("avjob-time") { run.keepTime() }
      try run.start(workers: min(workers, budget.total, jobs.count))
    } catch {
      throw .outOfThreads(error)
    }
    // Waiting threads look at the flag when the state changes.
    cancellation.whileNotifying {
      run.state.withLock { _ in }
    } _: {
      while let event = run.events.receive(every: .milliseconds(200), idle) { observer(event) }
    }
    timekeeper.join()
    return run.takeReports()
  }

  /// Runs jobs that need no other job and have one attempt of any length, and waits for them
  /// (`run(_:with:cancellation:observer:idle:)`).
  package func run<Runner: JobRunner>(
    _ jobs: [Runner.Job], with runner: Runner,
    cancellation: CancellationFlag = CancellationFlag(),
    observer: (JobEvent<Runner.Result>) -> Void = { _ in }
  ) throws(Failure) -> [JobReport<Runner.Result>] {
    try run(jobs.map { PoolJob($0) }, with: runner, cancellation: cancellation, observer: observer)
  }
}
