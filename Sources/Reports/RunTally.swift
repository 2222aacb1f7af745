import Diagnosis
import RunPlan
import Terminal
import WorkerPool

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

  /// A time in which a job ran.
  struct TryState: Sendable {
    let start: ContinuousClock.Instant
    var end: ContinuousClock.Instant
    /// Nil while it lasts.
    var ending: RunReport.Try.Ending?

    init(from start: ContinuousClock.Instant) { (self.start, end) = (start, start) }
  }

  /// What happened to a job so far.
  struct JobState: Sendable {
    var status = RunReport.Status.notStarted
    var start: ContinuousClock.Instant?
    var elapsed = Duration.zero
    var attempts = 0
    /// Each time that it ran, in order.
    var tries: [TryState] = []
    /// Of a job that is done.
    var outputs: [RunReport.Output] = []
    var reason: String?
    var blocker: Int?
    var messages: [RunReport.Message] = []
  }

  /// Names of the jobs, as they are.
  let rawNames: [String]
  /// Names of the jobs, as they may stand on a screen.
  let names: [String]
  /// Where they stand among all jobs of the job files.
  let orders: [WorkOrder]
  /// The jobs that were refused before anything ran.
  let refused: [RunReport.Job]
  /// In the order of `names`.
  private(set) var states: [JobState]
  /// In the order in which they started.
  private(set) var running: [RunningJob] = []
  private var counts: [RunReport.Status: Int] = [:]
  /// Characters of pictures at joins that may still be held: in all about as many as a page has room for.
  private var pictureRoom = 12_000_000
  /// Bytes of cues that may still be held.
  private var wordRoom = 12_000_000
  /// Jobs that failed, and that may pass by themselves in another run.
  private(set) var passingFailures = 0

  /// How much work each job is, in a unit of its own.
  private let weights: [Double]
  /// Of the jobs that were or will be done: what was up to date, failed or is blocked is no work.
  private var totalWeight: Double
  private var finishedWeight = 0.0
  private var start: ContinuousClock.Instant?
  private let planned: @Sendable (Int) -> RunReport.Job

  /// A run of jobs; where nothing is known of their work, all count alike.
  ///
  /// - Parameters:
  ///   - names: The jobs'.
  ///   - orders: Where they stand among all jobs of the job files.
  ///   - estimates: How much work each is thought to be.
  ///   - refused: Those that are not going to run.
  ///   - planned: A job by its number, as a report has it before anything happened to it: most of that
  ///     is not needed before the end, and of a hundred thousand jobs much.
  init(
    _ names: [String] = [], orders: [WorkOrder] = [], estimates: [Duration] = [],
    refused: [RunReport.Job] = [],
    planned: @escaping @Sendable (Int) -> RunReport.Job = { _ in .init(name: "", job: "") }
  ) {
    rawNames = names
    self.names = names.map(\.printable)
    self.orders = orders
    self.refused = refused
    self.planned = planned
    states = Array(repeating: JobState(), count: names.count)
    let known = estimates.map { max(0, $0.seconds) }
    weights = known.contains { $0 > 0 } ? known : names.map { _ in 1 }
    totalWeight = weights.reduce(0, +)
    for job in refused {
      counts[job.status, default: 0] += 1
      if job.mayPass { passingFailures += 1 }
    }
  }

  /// A run of `work` on this machine.
  package init(_ work: [Work], refusals: [Refusal] = [], in map: SourceMap) {
    self.init(
      work.map(\.export.name), orders: work.map(\.order), estimates: work.map(\.estimate),
      refused: refusals.map { RunReport.Job($0, in: map) }
    ) { RunReport.Job(work[$0], in: map) }
  }

  /// A job by its number, as it was planned.
  func plannedJob(_ number: Int) -> RunReport.Job { planned(number) }

  /// A job by its number, with what happened to it.
  func job(_ number: Int) -> RunReport.Job {
    var job = planned(number)
    let state = states[number]
    job.status = state.status
    job.blockedBy = state.blocker.flatMap { names.indices.contains($0) ? planned($0).name : nil }
    (job.reason, job.elapsed, job.attempts) = (state.reason, state.elapsed, state.attempts)
    if state.status == .done { job.outputs = state.outputs }
    job.messages += state.messages
    return job
  }

  // MARK: Events

  /// Takes in what happened to a job.
  ///
  /// - Returns: The job as it ran, where it does not any more.
  /// - Complexity: O(running jobs)
  @discardableResult
  mutating func apply(_ event: RunEvent) -> RunningJob? {
    let job = event.job
    // Two machines may have done one job.
    guard states.indices.contains(job), ![.done, .upToDate].contains(states[job].status) else {
      return nil
    }
    if let message = event.kind.message { states[job].messages.append(message) }
    switch event.kind {
    case .started:
      if start == nil { start = event.instant }
      states[job].attempts += 1
      states[job].start = event.instant
      states[job].tries.append(TryState(from: event.instant))
      running.append(RunningJob(job: job, name: names[job], start: event.instant))
      return nil
    case .progress(let progress): update(job, progress)
    case .retrying(_, let pause):
      states[job].attempts += 1
      endTry(event, as: .retried)
      states[job].tries.append(TryState(from: event.instant + pause))
      update(job, nil)
    case .warning: break
    case .postponed, .requeued:
      endTry(event, as: .postponed)
      reopen(job)
      return remove(job)
    case .finished(let outputs, let reason):
      (states[job].outputs, states[job].reason) = (kept(outputs), reason)
      return end(event, as: .done)
    case .upToDate: return end(event, as: .upToDate)
    case .failed(let message):
      if message.diagnostic.remedy == .tryAgain { passingFailures += 1 }
      return end(event, as: .failed)
    case .blocked(let other):
      states[job].blocker = other
      return end(event, as: .blocked)
    case .cancelled: return end(event, as: .cancelled)
    }
    return nil
  }

  /// Outputs with the pictures at their joins and with what is said in them, as long as there is room.
  private mutating func kept(_ outputs: [RunReport.Output]) -> [RunReport.Output] {
    outputs.map { output in
      var output = output
      let size = output.sound?.drawnSize ?? 0
      if size > pictureRoom { output.sound?.forgetDrawn() } else { pictureRoom -= size }
      let said = output.sound?.saidSize ?? 0
      if said > wordRoom { output.sound?.forgetSaid() } else { wordRoom -= said }
      return output
    }
  }

  private mutating func endTry(_ event: RunEvent, as ending: RunReport.Try.Ending?) {
    guard let last = states[event.job].tries.indices.last,
      states[event.job].tries[last].ending == nil
    else { return }
    // A pause may be cut off.
    states[event.job].tries[last].end = max(event.instant, states[event.job].tries[last].start)
    states[event.job].tries[last].ending = ending
  }

  /// Takes in how often each job was tried.
  mutating func apply(attempts: [Int]) {
    for (job, count) in zip(states.indices, attempts) { states[job].attempts = count }
  }

  /// Takes back that a job has started, and how it ended if it is not done: it starts again later.
  private mutating func reopen(_ job: Int) {
    let state = states[job]
    guard ![.done, .upToDate].contains(state.status) else { return }
    if state.status == .notStarted {
      if state.start != nil { states[job].attempts -= 1 }
    } else {
      counts[state.status, default: 0] -= 1
      totalWeight += weights[job]
      if state.status == .failed, state.messages.last?.diagnostic.remedy == .tryAgain {
        passingFailures -= 1
      }
    }
    (states[job].status, states[job].start, states[job].blocker) = (.notStarted, nil, nil)
    states[job].messages = []
  }

  private mutating func end(_ event: RunEvent, as status: RunReport.Status) -> RunningJob? {
    counts[status, default: 0] += 1
    states[event.job].status = status
    endTry(event, as: RunReport.Try.Ending(rawValue: status.rawValue))
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
  var total: Int { names.count + refused.count }

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
    for status in RunReport.Status.allCases where ![.done, .notStarted].contains(status) {
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
