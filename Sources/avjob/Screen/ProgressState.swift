import MediaTime
import Terminal
import WorkerPool

/// What is known about a run while it goes on: built from its events, read by the screens.
struct ProgressState {
  /// A job between its start and its end.
  struct RunningJob {
    let job: Int
    let name: String
    let start: ContinuousClock.Instant
    var progress: JobProgress?

    /// How much is done, 0 … 1; 0 before the first report.
    var fraction: Double {
      guard let progress, progress.total.isNumeric, progress.completed.isNumeric,
        progress.total > .zero
      else { return 0 }
      return min(1, max(0, progress.completed.seconds / progress.total.seconds))
    }

    /// Seconds of sound a second, such as `84.2×`; nil before anything is done.
    func speed(at now: ContinuousClock.Instant) -> String? {
      progress.flatMap { Figures.speed($0.completed, in: start.duration(to: now)) }
    }

    /// How long the rest takes at the pace so far; nil in the first half second and for what would
    /// take days.
    func remaining(at now: ContinuousClock.Instant) -> Duration? {
      let elapsed = start.duration(to: now)
      guard elapsed >= .milliseconds(500) else { return nil }
      return rest(of: fraction, after: elapsed)
    }
  }

  /// The jobs' names, as they may stand on a screen.
  let names: [String]
  /// In the order in which they started.
  private(set) var running: [RunningJob] = []
  private(set) var finished = 0
  private(set) var upToDate = 0
  private(set) var failed = 0
  private(set) var blocked = 0
  private(set) var cancelled = 0

  /// How much work each job is, in a unit of its own.
  private let weights: [Double]
  /// Of the jobs that were or will be done: what was up to date, failed or is blocked is no work.
  private var totalWeight: Double
  private var finishedWeight = 0.0
  private var start: ContinuousClock.Instant?

  /// - Parameters:
  ///   - names: The jobs' names, in their order.
  ///   - estimates: How much work each of them is thought to be; where nothing is known of any,
  ///     all count alike.
  init(names: [String], estimates: [Duration] = []) {
    self.names = names.map(\.printable)
    let known = estimates.map { max(0, $0.seconds) }
    let isKnown = known.count == names.count && known.contains { $0 > 0 }
    weights = isKnown ? known : names.map { _ in 1 }
    totalWeight = weights.reduce(0, +)
  }

  /// Takes in what happened to a job. Events of jobs that do not run are without effect, but for
  /// those that never start.
  mutating func apply(_ event: RunEvent) {
    switch event.kind {
    case .started:
      guard names.indices.contains(event.job) else { return }
      if start == nil { start = event.instant }
      running.append(RunningJob(job: event.job, name: names[event.job], start: event.instant))
    case .progress(let progress): update(event.job, progress)
    case .retrying: update(event.job, nil)
    case .warning: break
    case .postponed: _ = remove(event.job)
    case .finished:
      if remove(event.job) {
        finished += 1
        finishedWeight += weights[event.job]
      }
    case .upToDate: if remove(event.job) { leaveOut(event.job, countedBy: \.upToDate) }
    case .failed: if remove(event.job) { leaveOut(event.job, countedBy: \.failed) }
    case .cancelled: if remove(event.job) { leaveOut(event.job, countedBy: \.cancelled) }
    case .blocked:
      if names.indices.contains(event.job) { leaveOut(event.job, countedBy: \.blocked) }
    }
  }

  /// How much of the run's work is done, 0 … 1, by the estimates; nil where there is none.
  var share: Double? {
    guard totalWeight > 0 else { return nil }
    let done = running.reduce(finishedWeight) { $0 + $1.fraction * weights[$1.job] }
    return min(1, max(0, done / totalWeight))
  }

  /// How long the rest of the run takes at the pace so far; nil in the first two seconds.
  func remaining(at now: ContinuousClock.Instant) -> Duration? {
    guard let start, let share, start.duration(to: now) >= .seconds(2) else { return nil }
    return rest(of: share, after: start.duration(to: now))
  }

  /// `3 of 10 done, 2 up to date, 1 failed, 4 running, 35 %, 1:20 left`
  func summary(at now: ContinuousClock.Instant) -> [String] {
    var parts = ["\(finished) of \(names.count) done"]
    let counts = [
      (upToDate, "up to date"), (failed, "failed"), (blocked, "blocked"), (cancelled, "cancelled"),
      (running.count, "running"),
    ]
    for (count, word) in counts where count > 0 { parts.append("\(count) \(word)") }
    let ended = finished + upToDate + failed + blocked + cancelled
    guard start != nil, ended < names.count else { return parts }
    if let share { parts.append("\(Int(share * 100)) %") }
    if let remaining = remaining(at: now) {
      parts.append(Figures.clock(remaining) + " left")
    }
    return parts
  }

  private mutating func update(_ job: Int, _ progress: JobProgress?) {
    guard let index = running.firstIndex(where: { $0.job == job }) else { return }
    running[index].progress = progress
  }

  private mutating func leaveOut(_ job: Int, countedBy count: WritableKeyPath<Self, Int>) {
    self[keyPath: count] += 1
    totalWeight -= weights[job]
  }

  private mutating func remove(_ job: Int) -> Bool {
    guard let index = running.firstIndex(where: { $0.job == job }) else { return false }
    running.remove(at: index)
    return true
  }
}

/// How long the rest takes where `fraction` took `elapsed`; nil for what would take days.
private func rest(of fraction: Double, after elapsed: Duration) -> Duration? {
  guard fraction > 0 else { return nil }
  let seconds = elapsed.seconds * (1 - fraction) / fraction
  return seconds < 360_000 ? .milliseconds(Int64(seconds * 1000)) : nil
}
