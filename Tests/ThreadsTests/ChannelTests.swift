import TestSupport
import Testing

@testable import Threads

@Suite struct ChannelTests {
  @Test("What one sender sends arrives once and in order, however small the channel")
  func order() throws {
    for capacity in [0, 1, 2, 7, 1000] {
      let channel = Channel<Int>(capacity: capacity)
      let sender = try Thread.spawn(name: "sender") {
        for number in 0..<500 { channel.send(number) }
        channel.close()
      }
      var received: [Int] = []
      while let number = channel.receive() { received.append(number) }
      sender.join()
      #expect(received == Array(0..<500))
    }
  }

  @Test("Many senders: nothing is lost, nothing twice, each one's own order is kept")
  func manySenders() throws {
    let channel = Channel<(sender: Int, number: Int)>(capacity: 3)
    let open = Counter(4)
    let senders = try (0..<4).map { sender in
      try Thread.spawn(name: "sender") {
        for number in 0..<100 { channel.send((sender, number)) }
        open.add(-1)
        if open.value == 0 { channel.close() }
      }
    }
    var received = Array(repeating: [Int](), count: 4)
    while let element = channel.receive() { received[element.sender].append(element.number) }
    for sender in senders { sender.join() }
    #expect(received == Array(repeating: Array(0..<100), count: 4))
  }

  @Test("a receiver without an element calls its body, until the next element or the end")
  func idle() throws {
    let channel = Channel<Int>(capacity: 1)
    var calls = 0
    let first = channel.receive(every: .milliseconds(1)) {
      calls += 1
      if calls == 3 { channel.send(7) }
    }
    #expect(first == 7 && calls == 3)
    let end = channel.receive(every: .milliseconds(1)) { channel.close() }
    #expect(end == nil)
  }

  @Test("Trying to send into a full channel drops the element; a closed one takes nothing")
  func full() {
    let channel = Channel<Int>(capacity: 2)
    #expect(channel.trySend(1))
    #expect(channel.send(2))
    #expect(!channel.trySend(3))
    channel.close()
    #expect(!channel.send(4))
    #expect(!channel.trySend(5))
    #expect(channel.receive() == 1)
    #expect(channel.receive() == 2)
    #expect(channel.receive() == nil)
    #expect(channel.receive() == nil)
  }

  @Test("Closing wakes a sender that waits for room")
  func closeWakes() throws {
    let channel = Channel<Int>(capacity: 1)
    channel.send(1)
    let results = Channel<Bool>(capacity: 1)
    let sender = try Thread.spawn(name: "sender") {
      results.send(channel.send(2))
    }
    Thread.pause(milliseconds: 10)
    channel.close()
    sender.join()
    #expect(results.receive() == false)
  }

  @Test("An optional element that is nil is not the end")
  func optionals() {
    let channel = Channel<Int?>(capacity: 2)
    channel.send(nil)
    channel.send(7)
    channel.close()
    #expect(channel.receive() == .some(nil))
    #expect(channel.receive() == .some(7))
    #expect(channel.receive() == nil)
  }
}
