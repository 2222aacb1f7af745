import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import TestSupport
import Testing
import Threads

@testable import WorkerPool

/// A runner whose work is a closure: every test says itself what a job does.
private struct Fake<Result: Sendable>: JobRunner {
  let work: @Sendable (Int, JobContext) throws -> Result
  func run(_ job: Int, context: JobContext) throws -> Result { try work(job, context) }
}

/// A runner whose results are long, and are counted in the end.
private struct Lists: JobRunner {
  func run(_ job: Int, context: JobContext) -> [Int] { Array(0..<job) }
  func kept(of result: [Int]) -> [Int] { [result.count] }
}

private struct Surprise: Error {}

@Suite struct PoolTests {
  @Test("No jobs: no threads, no events, no reports")
  func none() throws {
    let reports = try Pool(budget: CPUBudget(total: 2)).run([Int](), with: Fake { job, _ in job }) {
      _ in
      Issue.record("an event without a job")
    }
    #expect(reports.isEmpty)
  }

  @Test("Results stand in the order of the jobs, whichever ends first")
  func order() throws {
    let runner = Fake { job, _ in
      usleep(UInt32((10 - job) * 1000))
      return job * job
    }
    let reports = try Pool(budget: CPUBudget(total: 4)).run(Array(0..<10), with: runner)
    #expect(reports.map(\.outcome) == (0..<10).map { .finished($0 * $0) })
    #expect(reports.allSatisfy { $0.elapsed > .zero })
  }

  @Test("Observers get a whole result, reports what the runner keeps of it")
  func kept() throws {
    var seen: [[Int]] = []
    let reports = try Pool(budget: CPUBudget(total: 1)).run([2, 3], with: Lists()) { event in
      if case .finished(let result) = event.kind { seen.append(result) }
    }
    #expect(seen == [[0, 1], [0, 1, 2]])
    #expect(reports.map(\.outcome) == [.finished([2]), .finished([3])])
  }

  @Test(
    "As many jobs at once as the least of workers, cores and jobs, and never more",
    arguments: [(1, nil), (3, nil), (4, 2), (2, 5), (20, nil)] as [(Int, Int?)])
  func parallelism(cores: Int, workers: Int?) throws {
    let width = min(cores, workers ?? cores, 12)
    let running = Counter()
    let runner = Fake { _, context in
      running.add(1)
      // The first jobs wait for one another, so that a pool of less width fails by the clock.
      for _ in 0..<60_000 where running.most < width { usleep(1000) }
      running.add(-1)
    }
    let budget = CPUBudget(total: cores)
    _ = try Pool(budget: budget, workers: workers).run(Array(0..<12), with: runner)
    #expect(running.most == width)
  }

  @Test("A running job holds one core, which others cannot take, and gives it back")
  func coresAreHeld() throws {
    let budget = CPUBudget(total: 2)
    let runner = Fake { _, context in
      let spare = context.budget.tryLease()
      defer { spare?.release() }
      return [spare != nil, context.budget.tryLease() != nil]
    }
    let reports = try Pool(budget: budget, workers: 1).run([0], with: runner)
    #expect(reports.map(\.outcome) == [.finished([true, false])])
    let all = [budget.tryLease(), budget.tryLease()]
    #expect(all.allSatisfy { $0 != nil })
  }

