import Diagnosis
import Glibc
import MediaComposition
import TestSupport
import Testing
import Threads

@testable import WorkerPool

/// A runner whose work is a closure.
private struct Fake: JobRunner {
  let work: @Sendable (Int) -> Int
  func run(_ job: Int, context: JobContext) throws -> Int { work(job) }
}

@Suite("A machine without threads") struct ThreadShortageTests {
  @Test("Where no thread can take a stuck one's place, the jobs that are left fail; nothing hangs")
  func noOtherThread() throws {
    let release = CancellationFlag()
    defer { release.cancel() }
    var pool = Pool(budget: CPUBudget(total: 1), grace: .milliseconds(20))
    let started = Counter()
    pool.spawn = { (name, body) throws(Thread.SpawnError) in
      started.add(1)
      // The timekeeper and one worker; there is no stack of a pebibyte.
      return try Thread.spawn(
        name: name, stackSize: started.value <= 2 ? Thread.defaultStackSize : 1 << 50, body)
    }
    var events: [JobEvent<Int>] = []
    let reports = try pool.run(
      [
        PoolJob(0, estimate: .seconds(1), timeLimit: .milliseconds(10)), PoolJob(1),
        PoolJob(2, needs: [0]), PoolJob(3, needs: [1]),
      ],
      with: Fake { job in
        if job == 0 { while !release.isCancelled { usleep(500) } }
        return job
      }
    ) { events.append($0) }
    let failure = Failure(
      .tryAgain, "no thread could be started: Resource temporarily unavailable",
      code: .outOfThreads)
    #expect(
      reports[1...].map(\.outcome) == [.failed(failure), .blocked(by: 0), .failed(failure)])
    #expect(events.filter { $0.job == 1 }.map(\.kind) == [.started, .failed(failure)])
    #expect(events.filter { $0.job == 2 }.map(\.kind) == [.blocked(by: 0)])
    #expect(events.filter { $0.job == 3 }.map(\.kind) == [.started, .failed(failure)])
  }

  @Test("A run for which there is no thread at all fails at once")
  func noThread() {
    var pool = Pool(budget: CPUBudget(total: 2))
    for allowed in 0...1 {
      let started = Counter()
      pool.spawn = { (name, body) throws(Thread.SpawnError) in
        started.add(1)
        return try Thread.spawn(
          name: name, stackSize: started.value <= allowed ? Thread.defaultStackSize : 1 << 50, body)
      }
      let failure = #expect(throws: Failure.self) {
        _ = try pool.run([PoolJob(0)], with: Fake { job in job })
      }
      #expect(failure?.remedy == .tryAgain)
    }
  }
}
