import Synchronization
import TestSupport
import Testing

@testable import Threads

@Suite struct CPUBudgetTests {
  @Test("A budget of nothing still has one core")
  func least() {
    #expect(CPUBudget(total: 0).total == 1)
    #expect(CPUBudget(total: -3).total == 1)
  }

  @Test("Trying takes cores until none is free, and a released core can be taken again")
  func trying() throws {
    let budget = CPUBudget(total: 2)
    let first = try #require(budget.tryLease())
    let second = try #require(budget.tryLease())
    #expect(budget.tryLease() == nil)
    first.release()
    let third = try #require(budget.tryLease())
    #expect(budget.tryLease() == nil)
    withExtendedLifetime((second, third)) {}
  }

  @Test("A lease that is released twice gives back one core")
  func releaseTwice() throws {
    let budget = CPUBudget(total: 2)
    let lease = try #require(budget.tryLease())
    let other = try #require(budget.tryLease())
    lease.release()
    lease.release()
    let again = try #require(budget.tryLease())
    #expect(budget.tryLease() == nil)
    withExtendedLifetime((other, again)) {}
  }

  @Test("A lease that nobody holds any more gives its core back")
  func dropped() throws {
    let budget = CPUBudget(total: 1)
    var lease = budget.tryLease()
    #expect(lease != nil)
    #expect(budget.tryLease() == nil)
    lease = nil
    #expect(budget.tryLease() != nil)
  }

  @Test("Work runs on an idle core, which goes back with its end, and not where there is none")
  func idleCores() throws {
    let budget = CPUBudget(total: 2)
    let own = try #require(budget.tryLease())
    defer { own.release() }
    let (started, mayEnd) = (Channel<Bool>(capacity: 1), Channel<Bool>(capacity: 1))
    let isRun = budget.runOnIdleCore(name: "helper") { lease in
      started.send(lease.isWanted)
      _ = mayEnd.receive()
    }
    #expect(isRun)
    #expect(started.receive() == false)
    #expect(!budget.runOnIdleCore(name: "another") { _ in })
    mayEnd.send(true)
    let again = try #require(budget.lease())
    again.release()
  }

  @Test("A lent core knows when somebody waits for it")
  func wanted() throws {
    let budget = CPUBudget(total: 1)
    let lent = try #require(budget.tryLease())
    #expect(!lent.isWanted)
    let waiter = try Thread.spawn(name: "waiter") { budget.lease()?.release() }
    try wait(until: "somebody waits for the core") { lent.isWanted }
    lent.release()
    waiter.join()
  }

  @Test("Those who wait are served in the order in which they came, and before those who try")
  func order() throws {
    let budget = CPUBudget(total: 1)
    let held = try #require(budget.tryLease())
    let served = Mutex<[Int]>([])
    var threads: [Thread] = []
    for number in 0..<5 {
      threads.append(
        try Thread.spawn(name: "waiter") {
          guard let lease = budget.lease() else { return }
          defer { lease.release() }
          served.withLock { $0.append(number) }
        })
      try wait(until: "it waits") { budget.waiting == number + 1 }
    }
    held.release()
    for thread in threads { thread.join() }
    #expect(served.withLock { $0 } == [0, 1, 2, 3, 4])
    #expect(budget.tryLease() != nil)
  }

  @Test("Trying is refused while somebody waits, even in the moment when a core is free")
  func waitersComeFirst() throws {
    let budget = CPUBudget(total: 1)
    for _ in 0..<20 {
      let held = try #require(budget.tryLease())
      let hasTried = Channel<Void>(capacity: 1)
      let waiter = try Thread.spawn(name: "waiter") {
        let lease = budget.lease()
        _ = hasTried.receive()
        lease?.release()
      }
      try wait(until: "it waits") { budget.waiting == 1 }
      held.release()
      #expect(budget.tryLease() == nil)
      hasTried.send(())
      waiter.join()
    }
  }

  @Test("A cancelled wait ends without a core, and those behind it are still served")
  func cancelledWait() throws {
    let budget = CPUBudget(total: 1)
    let held = try #require(budget.tryLease())
    let flag = CancellationFlag()
    let outcomes = Mutex<[String]>([])
    let patient = CancellationFlag()
    let leaver = try Thread.spawn(name: "leaver") {
      let lease = budget.lease(unless: flag)
      outcomes.withLock { $0.append(lease == nil ? "left" : "served") }
    }
    try wait(until: "it waits") { budget.waiting == 1 }
    let stayer = try Thread.spawn(name: "stayer") {
      let lease = budget.lease(unless: patient)
      outcomes.withLock { $0.append(lease == nil ? "stayer left" : "stayer served") }
    }
    try wait(until: "both wait") { budget.waiting == 2 }
    flag.cancel()
    leaver.join()
    held.release()
    stayer.join()
    #expect(outcomes.withLock { $0 } == ["left", "stayer served"])
  }

  @Test("A flag that is set beforehand gives no core, even where one is free")
  func cancelledBefore() {
    let budget = CPUBudget(total: 1)
    let flag = CancellationFlag()
    flag.cancel()
    #expect(budget.lease(unless: flag) == nil)
    #expect(budget.tryLease() != nil)
  }

  @Test("However many threads lease, never more cores are out than there are")
  func neverTooMany() throws {
    let budget = CPUBudget(total: 3)
    let out = Counter()
    var threads: [Thread] = []
    for number in 0..<12 {
      threads.append(
        try Thread.spawn(name: "lessee", stackSize: 256 << 10) {
          for _ in 0..<50 {
            guard let lease = number % 3 == 0 ? budget.tryLease() : budget.lease() else { continue }
            out.add(1)
            out.add(-1)
            lease.release()
          }
        })
    }
    for thread in threads { thread.join() }
    #expect(out.most <= 3)
    let all = (0..<3).map { _ in budget.tryLease() }
    #expect(all.allSatisfy { $0 != nil })
  }

  @Test(
    "A container's quota counts as cores, rounded up",
    arguments: [
      ("max 100000\n", nil), ("200000 100000\n", 2), ("250000 100000\n", 3), ("5000 100000\n", 1),
      ("", nil), ("100000", nil), ("0 100000", nil), ("100000 0", nil), ("-1 100000", nil),
    ] as [(String, Int?)])
  func quota(text: String, cores: Int?) {
    #expect(CPUBudget.quota(inCPUMax: text) == cores)
  }

  @Test("This process has at least one core")
  func available() {
    #expect(CPUBudget.availableCores >= 1)
  }
}