  @Test("When the run returns, the threads of its jobs are gone, however the jobs ended")
  func noThreadsLeft() throws {
    let runner = Fake { job, _ -> String in
      var target = [CChar](repeating: 0, count: 64)
      // "PID/task/TID" (proc(5)).
      let length = readlink("/proc/thread-self", &target, target.count - 1)
      let link = String(
        decoding: target.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
      if job == 2 { throw Failure(.mendInput, link) }
      return link
    }
    let reports = try Pool(budget: CPUBudget(total: 3)).run(Array(0..<6), with: runner)
    for report in reports {
      let link =
        switch report.outcome {
        case .finished(let link): link
        case .failed(let failure): failure.message
        default: ""
        }
      #expect(link.contains("/task/"))
      // A thread that was joined may take a moment to leave /proc.
      for _ in 0..<60_000 where access("/proc/\(link)", F_OK) == 0 { usleep(1000) }
      #expect(access("/proc/\(link)", F_OK) != 0)
    }
  }

  @Test("A failure stays with its job, whatever its kind, and the others run")
  func isolation() throws {
    let runner = Fake { job, _ in
      if job == 1 { throw Failure(.mendInput, "no sound") }
      if job == 2 { throw Surprise() }
      if job == 3 { throw CancellationError() }
      return job
    }
    let reports = try Pool(budget: CPUBudget(total: 2)).run(Array(0..<5), with: runner)
    #expect(
      reports.map(\.outcome) == [
        .finished(0),
        .failed(Failure(.mendInput, "no sound")),
        .failed(Failure(.reportBug, "the job stopped with an unexpected error: Surprise()")),
        .failed(
          Failure(.reportBug, "the job stopped with an unexpected error: CancellationError()")),
        .finished(4),
      ])
  }

