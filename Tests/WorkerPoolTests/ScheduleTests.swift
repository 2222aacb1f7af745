import TestSupport
import Testing

@testable import WorkerPool

/// The schedule's rules, looked up anew in plain lists at each question.
private struct SlowSchedule {
  enum State: Equatable {
    case waiting, running, over(finished: Bool), blocked
    case paused(until: ContinuousClock.Instant, isLate: Bool)
  }

  let jobs: [PoolJob<Int>]
  let limits: ResourceRequest
  var states: [State]
  /// Those that were paused stay late, or not, until they run again.
  var isLate: [Bool]

  init(_ jobs: [PoolJob<Int>], limits: ResourceRequest) {
    self.jobs = jobs
    self.limits = limits
    states = jobs.map { _ in .waiting }
    isLate = jobs.map { _ in false }
  }

  func remaining(_ job: Int) -> Duration {
    let dependents = jobs.indices.filter { jobs[$0].needs.contains(job) }
    return jobs[job].estimate + (dependents.map { remaining($0) }.max() ?? .zero)
  }

  func claim(where isMeant: (State) -> Bool) -> (files: Int, memory: Int) {
    jobs.indices.filter { isMeant(states[$0]) }.reduce((0, 0)) {
      ($0.0 + jobs[$1].resources.openFiles, $0.1 + jobs[$1].resources.memory)
    }
  }

  mutating func next(at now: ContinuousClock.Instant) -> Schedule.Turn {
    for job in jobs.indices {
      if case .paused(let end, let late) = states[job], end <= now {
        states[job] = .waiting
        isLate[job] = late
      }
    }
    let ready = jobs.indices.filter { job in
      states[job] == .waiting && jobs[job].needs.allSatisfy { states[$0] == .over(finished: true) }
    }
    let first = ready.min { a, b in
      if isLate[a] != isLate[b] { return isLate[b] }
      return (remaining(b), a) < (remaining(a), b)
    }
    let pauses = states.compactMap { state -> ContinuousClock.Instant? in
      if case .paused(let end, _) = state { end } else { nil }
    }
    let isRunning = states.contains(.running)
    guard let first else {
      return !isRunning && pauses.isEmpty ? .over : .wait(until: pauses.min())
    }
    let used = claim { $0 == .running }
    let fits =
      used.files + jobs[first].resources.openFiles <= limits.openFiles
      && used.memory + jobs[first].resources.memory <= limits.memory
    guard fits || !isRunning else { return .wait(until: nil) }
    states[first] = .running
    isLate[first] = false
    return .run(first)
  }

  mutating func end(_ job: Int, isFinished: Bool) -> [Int] {
    states[job] = .over(finished: isFinished)
    var blocked: [Int] = []
    var goesOn = true
    while goesOn {
      goesOn = false
      for other in jobs.indices where states[other] == .waiting {
        let isHopeless = jobs[other].needs.contains {
          states[$0] == .over(finished: false) || states[$0] == .blocked
        }
        if isHopeless {
          states[other] = .blocked
          blocked.append(other)
          goesOn = true
        }
      }
    }
    return blocked
  }
}

@Suite struct ScheduleTests {
  /// Jobs that need some of those before them in a random order of the list.
  private func randomJobs(_ dice: inout Dice) -> [PoolJob<Int>] {
    let count = Int.random(in: 1...30, using: &dice)
    let places = Array(0..<count).shuffled(using: &dice)
    var jobs = (0..<count).map { PoolJob($0) }
    for (rank, place) in places.enumerated() {
      jobs[place].estimate = .seconds(Int.random(in: 0...5, using: &dice))
      jobs[place].resources = ResourceRequest(
        openFiles: Int.random(in: 0...6, using: &dice), memory: Int.random(in: 0...6, using: &dice))
      let needs = rank == 0 ? 0 : Int.random(in: 0...2, using: &dice)
      jobs[place].needs = (0..<needs).map { _ in places[Int.random(in: 0..<rank, using: &dice)] }
    }
    return jobs
  }

