import MediaTime
import WorkerPool

/// What is known about a run while it goes on: built from the pool's events, read by the screens.
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
      guard fraction > 0, elapsed >= .milliseconds(500) else { return nil }
      let seconds = elapsed.seconds * (1 - fraction) / fraction
      return seconds < 360_000 ? .milliseconds(Int64(seconds * 1000)) : nil
    }
  }

  /// The jobs' names, as they may stand on a screen.
  let names: [String]
  /// In the order in which they started.
  private(set) var running: [RunningJob] = []
  private(set) var finished = 0
  private(set) var failed = 0
  private(set) var cancelled = 0

  init(names: [String]) { self.names = names.map(\.printable) }

  /// Takes in what happened to a job. Events of jobs that do not run are without effect.
  mutating func apply<Result>(_ event: JobEvent<Result>) {
    switch event.kind {
    case .started:
      guard names.indices.contains(event.job) else { return }
      running.append(RunningJob(job: event.job, name: names[event.job], start: event.instant))
    case .progress(let progress):
      guard let index = running.firstIndex(where: { $0.job == event.job }) else { return }
      running[index].progress = progress
    case .warning, .retrying, .blocked: break
    case .postponed: _ = remove(event.job)
    case .finished: if remove(event.job) { finished += 1 }
    case .failed: if remove(event.job) { failed += 1 }
    case .cancelled: if remove(event.job) { cancelled += 1 }
    }
  }

  private mutating func remove(_ job: Int) -> Bool {
    guard let index = running.firstIndex(where: { $0.job == job }) else { return false }
    running.remove(at: index)
    return true
  }
}
