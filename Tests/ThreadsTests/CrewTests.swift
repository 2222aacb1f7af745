import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Threads

@Suite("Crew")
struct CrewTests {
  /// A task of some steps, which counts them and notes its end.
  private final class Counting: CrewTask {
    let number: Int
    let steps: Int
    let log: Log
    private let done = Atomic<Int>(0)
    private let threads = Atomic<Int>(0)

    init(_ number: Int, steps: Int, _ log: Log) {
      (self.number, self.steps, self.log) = (number, steps, log)
    }

    var count: Int { done.load(ordering: .acquiring) }

    func advance() -> Bool {
      #expect(threads.add(1, ordering: .acquiringAndReleasing).newValue == 1)
      defer { threads.subtract(1, ordering: .acquiringAndReleasing) }
      let count = done.add(1, ordering: .acquiringAndReleasing).newValue
      #expect(count <= steps)
      if count == steps { log.add(number) }
      return count == steps
    }
  }

  /// The numbers of tasks in the order of their ends.
  private final class Log: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  private struct Stop: Error {}

  @discardableResult
  private func gather<Result>(
    cores: Int, _ body: (Crew) throws -> Result
  ) throws -> Result {
    let budget = CPUBudget(total: cores)
    let own = try #require(budget.tryLease())
    defer { own.release() }
    let result = try Crew.gather(from: budget, unless: CancellationFlag(), body)
    let idle = (0..<cores).compactMap { _ in budget.tryLease() }
    #expect(idle.count == cores - 1, "all cores are back but the caller's")
    return result
  }

  @Test("tasks are taken in order, each whole, whatever the threads and the room")
  func order() throws {
    for (cores, room) in [(1, 1), (2, 1), (2, 3), (3, 7), (8, 40)] {
      let log = Log()
      var (taken, made, most) = ([Int](), 0, 0)
      try gather(cores: cores) { crew in
        try crew.inOrder(200) { _ in
          room
        } make: { number in
          made += 1
          most = max(most, made - taken.count)
          return Counting(number, steps: 1 + number % 5, log)
        } collect: { task in
          #expect(task.count == task.steps)
          taken.append(task.number)
        }
      }
      #expect(taken == Array(0..<200) && log.all.sorted() == taken)
      #expect(most <= room)
    }
  }

  @Test("nothing to do is done at once, and there is room for one task at least")
  func edges() throws {
    try gather(cores: 2) { crew in
      try crew.inOrder(
        0, room: { _ in 1 }, make: { _ in throw Stop() }, collect: { (_: Counting) in })
      var taken = 0
      try crew.inOrder(3) { _ in
        0
      } make: {
        Counting($0, steps: 1, Log())
      } collect: { _ in
        taken += 1
      }
      #expect(taken == 3)
    }
  }

  @Test("an error of the collector comes after the tasks before it, and ends the work")
  func collectorError() throws {
    var collected: [Int] = []
    try gather(cores: 3) { crew in
      #expect(throws: Stop.self) {
        try crew.inOrder(100) { _ in
          9
        } make: {
          Counting($0, steps: 1, Log())
        } collect: { task in
          if task.number == 60 { throw Stop() }
          collected.append(task.number)
        }
      }
    }
    #expect(collected == Array(0..<60))
  }

  @Test("an error ends the work: no thread goes on with a task, and nothing is left to take")
  func failures() throws {
    for cores in [1, 2, 8] {
      var tasks: [Counting] = []
      var taken = 0
      try gather(cores: cores) { crew in
        #expect(throws: Stop.self) {
          try crew.inOrder(100) { _ in
            10
          } make: { number in
            tasks.append(Counting(number, steps: 1_000_000, Log()))
            if number > 5 { throw Stop() }
            return tasks[number]
          } collect: { _ in
            taken += 1
          }
        }
        let counts = tasks.map(\.count)
        let after = Counting(0, steps: 1, Log())
        crew.work(for: crew.add(after))
        while after.count == 0 { usleep(100) }
        #expect(tasks.map(\.count) == counts && taken == 0)
      }
    }
  }

  /// A task that goes on only when it is told to.
  private final class Gate: CrewTask {
    private let (isBegun, mayEnd) = (Channel<Bool>(capacity: 1), Channel<Bool>(capacity: 1))
    func advance() -> Bool {
      isBegun.send(true)
      return mayEnd.receive() == true
    }
    func waitForBegin() { _ = isBegun.receive() }
    func open() { mayEnd.send(true) }
  }

  @Test("usual tasks come before those ahead, and each in the order of their adding")
  func priority() throws {
    try gather(cores: 2) { crew in
      let (gate, log) = (Gate(), Log())
      let held = crew.add(gate)
      gate.waitForBegin()
      for (number, priority) in [(0, Crew.Priority.ahead), (1, .usual), (2, .ahead), (3, .usual)] {
        _ = crew.add(Counting(number, steps: 2, log), priority: priority)
      }
      #expect(crew.isBusy)
      // A thread that another one keeps waiting takes what comes first.
      for _ in 0..<8 { crew.work(for: held) }
      #expect(log.all == [1, 3, 0, 2] && !crew.isBusy)
      gate.open()
      crew.work(for: held)
    }
  }

  @Test("a thread that waits for another thread's task works at others until that one is done")
  func waiting() throws {
    try gather(cores: 2) { crew in
      let (gate, log) = (Gate(), Log())
      let ticket = crew.add(gate)
      gate.waitForBegin()
      #expect(crew.helpers == 1)
      let other = crew.add(Counting(7, steps: 1, log))
      crew.work(for: ticket)
      #expect(log.all == [7] && crew.isDone(other) && !crew.isDone(ticket))
      let opener = try Thread.spawn(name: "opener") {
        usleep(10_000)
        gate.open()
      }
      crew.work(for: ticket)
      #expect(crew.isDone(ticket))
      opener.join()
    }
  }

  @Test(
    "where a job waits for a helper's core, the helper leaves its task half-way, and another thread goes on"
  )
  func leaving() throws {
    final class Long: CrewTask {
      let steps = Atomic<Int>(0)
      let mayEnd = Atomic<Bool>(false)
      func advance() -> Bool {
        steps.add(1, ordering: .relaxed)
        usleep(100)
        return mayEnd.load(ordering: .acquiring)
      }
    }
    let budget = CPUBudget(total: 2)
    let own = try #require(budget.tryLease())
    defer { own.release() }
    Crew.gather(from: budget, unless: CancellationFlag()) { crew in
      let task = Long()
      let ticket = crew.add(task)
      while task.steps.load(ordering: .relaxed) == 0 { usleep(100) }
      // The helper has the only other core, and gives it to this job.
      let lease = budget.lease()
      let steps = task.steps.load(ordering: .relaxed)
      while crew.helpers > 0 { usleep(100) }
      #expect(steps > 0 && !crew.isDone(ticket))
      task.mayEnd.store(true, ordering: .releasing)
      crew.work(for: ticket)
      #expect(crew.isDone(ticket))
      lease?.release()
    }
  }
}