  @Test("Random jobs that need, fail, pause and claim get the turns of plain lists, and all end")
  func slowTwin() {
    var dice = Dice(0xD46)
    for _ in 0..<300 {
      let jobs = randomJobs(&dice)
      let limits =
        Bool.random(using: &dice)
        ? ResourceRequest.unlimited : ResourceRequest(openFiles: 8, memory: 7)
      let width = Int.random(in: 1...4, using: &dice)
      var fast = Schedule(jobs, limits: limits)
      var slow = SlowSchedule(jobs, limits: limits)
      #expect(fast.impossible.isEmpty)
      var now = ContinuousClock.now
      var running: [(job: Int, end: ContinuousClock.Instant)] = []
      var ended: Set<Int> = []
      var isOver = false
      while !isOver {
        var alarm: ContinuousClock.Instant?
        asking: while running.count < width {
          let turn = fast.next(at: now)
          #expect(turn == slow.next(at: now))
          switch turn {
          case .run(let job):
            let time = Duration.milliseconds(Int.random(in: 1...3000, using: &dice))
            running.append((job, now.advanced(by: time)))
          case .wait(let instant):
            alarm = instant
            #expect(instant != nil || !running.isEmpty, "nothing would ever wake it")
            break asking
          case .over:
            isOver = true
            break asking
          }
        }
        guard let next = (running.map(\.end) + [alarm].compactMap { $0 }).min() else { break }
        now = max(now, next)
        for (job, _) in running.filter({ $0.end <= now }) {
          running.removeAll { $0.job == job }
          switch Int.random(in: 0..<10, using: &dice) {
          case 0, 1:
            let end = now.advanced(by: .milliseconds(Int.random(in: 0...4000, using: &dice)))
            let isLate = Bool.random(using: &dice)
            fast.pause(job, until: end, isLate: isLate)
            slow.states[job] = .paused(until: end, isLate: isLate)
          case let fate:
            let blocked = fast.end(job, isFinished: fate != 2)
            #expect(Set(blocked.map(\.job)) == Set(slow.end(job, isFinished: fate != 2)))
            for (other, need) in blocked {
              #expect(jobs[other].needs.contains(need))
              #expect(ended.insert(other).inserted)
            }
            #expect(ended.insert(job).inserted)
          }
        }
      }
      #expect(ended == Set(jobs.indices))
    }
  }

  @Test("The longest chain of needs goes first, not the longest job")
  func criticalPath() {
    var schedule = Schedule([
      PoolJob("long", estimate: .seconds(5)),
      PoolJob("end of a chain", estimate: .seconds(4), needs: [2]),
      PoolJob("its start", estimate: .seconds(2)),
      PoolJob("short", estimate: .seconds(1)),
      PoolJob("as short", estimate: .seconds(1)),
    ])
    var order: [Int] = []
    while case .run(let job) = schedule.next(at: .now) {
      order.append(job)
      _ = schedule.end(job, isFinished: true)
    }
    #expect(order == [2, 0, 1, 3, 4])
  }

  @Test("Jobs that need one another, themselves, or one that there is not can never start")
  func impossible() {
    var schedule = Schedule([
      PoolJob("fine"), PoolJob("a", needs: [2]), PoolJob("b", needs: [1]),
      PoolJob("behind", needs: [2, 0]), PoolJob("itself", needs: [4]), PoolJob("none", needs: [9]),
      PoolJob("below none", needs: [-1]),
    ])
    #expect(schedule.impossible == [1, 2, 3, 4, 5, 6])
    #expect(schedule.next(at: .now) == .run(0))
    #expect(schedule.end(0, isFinished: true).isEmpty)
    #expect(schedule.next(at: .now) == .over)
  }

  @Test("Estimates of any size add up")
  func hugeEstimates() {
    var jobs = (0..<1000).map {
      PoolJob($0, estimate: .seconds(Int64.max), needs: [max(0, $0 - 1)])
    }
    jobs[0].needs = []
    jobs[1].estimate = .seconds(Int64.min)
    var schedule = Schedule(jobs)
    #expect(schedule.next(at: .now) == .run(0))
  }

  @Test("A hundred thousand jobs in chains and fans are ordered one by one")
  func many() {
    let count = 100_000
    var schedule = Schedule(
      (0..<count).map { job in
        PoolJob(
          job, estimate: .milliseconds(job * 7919 % 1000),
          needs: job % 100 == 0 ? [] : [job - 1, job / 100 * 100])
      })
    var ran = 0
    while case .run(let job) = schedule.next(at: .now) {
      ran += 1
      _ = schedule.end(job, isFinished: true)
    }
    #expect(ran == count)
  }

  @Test("Waits between attempts double up to a bound, differ between jobs, and are always the same")
  func backoff() {
    let backoff = Backoff(first: .seconds(1), longest: .seconds(10))
    for job in [0, 1, 99_999, .max, .min] {
      for attempt in 1...40 {
        let wait = backoff.wait(afterAttempt: attempt, ofJob: job)
        let middle = min(10, 1 << min(attempt - 1, 10))
        #expect(wait >= .milliseconds(middle * 500) && wait <= .milliseconds(middle * 1500))
        #expect(wait <= .seconds(10))
        #expect(wait == backoff.wait(afterAttempt: attempt, ofJob: job))
      }
    }
    #expect(Set((0..<100).map { backoff.wait(afterAttempt: 1, ofJob: $0) }).count > 80)
    #expect(Backoff(first: .zero).wait(afterAttempt: .max, ofJob: 1) == .zero)
  }
}
