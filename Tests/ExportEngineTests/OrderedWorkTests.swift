import Diagnosis
import Synchronization
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Work in order")
struct OrderedWorkTests {
  private func squares(
    _ count: Int, threads: Int, run: Int, room: Int = 7, mostHelpers: Int = .max,
    failingAt wrong: Set<Int> = [], collected: inout [Int]
  ) throws -> Int {
    let budget = CPUBudget(total: threads)
    let lease = try #require(budget.tryLease())
    defer { lease.release() }
    let workers = Atomic<Int>(0)
    let work = OrderedWork<Int, Int>(
      name: "test", budget: budget, run: run, mostHelpers: mostHelpers
    ) {
      workers.add(1, ordering: .relaxed)
      return { item throws(Failure) in
        if wrong.contains(item) { throw Failure(.mendInput, "\(item)") }
        return item * item
      }
    }
    var most = 0
    var (produced, taken) = (0, 0)
    try work.finish(count, room: { _ in room }, keeping: 0) { item in
      produced += 1
      most = max(most, produced - taken)
      return item
    } collect: {
      taken += 1
      collected.append($0)
    }
    #expect(most <= room)
    // All cores are back.
    #expect((1..<threads).compactMap { _ in budget.tryLease() }.count == threads - 1)
    return workers.load(ordering: .relaxed)
  }

  @Test("outcomes come in order, whatever the threads and runs")
  func order() throws {
    for (threads, run) in [(1, 1), (2, 1), (2, 4), (3, 2), (8, 3)] {
      var collected: [Int] = []
      _ = try squares(200, threads: threads, run: run, collected: &collected)
      #expect(collected == (0..<200).map { $0 * $0 })
    }
  }

  @Test("no more threads work than may")
  func helpers() throws {
    var collected: [Int] = []
    let workers = try squares(200, threads: 8, run: 1, mostHelpers: 0, collected: &collected)
    #expect(workers == 1 && collected.count == 200)
  }

  @Test("nothing to do is done at once")
  func nothing() throws {
    var collected: [Int] = []
    #expect(try squares(0, threads: 2, run: 1, collected: &collected) == 1)
    #expect(collected.isEmpty)
  }

  @Test("the first failure in order is thrown, after what came before it")
  func failures() throws {
    for threads in [1, 2, 8] {
      var collected: [Int] = []
      let failure = #expect(throws: Failure.self) {
        try squares(100, threads: threads, run: 1, failingAt: [61, 60, 62], collected: &collected)
      }
      #expect(failure?.message == "60")
      #expect(collected.count == 60)
    }
  }
}
