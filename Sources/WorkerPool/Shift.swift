import MediaComposition
import Synchronization
import Threads

/// One run of a pool: what its workers share.
final class Shift<Runner: JobRunner>: Sendable {
  typealias Event = JobEvent<Runner.Result>
  typealias Report = JobReport<Runner.Result>

  /// What the workers tell; closed when the last of them leaves.
  let events = Channel<Event>(capacity: 256)
  let workers: Int
  private let jobs: [PoolJob<Runner.Job>]
  private let runner: Runner
  private let budget: CPUBudget
  private let keepGoing: Bool
  private let cancellation: CancellationFlag
  private let state: Mutex<State>

  private struct State {
    var nextJob = 0
    var workersAtWork: Int
    var takesJobs = true
    var reports: [Report]
  }

  init(
    jobs: [PoolJob<Runner.Job>], runner: Runner, budget: CPUBudget, keepGoing: Bool,
    cancellation: CancellationFlag, workers: Int
  ) {
    self.jobs = jobs
    self.runner = runner
    self.budget = budget
    self.keepGoing = keepGoing
    self.cancellation = cancellation
    self.workers = workers
    let reports = Array(
      repeating: Report(.notStarted, elapsed: .zero, attempts: 0), count: jobs.count)
    state = Mutex(State(workersAtWork: workers, reports: reports))
  }

  /// A worker's life: take a core, take a job, do it, until there is none left.
  ///
  /// The core comes first, so that a job is never taken by a worker that cannot begin it.
  func work() {
    defer { leave() }
    while let lease = budget.lease(unless: cancellation) {
      defer { lease.release() }
      guard let job = takeJob() else { return }
      let report = run(job)
      state.withLock { state in
        state.reports[job] = report
        if case .failed = report.outcome, !keepGoing { state.takesJobs = false }
      }
    }
  }

  /// Counts one worker out; the last one ends the events.
  func leave() {
    let isLast = state.withLock { state in
      state.workersAtWork -= 1
      return state.workersAtWork == 0
    }
    if isLast { events.close() }
  }

  /// What became of each job; asked once, when all workers have left.
  func takeReports() -> [Report] { state.withLock { $0.reports } }

  private func takeJob() -> Int? {
    state.withLock { state in
      guard state.takesJobs, state.nextJob < jobs.count else { return nil }
      defer { state.nextJob += 1 }
      return state.nextJob
    }
  }

  private func run(_ job: Int) -> Report {
    let clock = ContinuousClock()
    let start = clock.now
    events.send(Event(job: job, .started, at: start))
    let outcome = outcome(of: job)
    let end = clock.now
    let last: Event.Kind =
      switch outcome {
      case .finished(let result): .finished(result)
      case .failed(let failure): .failed(failure)
      case .cancelled, .notStarted, .blocked: .cancelled
      }
    events.send(Event(job: job, last, at: end))
    return Report(outcome, elapsed: start.duration(to: end))
  }

  private func outcome(of job: Int) -> Report.Outcome {
    let events = events
    let context = JobContext(
      budget: budget, cancellation: cancellation,
      onProgress: { events.trySend(Event(job: job, .progress($0), at: ContinuousClock().now)) },
      onWarning: { events.send(Event(job: job, .warning($0), at: ContinuousClock().now)) })
    do {
      return .finished(try runner.run(jobs[job].job, context: context))
    } catch let failure as Failure {
      return .failed(failure)
    } catch is CancellationError where cancellation.isCancelled {
      return .cancelled
    } catch {
      return .failed(Failure(.reportBug, "the job stopped with an unexpected error: \(error)"))
    }
  }
}
