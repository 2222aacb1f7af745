import Synchronization

/// A number that threads change together, and the most that it ever was.
package final class Counter: Sendable {
  private let state: Mutex<(value: Int, most: Int)>

  package init(_ value: Int = 0) { state = Mutex((value, value)) }

  package var value: Int { state.withLock { $0.value } }
  package var most: Int { state.withLock { $0.most } }

  package func add(_ difference: Int) {
    state.withLock { state in
      state.value += difference
      state.most = max(state.most, state.value)
    }
  }
}
