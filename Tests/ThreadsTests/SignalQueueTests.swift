import Glibc
import TestSupport
import Testing

@testable import Threads

@Suite struct SignalQueueTests {
  @Test("signals wait until they are asked for, each once, and are as ever afterwards")
  func queue() throws {
    // On a thread of its own, whose mask nobody else has.
    let found = Counter()
    let thread = try Thread.spawn(name: "signals") {
      guard let queue = try? SignalQueue([SIGWINCH, SIGUSR2]) else { return }
      guard queue.next() == nil else { return }
      pthread_kill(pthread_self(), SIGWINCH)
      pthread_kill(pthread_self(), SIGWINCH)
      pthread_kill(pthread_self(), SIGUSR2)
      var polled = pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, 1000) == 1 else { return }
      let signals = [queue.next(), queue.next(), queue.next()]
      if Set(signals) == [SIGWINCH, SIGUSR2, nil] { found.add(1) }
    }
    thread.join()
    #expect(found.value == 1)
  }
}