  @Test("Where it is not to keep going, a failure lets running jobs end and starts no other")
  func stopAtFailure() throws {
    let runner = Fake { job, _ in
      if job == 2 { throw Failure(.mendJob, "wrong") }
      return job
    }
    let pool = Pool(budget: CPUBudget(total: 1), keepGoing: false)
    let reports = try pool.run(Array(0..<5), with: runner)
    #expect(
      reports.map(\.outcome) == [
        .finished(0), .finished(1), .failed(Failure(.mendJob, "wrong")), .notStarted, .notStarted,
      ])
  }

  @Test(
    "Events of one job: started first, then what it tells in order, then its end, on one thread")
  func events() throws {
    let caller = pthread_self()
    let runner = Fake { job, context in
      context.warn(Warning("clipped"))
      context.report(
        JobProgress(completed: Time(value: 1, timescale: 2), total: Time(value: 1, timescale: 1)))
      if job == 1 { throw Failure(.tryAgain, "busy") }
      return "made"
    }
    var events: [Int: [JobEvent<String>.Kind]] = [:]
    var instants: [Int: [ContinuousClock.Instant]] = [:]
    _ = try Pool(budget: CPUBudget(total: 2)).run([0, 1], with: runner) { event in
      #expect(pthread_equal(pthread_self(), caller) != 0)
      events[event.job, default: []].append(event.kind)
      instants[event.job, default: []].append(event.instant)
    }
    let told: [JobEvent<String>.Kind] = [
      .started, .warning(Warning("clipped")),
      .progress(
        JobProgress(completed: Time(value: 1, timescale: 2), total: Time(value: 1, timescale: 1))),
    ]
    #expect(events[0] == told + [.finished("made")])
    #expect(events[1] == told + [.failed(Failure(.tryAgain, "busy"))])
    #expect(instants.values.allSatisfy { $0 == $0.sorted() })
  }

  @Test(
    "A slow observer loses progress reports, but no other event, and the last report is no older")
  func slowObserver() throws {
    let runner = Fake { job, context in
      for step in 1...2000 {
        context.report(
          JobProgress(
            completed: Time(value: Int64(step), timescale: 1),
            total: Time(value: 2000, timescale: 1)))
      }
      return job
    }
    var ends: [Int] = []
    var steps: [Int: [Int64]] = [:]
    _ = try Pool(budget: CPUBudget(total: 2)).run(Array(0..<3), with: runner) { event in
      usleep(100)
      switch event.kind {
      case .progress(let progress): steps[event.job, default: []].append(progress.completed.value)
      case .finished(let job): ends.append(job)
      default: break
      }
    }
    #expect(ends.sorted() == [0, 1, 2])
    #expect(steps.values.allSatisfy { $0 == $0.sorted() })
  }

  @Test("A cancelled run starts no further job; running jobs say that they stopped, or finish")
  func cancellation() throws {
    let flag = CancellationFlag()
    let runner = Fake { job, context in
      if job == 0 { return job }
      if job == 1 {
        flag.cancel()
        return job
      }
      while !context.cancellation.isCancelled { usleep(1000) }
      throw CancellationError()
    }
    // One worker: job 1 cancels, so jobs 2 and up never start.
    var reports = try Pool(budget: CPUBudget(total: 1)).run(
      Array(0..<4), with: runner, cancellation: flag)
    #expect(reports.map(\.outcome) == [.finished(0), .finished(1), .notStarted, .notStarted])

    // Already cancelled: nothing starts at all.
    reports = try Pool(budget: CPUBudget(total: 1)).run(
      Array(0..<2), with: runner, cancellation: flag
    ) { _ in Issue.record("an event after cancellation") }
    #expect(reports.map(\.outcome) == [.notStarted, .notStarted])
  }

  @Test(
    "A job that is cancelled while it runs is reported so, and a failure at that time is not lost")
  func cancelledWhileRunning() throws {
    let flag = CancellationFlag()
    let begun = Counter()
    let runner = Fake { job, context -> Int in
      begun.add(1)
      for _ in 0..<20_000 where begun.value < 2 { usleep(1000) }
      flag.cancel()
      while !context.cancellation.isCancelled { usleep(1000) }
      if job == 1 { throw Failure(.mendMachine, "disk full") }
      throw CancellationError()
    }
    var ends: [Int: JobEvent<Int>.Kind] = [:]
    let reports = try Pool(budget: CPUBudget(total: 2)).run(
      [0, 1, 2], with: runner, cancellation: flag
    ) { ends[$0.job] = $0.kind }
    let failure = Failure(.mendMachine, "disk full")
    #expect(reports.map(\.outcome) == [.cancelled, .failed(failure), .notStarted])
    #expect(ends == [0: .cancelled, 1: .failed(failure)])
  }

  @Test("Workers that wait for a core of a busy budget are woken by the cancellation")
  func cancelledWhileWaiting() throws {
    let budget = CPUBudget(total: 1)
    let held = budget.tryLease()
    let flag = CancellationFlag()
    let canceller = try Thread.spawn(name: "canceller") {
      usleep(20_000)
      flag.cancel()
    }
    let reports = try Pool(budget: budget).run(
      [1, 2], with: Fake { job, _ in job }, cancellation: flag)
    #expect(reports.map(\.outcome) == [.notStarted, .notStarted])
    canceller.join()
    held?.release()
  }

  @Test("Any pattern of success, failure and surprise comes back as it was, with its events")
  func property() throws {
    var random = Dice(0x5EED)
    for _ in 0..<60 {
      let fates = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        Int.random(in: 0..<4, using: &random)
      }
      let cores = Int.random(in: 1...6, using: &random)
      let workers = Bool.random(using: &random) ? Int.random(in: 1...8, using: &random) : nil
      let budget = CPUBudget(total: cores)
      let running = Counter()
      let runner = Fake { job, context -> Int in
        running.add(1)
        defer { running.add(-1) }
        if fates[job] == 3 { usleep(200) }
        if fates[job] == 1 { throw Failure(.mendInput, "job \(job)") }
        if fates[job] == 2 { throw Surprise() }
        return job
      }
      var started: Set<Int> = []
      var ended: Set<Int> = []
      let reports = try Pool(budget: budget, workers: workers).run(
        Array(fates.indices), with: runner
      ) { event in
        switch event.kind {
        case .started: #expect(started.insert(event.job).inserted)
        case .finished, .failed: #expect(ended.insert(event.job).inserted)
        default: Issue.record("unexpected \(event.kind)")
        }
        #expect(started.contains(event.job))
      }
      #expect(started == Set(fates.indices) && ended == started)
      #expect(running.most <= min(cores, workers ?? cores))
      let expected = fates.indices.map { job -> JobReport<Int>.Outcome in
        switch fates[job] {
        case 1: .failed(Failure(.mendInput, "job \(job)"))
        case 2:
          .failed(Failure(.reportBug, "the job stopped with an unexpected error: Surprise()"))
        default: .finished(job)
        }
      }
      #expect(reports.map(\.outcome) == expected)
      let free = (0..<cores).map { _ in budget.tryLease() }
      #expect(free.allSatisfy { $0 != nil })
    }
  }
}
