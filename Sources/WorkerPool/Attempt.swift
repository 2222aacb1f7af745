import Diagnosis
import MediaComposition
import Synchronization
import Threads

/// One attempt at a job, from its start until it has ended or is abandoned.
struct Attempt: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// Distinguishes it from others at the same job.
  let cancellation = CancellationFlag()
  /// Given back when the attempt is abandoned.
  let lease: CPULease
  /// The thread that runs it.
  let worker: Int
  /// Of the job's first attempt.
  let start: Instant
  /// The number of attempts, this one included.
  let number: Int
  /// How long it may take, or all attempts together.
  let limit: Duration?
  /// When it has had its time.
  let deadline: Instant?
  /// When all attempts together have had theirs.
  let lastDeadline: Instant?
  /// Whether it was cancelled because of that.
  private(set) var isLate = false
  /// When it is abandoned, once it was cancelled.
  private(set) var lastMoment: Instant?
  private let state = State()

  /// Shared by all copies.
  private final class State: Sendable {
    let isAbandoned = Atomic<Bool>(false)
  }

  init<Job>(
    lease: CPULease, worker: Int, start: Instant, number: Int, at now: Instant, of job: PoolJob<Job>
  ) {
    self.lease = lease
    self.worker = worker
    self.start = start
    self.number = number
    lastDeadline = job.totalTimeLimit.map { start.advanced(by: $0.orAnAge) }
    let own = job.timeLimit.map { now.advanced(by: $0.orAnAge) }
    deadline = [lastDeadline, own].compactMap(\.self).min()
    limit = deadline == lastDeadline ? job.totalTimeLimit : job.timeLimit
  }

  /// Whether its events are dropped.
  var isAbandoned: Bool { state.isAbandoned.load(ordering: .acquiring) }

  func abandon() { state.isAbandoned.store(true, ordering: .releasing) }

  /// The next step for an attempt.
  enum Measure {
    case cancel, abandon
    /// Nothing before that time.
    case wait(until: Instant?)
  }

  /// Notes the cancellation where `cancel` is returned.
  mutating func measure(at now: Instant, isRunCancelled: Bool, grace: Duration) -> Measure {
    if let lastMoment { return lastMoment <= now ? .abandon : .wait(until: lastMoment) }
    let hasHadItsTime = deadline.map { $0 <= now } ?? false
    guard isRunCancelled || hasHadItsTime else { return .wait(until: deadline) }
    isLate = !isRunCancelled
    lastMoment = now.advanced(by: grace)
    return .cancel
  }
}

/// A job between two attempts.
struct AttemptPause {
  /// Of the first attempt.
  let start: ContinuousClock.Instant
  /// The number of attempts so far.
  let attempts: Int
  /// Why the last one ended.
  let failure: Failure
  /// Whether observers have its start, and no end.
  var isShown: Bool
}

extension Duration {
  /// At most a hundred years: sums with it stay within what an instant holds.
  var orAnAge: Duration { min(max(.zero, self), .seconds(100 * 366 * 86_400)) }
}

extension Failure {
  /// An attempt had its time.
  static func late(_ attempt: Attempt) -> Failure {
    let name = attempt.deadline == attempt.lastDeadline ? "'--max-time'" : "its 'timeout'"
    return Failure(
      .tryAgain,
      "took longer than its limit of \(seconds(attempt.limit ?? .zero)); raise \(name), or run "
        + "fewer jobs at once")
  }

  /// An attempt had its time, and did not stop.
  static func stuck(_ limit: Duration?, grace: Duration) -> Failure {
    Failure(
      .tryAgain,
      "took longer than its limit of \(seconds(limit ?? .zero)) and did not stop within "
        + "\(seconds(grace)): abandoned; run again, and check its disks")
  }

  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    guard milliseconds > 0 else { return "\(seconds) s" }
    return "\(seconds).\(milliseconds.digits(3)) s"
  }
}
