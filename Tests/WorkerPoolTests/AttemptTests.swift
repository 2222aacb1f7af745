import Diagnosis
import Glibc
import MediaComposition
import Synchronization
import TestSupport
import Testing
import Threads

@testable import WorkerPool

/// A runner whose work is a closure.
private struct Fake: JobRunner {
  let work: @Sendable (Int, JobContext) throws -> Int
  func run(_ job: Int, context: JobContext) throws -> Int { try work(job, context) }
}

/// How often each job was run.
private final class Tally: Sendable {
  private let counts = Mutex<[Int: Int]>([:])
  func add(_ job: Int) -> Int {
    counts.withLock {
      $0[job, default: 0] += 1
      return $0[job, default: 0]
    }
  }
}

private let busy = Failure(.tryAgain, "busy")

@Suite struct AttemptTests {
  private func pool(
    _ cores: Int = 2, keepGoing: Bool = true, limits: ResourceRequest = .unlimited,
    grace: Duration = .seconds(60)
  ) -> Pool {
    Pool(
      budget: CPUBudget(total: cores), keepGoing: keepGoing, limits: limits,
      backoff: Backoff(first: .milliseconds(2), longest: .milliseconds(20)), grace: grace)
  }

  /// Without times, and progress.
  private func kinds(_ events: [JobEvent<Int>], of job: Int) -> [String] {
    events.filter { $0.job == job }.map { event in
      switch event.kind {
      case .started: "started"
      case .progress: "progress"
      case .warning: "warning"
      case .retrying(let failure, after: _): "retrying: \(failure)"
      case .postponed: "postponed"
      case .finished(let result): "finished \(result)"
      case .failed(let failure): "failed: \(failure)"
      case .cancelled: "cancelled"
      case .blocked(let need): "blocked by \(need)"
      }
    }
  }

