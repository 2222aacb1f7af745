import Terminal

/// The lines of a run for a file or a CI's log: starts, ends, and progress in wide steps. Of a run
/// of many jobs, its progress as a whole takes the place of each job's.
struct ProgressLog {
  /// A run of more jobs has a line for the whole in place of lines for each.
  static let mostJobsNamed = 20
  /// So many blocked jobs have a line.
  private static let mostBlockedNamed = 20

  private let namesJobs: Bool
  /// Also jobs that are up to date.
  private let isVerbose: Bool
  /// When and at what fraction each running job was last mentioned; nothing for a job that is up to
  /// date, which shows only at its end.
  private var mentions: [Int: (instant: ContinuousClock.Instant, fraction: Double)] = [:]
  /// Jobs with a line about waiting: they may be postponed many times before they start.
  private var postponed: Set<Int> = []
  /// When the run as a whole was last mentioned.
  private var lastSummary: ContinuousClock.Instant?
  private var blockedCount = 0

  /// - Parameters:
  ///   - jobCount: How many jobs the run has.
  ///   - isVerbose: Whether each job has lines, however many there are, and those that are up to date.
  init(jobCount: Int, isVerbose: Bool = false) {
    self.isVerbose = isVerbose
    namesJobs = isVerbose || jobCount <= Self.mostJobsNamed
  }

  /// The lines about an event that `tally` has taken in; none for most.
  ///
  /// Progress of a job, and of a run, is mentioned after another 10 s and, for a job, another 10 %,
  /// whichever comes later; not at all with `hasProgress` false, where something else shows it.
  /// `ended` is the job as it ran, where the event took it out of those that run.
  mutating func lines(
    for event: RunEvent, ended: RunTally.RunningJob?, _ tally: RunTally, hasProgress: Bool = true
  ) -> [String] {
    let ends = ending(event, ended, tally)
    if namesJobs { return ends + progress(event, in: tally, hasProgress: hasProgress) }
    return ends + summary(in: tally, at: event.instant)
  }

  /// The lines about a job's end.
  private mutating func ending(
    _ event: RunEvent, _ ended: RunTally.RunningJob?, _ tally: RunTally
  ) -> [String] {
    if case .blocked(let other) = event.kind { return blocked(event.job, by: other, in: tally) }
    guard let job = ended else { return [] }
    mentions[event.job] = nil
    let elapsed = job.start.duration(to: event.instant)
    switch event.kind {
    case .started, .progress, .warning, .retrying, .blocked: return []
    case .postponed:
      return namesJobs && postponed.insert(event.job).inserted
        ? ["\(job.name): another process has this job; waiting"] : []
    case .requeued:
      return namesJobs ? ["\(job.name): cut off with its machine; waiting for another one"] : []
    case .finished(let outputs, let reason):
      let because = reason.map { ["\(job.name): \($0.printable)"] } ?? []
      guard namesJobs else { return because }
      // Progress counts each pass over the sound.
      let sound = outputs.lazy.compactMap { $0.sound?.duration }.first ?? job.progress?.total
      let speed = sound.flatMap { Figures.speed($0, in: elapsed) }
      let rest = speed.map { ", \($0) real time" } ?? ""
      return because + ["\(job.name): done in \(Figures.elapsed(elapsed))\(rest)"]
    case .upToDate: return isVerbose ? ["\(job.name): up to date"] : []
    case .failed: return ["\(job.name): failed after \(Figures.elapsed(elapsed))"]
    case .cancelled:
      return namesJobs ? ["\(job.name): cancelled after \(Figures.elapsed(elapsed))"] : []
    }
  }

  private mutating func blocked(_ job: Int, by other: Int, in state: RunTally) -> [String] {
    blockedCount += 1
    guard isVerbose || blockedCount <= Self.mostBlockedNamed, state.names.indices.contains(job),
      state.names.indices.contains(other)
    else { return [] }
    return ["\(state.names[job]): blocked, since '\(state.names[other])' is not done"]
  }

  /// The line about a start comes with the first sound: until then the job may be up to date.
  private mutating func start(of job: RunTally.RunningJob) -> [String] {
    guard namesJobs, mentions[job.job] == nil else { return [] }
    mentions[job.job] = (job.start, 0)
    return ["\(job.name): started"]
  }

  private mutating func progress(
    _ event: RunEvent, in state: RunTally, hasProgress: Bool
  ) -> [String] {
    guard case .progress = event.kind,
      let job = state.running.first(where: { $0.job == event.job })
    else { return [] }
    let started = start(of: job)
    let now = event.instant
    guard hasProgress, let last = mentions[job.job], last.instant.duration(to: now) >= .seconds(10),
      job.fraction >= last.fraction + 0.1
    else { return started }
    mentions[job.job] = (now, job.fraction)
    var parts = ["\(Int(job.fraction * 100)) %"]
    if let speed = job.speed(at: now) { parts.append("\(speed) real time") }
    if let remaining = job.remaining(at: now) { parts.append(Figures.clock(remaining) + " left") }
    return started + ["\(job.name): " + parts.joined(separator: ", ")]
  }

  private mutating func summary(
    in state: RunTally, at now: ContinuousClock.Instant
  ) -> [String] {
    let last = lastSummary ?? now
    if lastSummary == nil { lastSummary = now }
    guard last.duration(to: now) >= .seconds(10) else { return [] }
    lastSummary = now
    return [state.summary(at: now).joined(separator: ", ")]
  }
}
