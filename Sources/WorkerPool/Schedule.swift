/// The order of jobs, from their needs, estimates, resources and pauses; without threads and clock.
///
/// `next` gives a job, which from then on runs, until `end`, `pause` or `giveBack` is called for it.
struct Schedule {
  typealias Instant = ContinuousClock.Instant

  /// What a worker is to do.
  enum Turn: Equatable {
    case run(Int)
    /// Ask again when something has ended, or at that time.
    case wait(until: Instant?)
    /// Nothing is left to be started, now or later.
    case over
  }

  /// Jobs that can never start: they need themselves, by way of others, or a job that is none.
  let impossible: [Int]
  /// Whether no job is to be started any more.
  private(set) var isStopped = false

  private let dependents: Dependents
  /// For each job its own estimate and those of the longest chain that needs it.
  private let remaining: [Duration]
  private let requests: [ResourceRequest]
  private let limits: ResourceRequest
  /// How many needs of each job have not finished.
  private var unmetNeeds: [Int]
  private var ready = Heap<Rank>()
  private var paused = Heap<Pause>()
  private var running = 0
  private var taken = ResourceRequest()

  /// The order among jobs that could start now.
  private struct Rank: Comparable {
    let isLate: Bool
    let remaining: Duration
    let job: Int

    static func < (a: Rank, b: Rank) -> Bool {
      if a.isLate != b.isLate { return b.isLate }
      return a.remaining == b.remaining ? a.job < b.job : a.remaining > b.remaining
    }
  }

  private struct Pause: Comparable {
    let end: Instant
    let job: Int
    let isLate: Bool

    static func < (a: Pause, b: Pause) -> Bool {
      a.end == b.end ? a.job < b.job : a.end < b.end
    }
  }

  /// - Complexity: O(jobs × log jobs + needs)
  init<Job>(_ jobs: [PoolJob<Job>], limits: ResourceRequest = .unlimited) {
    self.limits = limits
    requests = jobs.map(\.resources)
    dependents = Dependents(of: jobs.map(\.needs))
    unmetNeeds = jobs.map(\.needs.count)
    let order = dependents.order(needCounts: unmetNeeds)
    // A hundred thousand of the longest estimate add up to less than a Duration holds.
    var remaining = jobs.map { min(max(.zero, $0.estimate), .seconds(1 << 32)) }
    for job in order.reversed() {
      remaining[job] += dependents[job].map { remaining[$0] }.max() ?? .zero
    }
    self.remaining = remaining
    var isPossible = [Bool](repeating: false, count: jobs.count)
    for job in order { isPossible[job] = true }
    impossible = jobs.indices.filter { !isPossible[$0] }
    for job in jobs.indices where unmetNeeds[job] == 0 { enqueue(job, isLate: false) }
    // Neither started nor blocked by anything.
    for job in impossible { unmetNeeds[job] = 0 }
  }

  /// The job whose turn it is. O(log jobs), amortised.
  mutating func next(at now: Instant) -> Turn {
    if isStopped { return .over }
    while let pause = paused.least, pause.end <= now {
      _ = paused.takeLeast()
      enqueue(pause.job, isLate: pause.isLate)
    }
    guard let first = ready.least else {
      return running == 0 && paused.isEmpty ? .over : .wait(until: paused.least?.end)
    }
    // No smaller job overtakes one that waits for room: it would wait for ever.
    guard running == 0 || requests[first.job].fits(beside: taken, under: limits) else {
      return .wait(until: nil)
    }
    _ = ready.takeLeast()
    running += 1
    taken += requests[first.job]
    return .run(first.job)
  }

  /// A running job has ended for good. O(jobs that need it × log jobs).
  ///
  /// - Returns: Those that are blocked by that, each with the need that keeps it from starting.
  mutating func end(_ job: Int, isFinished: Bool) -> [(job: Int, by: Int)] {
    giveBack(job)
    if isFinished {
      for dependent in dependents[job] where unmetNeeds[dependent] > 0 {
        unmetNeeds[dependent] -= 1
        if unmetNeeds[dependent] == 0 { enqueue(dependent, isLate: false) }
      }
      return []
    }
    return block(becauseOf: job)
  }

  /// A running job stops for a while; a late one comes after all others then.
  mutating func pause(_ job: Int, until end: Instant, isLate: Bool) {
    giveBack(job)
    paused.insert(Pause(end: end, job: job, isLate: isLate))
  }

  /// A job from `next` does not run any more, or never did.
  mutating func giveBack(_ job: Int) {
    running -= 1
    taken -= requests[job]
  }

  /// Nothing is started from here on.
  mutating func stop() { isStopped = true }

  private mutating func enqueue(_ job: Int, isLate: Bool) {
    ready.insert(Rank(isLate: isLate, remaining: remaining[job], job: job))
  }

  /// Marks what needs a job that did not finish, and what needs that.
  private mutating func block(becauseOf job: Int) -> [(job: Int, by: Int)] {
    var blocked: [(job: Int, by: Int)] = []
    var causes = [job]
    while let cause = causes.popLast() {
      for dependent in dependents[cause] where unmetNeeds[dependent] > 0 {
        // From here on no need of it counts.
        unmetNeeds[dependent] = 0
        blocked.append((dependent, cause))
        causes.append(dependent)
      }
    }
    return blocked
  }
}

/// Needs in reverse: for each job those that need it, in one array.
private struct Dependents {
  private var starts: [Int]
  private var members: [Int]

  /// A need that is no job has no place here, so that its owner never becomes ready.
  init(of needs: [[Int]]) {
    starts = [Int](repeating: 0, count: needs.count + 1)
    for need in needs.joined() where needs.indices.contains(need) { starts[need + 1] += 1 }
    for job in needs.indices { starts[job + 1] += starts[job] }
    members = [Int](repeating: 0, count: starts.last ?? 0)
    var ends = starts
    for (job, needs) in needs.enumerated() {
      for need in needs where starts.indices.dropLast().contains(need) {
        members[ends[need]] = job
        ends[need] += 1
      }
    }
  }

  subscript(job: Int) -> ArraySlice<Int> { members[starts[job]..<starts[job + 1]] }

  /// Each job after all that it needs (Kahn 1962); those that cannot be are left out.
  func order(needCounts: [Int]) -> [Int] {
    var unmet = needCounts
    var order = unmet.indices.filter { unmet[$0] == 0 }
    var next = 0
    while next < order.count {
      for dependent in self[order[next]] {
        unmet[dependent] -= 1
        if unmet[dependent] == 0 { order.append(dependent) }
      }
      next += 1
    }
    return order
  }
}
