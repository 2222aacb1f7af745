import Synchronization

/// The observers of a session's events. Safe from any thread.
final class SessionObservers: Sendable {
  private struct State {
    var blocks: [Int: @Sendable (AudioSession.Event) -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  func add(_ block: @escaping @Sendable (AudioSession.Event) -> Void) -> PlayerObservation {
    let id = state.withLock { state in
      state.next += 1
      state.blocks[state.next] = block
      return state.next
    }
    // Weak: an observation does not keep its session.
    return PlayerObservation { [weak self] in self?.remove(id) }
  }

  func events() -> AsyncStream<AudioSession.Event> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
      let observation = add { continuation.yield($0) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  private func remove(_ id: Int) {
    // Released without the lock: its captures may call this object.
    let removed = state.withLock { $0.blocks.removeValue(forKey: id) }
    _ = removed
  }

  func yield(_ event: AudioSession.Event) {
    for block in state.withLock({ Array($0.blocks.values) }) { block(event) }
  }
}
