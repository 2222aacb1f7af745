/// A bounded queue between threads: first in, first out.
///
/// A sender into a full channel waits, so that a slow receiver slows its senders down instead
/// of filling the memory. Safe from any thread; blocks, so not for Swift's cooperative pool.
package final class Channel<Element: Sendable>: Sendable {
  /// How many elements may wait; at least 1.
  package let capacity: Int
  private let state: Monitor<State>

  private struct State {
    /// The oldest last, so that receiving moves nothing.
    var outgoing: [Element] = []
    /// The newest last; turned over when `outgoing` is empty.
    var incoming: [Element] = []
    var isClosed = false

    var count: Int { outgoing.count + incoming.count }

    mutating func takeFirst() -> Element? {
      if outgoing.isEmpty {
        outgoing = incoming.reversed()
        incoming.removeAll(keepingCapacity: true)
      }
      return outgoing.popLast()
    }
  }

  /// A channel that holds `capacity` elements; one element where `capacity` is less than 1.
  package init(capacity: Int) {
    self.capacity = max(1, capacity)
    state = Monitor(State())
  }

  /// Adds an element, waiting for room. Returns false, and drops the element, if the channel is
  /// closed.
  @discardableResult
  package func send(_ element: Element) -> Bool {
    state.wait { state in
      if state.isClosed { return false }
      guard state.count < capacity else { return nil }
      state.incoming.append(element)
      return true
    }
  }

  /// Adds an element if there is room now. Returns whether the element was added.
  @discardableResult
  package func trySend(_ element: Element) -> Bool {
    state.withLock { state in
      guard !state.isClosed, state.count < capacity else { return false }
      state.incoming.append(element)
      return true
    }
  }

  /// Takes the oldest element, waiting for one; nil once the channel is closed and empty.
  ///
  /// Amortised O(1).
  package func receive() -> Element? {
    state.wait { state -> Element?? in
      if let element = state.takeFirst() { return .some(element) }
      return state.isClosed ? .some(nil) : nil
    }
  }

  /// Takes the oldest element, as `receive()` does; while the call waits, `body` is called on this
  /// thread, each time that a `pause` has passed.
  package func receive(every pause: Duration, _ body: () -> Void) -> Element? {
    while true {
      let due = ContinuousClock.now + pause
      let found = state.wait { state -> Monitor<State>.Answer<Element??> in
        if let element = state.takeFirst() { return .now(.some(element)) }
        if state.isClosed { return .now(.some(nil)) }
        return due <= .now ? .now(nil) : .later(by: due)
      }
      if let found { return found }
      body()
    }
  }

  /// Refuses further elements; those inside can still be received.
  package func close() { state.withLock { $0.isClosed = true } }
}
