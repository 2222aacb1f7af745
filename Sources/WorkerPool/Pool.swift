import MediaComposition
import Threads

/// Workers that run jobs side by side, each on a thread of its own, within a budget of cores.
public struct Pool: Sendable {
  /// The cores that the jobs share with one another and with the encoders inside them.
  public let budget: CPUBudget
  /// How many jobs may run at once, where the budget has a core for each; at least 1.
  public let workers: Int
  /// Whether the other jobs are still started after one has failed.
  public let keepGoing: Bool

  /// A pool over `budget`, with a worker for each of its cores unless told otherwise.
  public init(budget: CPUBudget, workers: Int? = nil, keepGoing: Bool = true) {
    self.budget = budget
    self.workers = max(1, workers ?? budget.total)
    self.keepGoing = keepGoing
  }

  /// Runs all jobs and waits for them. Jobs start in the order of the list.
  ///
  /// Blocks the calling thread, so it is not for Swift's cooperative pool. When it returns, every
  /// thread that it started has ended and every core is back in the budget.
  ///
  /// - Parameters:
  ///   - jobs: What to do.
  ///   - runner: Who does it.
  ///   - cancellation: Once set, no further job starts, and those that run are asked to stop.
  ///   - observer: Called on the calling thread, for one event at a time: a job's own events in
  ///     the order in which they happened. While it is slow, workers wait for it.
  /// - Returns: One report for each job, in the order of the jobs.
  /// - Throws: `Failure` with `tryAgain` where not even one thread could be started.
  public func run<Runner: JobRunner>(
    _ jobs: [PoolJob<Runner.Job>], with runner: Runner,
    cancellation: CancellationFlag = CancellationFlag(),
    observer: (JobEvent<Runner.Result>) -> Void = { _ in }
  ) throws(Failure) -> [JobReport<Runner.Result>] {
    guard !jobs.isEmpty else { return [] }
    let shift = Shift(
      jobs: jobs, runner: runner, budget: budget, keepGoing: keepGoing, cancellation: cancellation,
      workers: min(workers, budget.total, jobs.count))
    let threads = try start(shift)
    while let event = shift.events.receive() { observer(event) }
    for thread in threads { thread.join() }
    return shift.takeReports()
  }

  /// The same for jobs that need no other and have one attempt of any length.
  public func run<Runner: JobRunner>(
    _ jobs: [Runner.Job], with runner: Runner,
    cancellation: CancellationFlag = CancellationFlag(),
    observer: (JobEvent<Runner.Result>) -> Void = { _ in }
  ) throws(Failure) -> [JobReport<Runner.Result>] {
    try run(jobs.map { PoolJob($0) }, with: runner, cancellation: cancellation, observer: observer)
  }

  /// A thread for each of the shift's workers, or as many as the machine gives.
  private func start<Runner>(_ shift: Shift<Runner>) throws(Failure) -> [Thread] {
    var threads: [Thread] = []
    for number in 1...shift.workers {
      do {
        threads.append(try Thread.spawn(name: "avjob-\(number)") { shift.work() })
      } catch {
        guard !threads.isEmpty else { throw Failure(.tryAgain, "\(error)") }
        for _ in number...shift.workers { shift.leave() }
        break
      }
    }
    return threads
  }
}