  @Test("A job starts when all that it needs have finished, and is blocked where one does not")
  func needs() throws {
    let ended = Mutex<Set<Int>>([])
    let jobs = [
      PoolJob(0, needs: [1, 2]), PoolJob(1), PoolJob(2, needs: [1]), PoolJob(3, needs: [4]),
      PoolJob(4), PoolJob(5, needs: [3, 1]), PoolJob(6, needs: [6]),
    ]
    let needs = jobs.map(\.needs)
    var events: [JobEvent<Int>] = []
    let reports = try pool(3).run(
      jobs,
      with: Fake { job, _ in
        #expect(ended.withLock { $0.isSuperset(of: needs[job]) })
        if job == 4 { throw Failure(.mendInput, "no sound") }
        ended.withLock { _ = $0.insert(job) }
        return job
      }
    ) { events.append($0) }
    let impossible = Failure(.reportBug, "the job needs itself, or one that there is not")
    #expect(
      reports.map(\.outcome) == [
        .finished(0), .finished(1), .finished(2), .blocked(by: 4),
        .failed(Failure(.mendInput, "no sound")), .blocked(by: 3), .failed(impossible),
      ])
    #expect(reports.map(\.attempts) == [1, 1, 1, 0, 1, 0, 0])
    #expect(kinds(events, of: 3) == ["blocked by 4"])
    #expect(kinds(events, of: 5) == ["blocked by 3"])
    #expect(kinds(events, of: 2) == ["started", "finished 2"])
    #expect(kinds(events, of: 6) == ["started", "failed: \(impossible)"])
  }

  @Test("Any number of jobs that never could start, or are blocked, is told")
  func manyBlocked() throws {
    var jobs = (0..<2000).map { PoolJob($0, needs: [2000]) }
    jobs += [PoolJob(2000)]
    jobs += (2001..<4000).map { PoolJob($0, needs: [$0]) }
    var told = 0
    let reports = try pool().run(jobs, with: Fake { _, _ in throw busy }) {
      switch $0.kind {
      case .blocked, .failed: told += 1
      default: break
      }
    }
    #expect(told == 4000)
    #expect(reports[..<2000].allSatisfy { $0.outcome == .blocked(by: 2000) })
  }

  @Test("Only temporary failures are tried again, as often as allowed, and each pause is told")
  func retries() throws {
    let tally = Tally()
    var events: [JobEvent<Int>] = []
    let jobs = [
      PoolJob(0, retries: 3), PoolJob(1, retries: 2), PoolJob(2, retries: 5), PoolJob(3),
    ]
    let reports = try pool().run(
      jobs,
      with: Fake { job, _ in
        let attempt = tally.add(job)
        if job == 0, attempt == 3 { return job }
        throw job == 2 ? Failure(.mendMachine, "full") : busy
      }
    ) { events.append($0) }
    #expect(
      reports.map(\.outcome) == [
        .finished(0), .failed(busy), .failed(Failure(.mendMachine, "full")), .failed(busy),
      ])
    #expect(reports.map(\.attempts) == [3, 3, 1, 1])
    #expect(
      kinds(events, of: 0) == ["started", "retrying: busy", "retrying: busy", "finished 0"])
    #expect(kinds(events, of: 2) == ["started", "failed: full"])
  }

  @Test("While a job waits for its next attempt, its worker does others, and needs wait with it")
  func workerDoesOthers() throws {
    let tally = Tally()
    let order = Mutex<[Int]>([])
    let jobs = [PoolJob(0, estimate: .seconds(9), retries: 1), PoolJob(1), PoolJob(2, needs: [0])]
    let pool = Pool(
      budget: CPUBudget(total: 1),
      backoff: Backoff(first: .seconds(1), longest: .seconds(1)))
    let reports = try pool.run(
      jobs,
      with: Fake { job, _ in
        order.withLock { $0.append(job) }
        if job == 0, tally.add(job) == 1 { throw busy }
        return job
      })
    #expect(reports.map(\.outcome) == [.finished(0), .finished(1), .finished(2)])
    #expect(order.withLock { $0 } == [0, 1, 0, 2])
  }

  @Test("A run that is cancelled while a job waits for its next attempt ends at once")
  func cancelledBetweenAttempts() throws {
    let flag = CancellationFlag()
    let pool = Pool(
      budget: CPUBudget(total: 2),
      backoff: Backoff(first: .seconds(3600), longest: .seconds(3600)))
    var events: [JobEvent<Int>] = []
    let reports = try pool.run(
      [PoolJob(0, retries: 1), PoolJob(1, needs: [0])], with: Fake { _, _ in throw busy },
      cancellation: flag
    ) { event in
      events.append(event)
      if case .retrying = event.kind { flag.cancel() }
    }
    #expect(reports.map(\.outcome) == [.cancelled, .notStarted])
    #expect(reports.map(\.attempts) == [1, 0])
    #expect(kinds(events, of: 0) == ["started", "retrying: busy", "cancelled"])
  }

  @Test("Where it is not to keep going, a job that waits for its next attempt has failed")
  func stoppedBetweenAttempts() throws {
    let pool = Pool(
      budget: CPUBudget(total: 1), keepGoing: false,
      backoff: Backoff(first: .seconds(3600), longest: .seconds(3600)))
    let reports = try pool.run(
      [PoolJob(0, retries: 1), PoolJob(1), PoolJob(2)],
      with: Fake { job, _ in throw job == 0 ? busy : Failure(.mendInput, "no sound") })
    #expect(
      reports.map(\.outcome) == [
        .failed(busy), .failed(Failure(.mendInput, "no sound")), .notStarted,
      ])
  }

  @Test("An attempt that has had its time is stopped, alone, and counts as a temporary failure")
  func timeLimit() throws {
    let tally = Tally()
    var jobs = [
      PoolJob(0, timeLimit: .milliseconds(20)), PoolJob(1, timeLimit: .seconds(2), retries: 100),
      PoolJob(2, timeLimit: .milliseconds(20), retries: 1),
      PoolJob(3, timeLimit: .seconds(Int64.max)),
    ]
    jobs[1].totalTimeLimit = .milliseconds(1500)
    let reports = try pool(4).run(
      jobs,
      with: Fake { job, context in
        let attempt = tally.add(job)
        if job == 3 || job == 2 && attempt == 2 { return job }
        while !context.cancellation.isCancelled { usleep(500) }
        throw CancellationError()
      })
    func late(_ limit: String, _ name: String) -> JobReport<Int>.Outcome {
      .failed(
        Failure(
          .tryAgain,
          "took longer than its limit of \(limit); raise \(name), or run fewer jobs at once"))
    }
    #expect(
      reports.map(\.outcome) == [
        late("0.020 s", "its 'timeout'"), late("1.500 s", "'--max-time'"), .finished(2),
        .finished(3),
      ])
    #expect(reports.map(\.attempts) == [1, 1, 2, 1])
  }

  @Test("All attempts at a job share a limit, whatever number of them it allows itself")
  func totalTimeLimit() throws {
    var job = PoolJob(0, retries: 100)
    job.totalTimeLimit = .milliseconds(200)
    let patient = Pool(budget: CPUBudget(total: 1), backoff: Backoff(first: .seconds(600)))
    let reports = try patient.run([job], with: Fake { _, _ in throw busy })
    #expect(reports.map(\.outcome) == [.failed(busy)])
    #expect(reports.map(\.attempts) == [1])
  }

  @Test("A runner that does not stop when its time is over is abandoned, and the others run on")
  func stuck() throws {
    let release = CancellationFlag()
    let budget = CPUBudget(total: 1)
    let pool = Pool(budget: budget, grace: .milliseconds(20))
    let returned = Counter()
    var events: [JobEvent<Int>] = []
    let reports = try pool.run(
      [
        PoolJob(0, estimate: .seconds(1), timeLimit: .milliseconds(10), retries: 9), PoolJob(1),
        PoolJob(2, needs: [0]),
      ],
      with: Fake { job, context in
        guard job == 0 else { return job }
        while !release.isCancelled { usleep(500) }
        context.warn(Warning("late"))
        returned.add(1)
        return job
      }
    ) { events.append($0) }
    let failure = Failure(
      .tryAgain,
      "took longer than its limit of 0.010 s and did not stop within 0.020 s: abandoned; run again, "
        + "and check its disks")
    #expect(reports.map(\.outcome) == [.failed(failure), .finished(1), .blocked(by: 0)])
    #expect(kinds(events, of: 0) == ["started", "failed: \(failure)"])
    #expect(budget.tryLease() != nil)
    release.cancel()
    for _ in 0..<20_000 where returned.value == 0 { usleep(500) }
    #expect(returned.value == 1)
  }

  @Test("A cancelled run does not wait for ever for a runner that does not stop")
  func stuckInCancelledRun() throws {
    let (flag, release) = (CancellationFlag(), CancellationFlag())
    defer { release.cancel() }
    let begun = Counter()
    let reports = try pool(2, grace: .milliseconds(20)).run(
      [PoolJob(0), PoolJob(1), PoolJob(2)],
      with: Fake { job, context in
        begun.add(1)
        for _ in 0..<20_000 where begun.value < 2 { usleep(500) }
        flag.cancel()
        if job == 0 { while !release.isCancelled { usleep(500) } }
        while !context.cancellation.isCancelled { usleep(500) }
        throw CancellationError()
      }, cancellation: flag)
    #expect(reports[0].outcome == .cancelled)
    #expect(reports[2].outcome == .notStarted)
  }

  @Test("A postponed job comes after the others, is asked again later, and has lost no attempt")
  func postponed() throws {
    let tally = Tally()
    let order = Mutex<[Int]>([])
    var events: [JobEvent<Int>] = []
    let reports = try pool(1).run(
      [PoolJob(0, estimate: .seconds(9), retries: 1), PoolJob(1), PoolJob(2)],
      with: Fake { job, _ in
        order.withLock { $0.append(job) }
        if job == 0 {
          switch tally.add(job) {
          case 1, 2: throw JobPostponed(after: .zero)
          case 3: throw busy
          default: break
          }
        }
        return job
      }
    ) { events.append($0) }
    #expect(reports.map(\.outcome) == [.finished(0), .finished(1), .finished(2)])
    #expect(reports[0].attempts == 2)
    #expect(order.withLock { Array($0.prefix(3)) } == [0, 1, 2])
    #expect(
      kinds(events, of: 0) == [
        "started", "postponed", "started", "postponed", "started", "retrying: busy", "finished 0",
      ])
  }

  @Test("A job that is still postponed when the run is cancelled never started")
  func cancelledWhilePostponed() throws {
    let flag = CancellationFlag()
    let reports = try pool().run(
      [PoolJob(0)], with: Fake { _, _ in throw JobPostponed(after: .seconds(Int64.max)) },
      cancellation: flag
    ) { event in if case .postponed = event.kind { flag.cancel() } }
    #expect(reports.map(\.outcome) == [.notStarted])
  }

  @Test("Jobs that run at once stay under the limits together; one that is over them runs alone")
  func claims() throws {
    let (files, running) = (Counter(), Counter())
    let claims = [3, 1, 9, 2, 4, 5, 2, 1, 9, 3]
    let reports = try pool(4, limits: ResourceRequest(openFiles: 5, memory: .max)).run(
      claims.enumerated().map {
        PoolJob($0, resources: ResourceRequest(openFiles: $1, memory: $1))
      },
      with: Fake { job, _ in
        files.add(claims[job])
        running.add(1)
        #expect(files.value <= 5 || running.value == 1)
        usleep(2000)
        #expect(files.value <= 5 || running.value == 1)
        files.add(-claims[job])
        running.add(-1)
        return job
      })
    #expect(reports.map(\.outcome) == claims.indices.map { .finished($0) })
  }

  @Test("Random needs, failures, pauses and limits end alike with any number of workers")
  func property() throws {
    var dice = Dice(0xAB1E)
    for _ in 0..<40 {
      let count = Int.random(in: 1...25, using: &dice)
      let jobs = (0..<count).map { job in
        PoolJob(
          job, estimate: .seconds(Int.random(in: 0...9, using: &dice)),
          needs: job == 0
            ? []
            : (0..<Int.random(in: 0...2, using: &dice)).map { _ in
              Int.random(in: 0..<job, using: &dice)
            },
          retries: Int.random(in: 0...2, using: &dice),
          resources: ResourceRequest(openFiles: Int.random(in: 0...3, using: &dice)))
      }
      // How many attempts fail, by job; 9: all, for good.
      let fates = jobs.map { _ in [0, 0, 0, 1, 2, 9].randomElement(using: &dice) ?? 0 }
      var seen: [[JobReport<Int>.Outcome]] = []
      for width in [1, 2, 5] {
        let tally = Tally()
        let reports = try pool(width, limits: ResourceRequest(openFiles: 4, memory: .max)).run(
          jobs,
          with: Fake { job, _ in
            let attempt = tally.add(job)
            if fates[job] == 9 { throw Failure(.mendJob, "wrong") }
            if job % 3 == 0, attempt == 1 { throw JobPostponed(after: .milliseconds(1)) }
            if attempt - (job % 3 == 0 ? 1 : 0) <= fates[job] { throw busy }
            return job
          })
        seen.append(reports.map(\.outcome))
      }
      for (index, outcomes) in seen.enumerated() {
        for (job, outcome) in outcomes.enumerated() {
          switch (seen[0][job], outcome) {
          // Which of several needs blocked it first is the clock's.
          case (.blocked, .blocked(let need)): #expect(jobs[job].needs.contains(need))
          default: #expect(outcome == seen[0][job], "width \([1, 2, 5][index])")
          }
        }
      }
    }
  }
}
