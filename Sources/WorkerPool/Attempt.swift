import Diagnosis
import MediaComposition
import Synchronization
import Threads

/// One attempt at a job, from its start until it has ended or is left alone.
struct Attempt: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// Tells it from others at the same job.
  let cancellation = CancellationFlag()
  /// Given back where the attempt is left alone.
  let lease: CPULease
  /// The thread that is in it.
  let worker: Int
  /// Of the job's first attempt.
  let start: Instant
  /// How many there are, this one among them.
  let number: Int
  /// When it has had its time.
  let deadline: Instant?
  /// Whether it was asked to stop because of that.
  private(set) var isLate = false
  /// When it is left alone, once it was asked to stop.
  private(set) var lastMoment: Instant?
  private let hearing = Hearing()

  private final class Hearing: Sendable {
    let isOver = Atomic<Bool>(false)
  }

  init(lease: CPULease, worker: Int, start: Instant, number: Int, deadline: Instant?) {
    self.lease = lease
    self.worker = worker
    self.start = start
    self.number = number
    self.deadline = deadline
  }

  /// Whether what it tells is passed on.
  var isHeard: Bool { !hearing.isOver.load(ordering: .acquiring) }

  func beUnheard() { hearing.isOver.store(true, ordering: .releasing) }

  /// What is to be done about an attempt at some time.
  enum Measure {
    case ask, leaveAlone
    /// Nothing before that time.
    case wait(until: Instant?)
  }

  /// Notes that it is asked to stop where `ask` is returned.
  mutating func measure(at now: Instant, isRunCancelled: Bool, grace: Duration) -> Measure {
    if let lastMoment { return lastMoment <= now ? .leaveAlone : .wait(until: lastMoment) }
    let hasHadItsTime = deadline.map { $0 <= now } ?? false
    guard isRunCancelled || hasHadItsTime else { return .wait(until: deadline) }
    isLate = !isRunCancelled
    lastMoment = now.advanced(by: grace)
    return .ask
  }
}

/// A job between two attempts.
struct AttemptPause {
  /// Of the first attempt.
  let start: ContinuousClock.Instant
  /// How many there were.
  let attempts: Int
  /// Why the last one ended.
  let failure: Failure
  /// Whether observers think that it runs.
  var isShown: Bool
}

extension Failure {
  /// There is no thread to work on.
  static func noThread(_ error: Thread.SpawnError) -> Failure {
    Failure(.tryAgain, "\(error)")
  }

  /// An attempt had its time.
  static func late(_ limit: Duration) -> Failure {
    Failure(
      .tryAgain,
      "took longer than its limit of \(seconds(limit)); raise its 'timeout', "
        + "or run fewer jobs at once")
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
    let digits = String(1000 + milliseconds).dropFirst()
    return "\(seconds).\(digits) s"
  }
}
