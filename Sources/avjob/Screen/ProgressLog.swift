import WorkerPool

/// The lines of a run for a file or a CI's log: starts, ends, and progress in wide steps.
struct ProgressLog {
  /// When and at what fraction each running job was last mentioned.
  private var mentions: [Int: (instant: ContinuousClock.Instant, fraction: Double)] = [:]
  /// Jobs that have been said to wait: they may be asked for many times before they start.
  private var postponed: Set<Int> = []

  /// What to write about an event that turned the state `before` into `after`; nil for nothing.
  ///
  /// Progress is mentioned after another 10 s and another 10 %, whichever comes later.
  mutating func line<Result>(
    for event: JobEvent<Result>, before: ProgressState, after: ProgressState
  ) -> String? {
    let isStart: Bool = if case .started = event.kind { true } else { false }
    guard
      let job = (isStart ? after : before).running.first(where: { $0.job == event.job })
    else { return nil }
    let elapsed = Figures.clock(job.start.duration(to: event.instant))
    switch event.kind {
    case .started:
      mentions[event.job] = (event.instant, 0)
      return postponed.contains(event.job) ? nil : "\(job.name): started"
    case .progress: return progress(of: event.job, in: after, at: event.instant)
    case .warning, .retrying, .blocked: return nil
    case .postponed:
      mentions[event.job] = nil
      return postponed.insert(event.job).inserted
        ? "\(job.name): another process is at it; waiting" : nil
    case .finished:
      mentions[event.job] = nil
      let speed = job.progress.flatMap {
        Figures.speed($0.total, in: job.start.duration(to: event.instant))
      }
      return "\(job.name): done in \(elapsed)" + (speed.map { ", \($0) real time" } ?? "")
    case .failed:
      mentions[event.job] = nil
      return "\(job.name): failed after \(elapsed)"
    case .cancelled:
      mentions[event.job] = nil
      return "\(job.name): cancelled after \(elapsed)"
    }
  }

  private mutating func progress(
    of number: Int, in state: ProgressState, at now: ContinuousClock.Instant
  ) -> String? {
    guard let job = state.running.first(where: { $0.job == number }), let last = mentions[number],
      last.instant.duration(to: now) >= .seconds(10), job.fraction >= last.fraction + 0.1
    else { return nil }
    mentions[number] = (now, job.fraction)
    var parts = ["\(Int(job.fraction * 100)) %"]
    if let speed = job.speed(at: now) { parts.append("\(speed) real time") }
    if let remaining = job.remaining(at: now) { parts.append(Figures.clock(remaining) + " left") }
    return "\(job.name): " + parts.joined(separator: ", ")
  }
}
