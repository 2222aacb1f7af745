import Glibc
import TestSupport
import Testing

@testable import Threads

@Suite struct ThreadTests {
  @Test("Joining waits for the end of the work, and a second join returns at once")
  func join() throws {
    let ends = Counter()
    let thread = try Thread.spawn(name: "slow") {
      Thread.pause(milliseconds: 30)
      ends.add(1)
    }
    thread.join()
    #expect(ends.value == 1)
    thread.join()
  }

  @Test("Joining with a deadline says whether the thread has ended, and leaves one that has not")
  func joinUntil() throws {
    let (start, end) = (Channel<Int>(capacity: 1), Channel<Int>(capacity: 1))
    let thread = try Thread.spawn(name: "blocked") {
      if let value = start.receive() { end.send(value) }
    }
    #expect(!thread.join(until: .now))
    #expect(!thread.join(until: .now + .milliseconds(5)))
    start.send(42)
    #expect(end.receive() == 42)
    #expect(thread.join(until: .now + .seconds(120)))
    #expect(thread.join(until: .now))
  }

  @Test("Two threads may join a third, and both wait for its end")
  func joinTwice() throws {
    let ends = Counter()
    let early = Counter()
    let thread = try Thread.spawn(name: "slow") {
      Thread.pause(milliseconds: 30)
      ends.add(1)
    }
    let joiners = try (0..<2).map { _ in
      try Thread.spawn(name: "joiner") {
        thread.join()
        if ends.value == 0 { early.add(1) }
      }
    }
    for joiner in joiners { joiner.join() }
    #expect(early.value == 0)
  }

  @Test("A thread that nobody holds or joins runs to its end")
  func detached() throws {
    let channel = Channel<Int>(capacity: 1)
    _ = try Thread.spawn(name: "alone") {
      Thread.pause(milliseconds: 5)
      channel.send(42)
    }
    #expect(channel.receive() == 42)
  }

  @Test("The work runs on another thread, under its name")
  func name() throws {
    let names = Channel<String>(capacity: 1)
    let caller = pthread_self()
    let thread = try Thread.spawn(name: "avjob-encoder-number-1") {
      #expect(pthread_equal(pthread_self(), caller) == 0)
      guard let file = fopen("/proc/thread-self/comm", "r") else { return }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 64)
      _ = fgets(&line, 64, file)
      let bytes = line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:))
      names.send(String(decoding: bytes, as: UTF8.self))
    }
    thread.join()
    names.close()
    #expect(names.receive() == "avjob-encoder-n")
  }

  @Test("Signals to the process are blocked, faults are not, and the caller's mask stays")
  func signals() throws {
    @Sendable func isBlocked(_ signal: Int32) -> Bool {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      return sigismember(&mask, signal) == 1
    }
    let sent = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH]
    let blocked = Counter()
    let before = sent.map(isBlocked)
    try Thread.spawn(name: "masked") {
      let faults = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP]
      if sent.allSatisfy(isBlocked), !faults.contains(where: isBlocked) { blocked.add(1) }
    }.join()
    #expect(blocked.value == 1)
    #expect(sent.map(isBlocked) == before)
  }

  @Test("The stack is as large as asked for: deep recursion ends well")
  func stackSize() throws {
    @Sendable func depth(_ remaining: Int) -> Int {
      withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { buffer in
        buffer[0] = UInt8(truncatingIfNeeded: remaining)
        return remaining == 0 ? 0 : 1 + depth(remaining - 1) + Int(buffer[0]) * 0
      }
    }
    let result = Channel<Int>(capacity: 1)
    let thread = try Thread.spawn(name: "deep", stackSize: 64 << 20) {
      // More than 10 MB; the default stack is 8. ThreadSanitizer follows no more than 64 Ki calls.
      result.send(depth(10_000))
    }
    thread.join()
    #expect(result.receive() == 10_000)
  }

  @Test("A stack of any size is rounded up to one that works", arguments: [0, 1, 20_000, 100_001])
  func oddStackSize(bytes: Int) throws {
    let runs = Counter()
    try Thread.spawn(name: "small", stackSize: bytes) {
      runs.add(1)
    }.join()
    #expect(runs.value == 1)
  }

  @Test("A stack that the machine cannot give is an error, and the work is let go")
  func impossible() {
    final class Witness: Sendable {}
    weak var weakly: Witness?
    do {
      let witness = Witness()
      weakly = witness
      #expect(throws: Thread.SpawnError(code: EAGAIN)) {
        try Thread.spawn(name: "huge", stackSize: 1 << 46) { _ = witness }
      }
    }
    #expect(weakly == nil)
    #expect(
      Thread.SpawnError(code: EAGAIN).description
        == "no thread could be started: Resource temporarily unavailable")
  }
}

@Suite struct UrgencyTests {
  @Test(
    "A live thread comes before others as far as the system lets it, an idle one after all of them")
  func nice() throws {
    let usual = Counter()
    let live = Counter()
    let idle = Counter()
    let allowed = Counter()
    func run(_ urgency: Thread.Urgency, _ body: @escaping @Sendable () -> Void) throws {
      try Thread.spawn(name: "nice", urgency: urgency, body).join()
    }
    try run(.usual) { usual.add(Int(getpriority(.init(PRIO_PROCESS.rawValue), 0))) }
    try run(.live) { live.add(Int(getpriority(.init(PRIO_PROCESS.rawValue), 0))) }
    try run(.idle) { idle.add(Int(getpriority(.init(PRIO_PROCESS.rawValue), 0))) }
    try run(.usual) {
      setpriority(.init(PRIO_PROCESS.rawValue), 0, -11)
      allowed.add(Int(getpriority(.init(PRIO_PROCESS.rawValue), 0)))
    }
    #expect(live.value == allowed.value)
    #expect(idle.value == 19)
    #expect(usual.value == Int(getpriority(.init(PRIO_PROCESS.rawValue), 0)))
  }
}

@Suite struct CancellationFlagTests {
  @Test("A flag is seen as set from the first cancel on")
  func sets() {
    let flag = CancellationFlag()
    #expect(!flag.isCancelled)
    flag.cancel()
    flag.cancel()
    #expect(flag.isCancelled)
  }

  @Test("A notification comes for a cancel before and during the work, and never for one after")
  func notifies() {
    let count = Counter()
    let bump: @Sendable () -> Void = { count.add(1) }
    let during = CancellationFlag()
    during.whileNotifying(bump) { during.cancel() }
    #expect(count.value == 1)
    during.whileNotifying(bump) {}
    #expect(count.value == 2)
    let after = CancellationFlag()
    after.whileNotifying(bump) {}
    after.cancel()
    #expect(count.value == 2)
  }
}
