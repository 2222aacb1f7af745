import Diagnosis
import RunPlan
import Terminal
import WorkerPool

/// Something that happened to a job of a run: the one input of screens, streams and reports.
package typealias RunEvent = JobEvent<WorkResult>

/// All that is known of a run: built from its events, read by screens, streams and reports.
package struct RunTally: Sendable {
  /// A job between its start and its end.
  struct RunningJob: Sendable {
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

  /// What happened to a job so far.
  struct JobState: Sendable {
    var status = RunReport.Status.notStarted
    var start: ContinuousClock.Instant?
    var elapsed = Duration.zero
    var attempts = 0
    /// Of a job that is done.
    var outputs: [RunReport.Output] = []
    var reason: String?
    var blocker: Int?
    var diagnostics: [Diagnostic] = []
  }

  let jobs: [Work]
  /// Names of `jobs` as they may stand on a screen.
  let names: [String]
  let refusals: [Refusal]
  /// In the order of `jobs`.
  private(set) var states: [JobState]
  /// In the order in which they started.
  private(set) var running: [RunningJob] = []
  private var counts: [RunReport.Status: Int] = [:]
  /// Jobs that failed, and that may pass by themselves in another run.
  private(set) var passingFailures = 0

  /// How much work each job is, in a unit of its own.
  private let weights: [Double]
  /// Of the jobs that were or will be done: what was up to date, failed or is blocked is no work.
  private var totalWeight: Double
  private var finishedWeight = 0.0
  private var start: ContinuousClock.Instant?

  /// A run of `jobs`; where nothing is known of their work, all count alike.
  package init(_ jobs: [Work] = [], refusals: [Refusal] = []) {
    self.jobs = jobs
    self.refusals = refusals
    names = jobs.map(\.export.name.printable)
    states = Array(repeating: JobState(), count: jobs.count)
    let known = jobs.map { max(0, $0.estimate.seconds) }
    weights = known.contains { $0 > 0 } ? known : jobs.map { _ in 1 }
    totalWeight = weights.reduce(0, +)
    for refusal in refusals {
      counts[refusal.blockedBy == nil ? .failed : .blocked, default: 0] += 1
      if refusal.blockedBy == nil, refusal.mayPass { passingFailures += 1 }
    }
  }

  // MARK: Events

  /// Takes in what happened to a job.
  ///
  /// - Returns: The job as it ran, where it does not any more.
  /// - Complexity: O(running jobs)
  @discardableResult
  mutating func apply(_ event: RunEvent) -> RunningJob? {
    let job = event.job
    guard states.indices.contains(job) else { return nil }
    if let diagnostic = diagnostic(of: event) { states[job].diagnostics.append(diagnostic) }
    switch event.kind {
    case .started:
      if start == nil { start = event.instant }
      states[job].start = event.instant
      running.append(RunningJob(job: job, name: names[job], start: event.instant))
      return nil
    case .progress(let progress): update(job, progress)
    case .retrying: update(job, nil)
    case .warning: break
    case .postponed:
      states[job].start = nil
      return remove(job)
    case .finished(.written(let report, let reason)):
      states[job].outputs = RunReport.Output.written(jobs[job].export, report)
      states[job].reason = reason
      return end(event, as: .done)
    case .finished(.upToDate): return end(event, as: .upToDate)
    case .failed(let failure):
      if failure.remedy == .tryAgain { passingFailures += 1 }
      return end(event, as: .failed)
    case .blocked(let other):
      states[job].blocker = other
      return end(event, as: .blocked)
    case .cancelled: return end(event, as: .cancelled)
    }
    return nil
  }

  /// The message of an event: the same on the screen, in the stream of events and in reports.
  func diagnostic(of event: RunEvent) -> Diagnostic? {
    guard jobs.indices.contains(event.job) else { return nil }
    let origin = jobs[event.job].export.origin
    switch event.kind {
    case .failed(let failure): return Diagnostic(failure, at: origin)
    case .warning(let warning): return Diagnostic(warning)
    case .retrying(let failure, let pause):
      // The job has not failed yet.
      var diagnostic = Diagnostic(failure, at: origin)
      diagnostic.severity = .warning
      diagnostic.help = "another attempt begins in " + Figures.clock(pause)
      return diagnostic
    case .started, .progress, .postponed, .finished, .blocked, .cancelled: return nil
    }
  }

  /// Takes in how often each job was tried.
  mutating func apply(attempts: [Int]) {
    for (job, count) in zip(jobs.indices, attempts) { states[job].attempts = count }
  }

  private mutating func end(_ event: RunEvent, as status: RunReport.Status) -> RunningJob? {
    counts[status, default: 0] += 1
    states[event.job].status = status
    if let start = states[event.job].start {
      states[event.job].elapsed = start.duration(to: event.instant)
    }
    if status == .done {
      finishedWeight += weights[event.job]
    } else {
      totalWeight -= weights[event.job]
    }
    return remove(event.job)
  }

  private mutating func update(_ job: Int, _ progress: JobProgress?) {
    guard let index = running.firstIndex(where: { $0.job == job }) else { return }
    running[index].progress = progress
  }

  private mutating func remove(_ job: Int) -> RunningJob? {
    running.firstIndex { $0.job == job }.map { running.remove(at: $0) }
  }

  // MARK: Figures

  /// All jobs, also those that were refused.
  var total: Int { jobs.count + refusals.count }

  /// How many jobs ended so.
  func count(_ status: RunReport.Status) -> Int {
    status == .notStarted
      ? total - counts.values.reduce(0, +) : counts[status, default: 0]
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
    var parts = ["\(count(.done)) of \(total) done"]
    for status in [RunReport.Status.upToDate, .failed, .blocked, .cancelled] {
      let count = count(status)
      if count > 0 { parts.append("\(count) \(status.words)") }
    }
    if !running.isEmpty { parts.append("\(running.count) running") }
    guard start != nil, count(.notStarted) > 0 else { return parts }
    if let share { parts.append("\(Int(share * 100)) %") }
    if let remaining = remaining(at: now) {
      parts.append(Figures.clock(remaining) + " left")
    }
    return parts
  }
}

/// How long the rest takes where `fraction` took `elapsed`; nil for what would take days.
private func rest(of fraction: Double, after elapsed: Duration) -> Duration? {
  guard fraction > 0 else { return nil }
  let seconds = elapsed.seconds * (1 - fraction) / fraction
  return seconds < 360_000 ? .milliseconds(Int64(seconds * 1000)) : nil
}
