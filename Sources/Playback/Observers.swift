import Diagnosis
import MediaComposition
import MediaTime
import Synchronization

/// An event of a player, reported when it is heard.
public enum PlayerEvent: Sendable {
  /// The player plays, pauses, or waits; the reason is that of a wait, and reported again when it
  /// changes (`AVPlayer.timeControlStatus` and `reasonForWaitingToPlay`).
  case timeControlStatusChanged(Player.TimeControlStatus, Player.WaitingReason?)
  /// An item begins.
  case itemBegan(PlayerItem)
  /// An item was heard to its end (`AVPlayerItem.didPlayToEndTimeNotification`).
  case itemEnded(PlayerItem)
  /// An item, or its looped range, begins again.
  case looped(PlayerItem)
  /// An item cannot be played, and is skipped (`failedToPlayToEndTimeNotification`).
  case itemFailed(PlayerItem, Failure)
  /// A part of an item's file cannot be decoded, and is silence. Reported once for each file, when
  /// the damage is found, some tenths of a second before it is heard; there may be more of it.
  case damaged(PlayerItem, Warning)
  /// The device ran out of sound, `count` times by now.
  case ranDry(count: Int)
  /// There is no device. Opening one is tried again and again, and the player keeps its place.
  /// Reported again for each new reason: a device that disconnects after it has played is lost
  /// without a reason first.
  case deviceLost(Failure?)
  /// There is a device with a format. A device after a loss is reported when it has played.
  case deviceFound(SinkFormat)
  /// The device has failed for good, for instance by a full disk. The player stops at the last
  /// frame heard, and `play()` does not help; make another player.
  case deviceFailed(Failure)
}

/// An observation, which ends when it is released or cancelled (`AVPlayer.removeTimeObserver(_:)`).
public final class PlayerObservation: Sendable {
  private let remove: @Sendable () -> Void

  init(_ remove: @escaping @Sendable () -> Void) { self.remove = remove }

  deinit { remove() }

  /// Ends the observation, without waiting for a call on the player's thread.
  public func cancel() { remove() }
}

/// The observers of the events of a player or a session. Safe from any thread.
final class Observers<Event: Sendable>: Sendable {
  private struct Observer {
    var block: @Sendable (Event) -> Void
    var end: @Sendable () -> Void = {}
  }

  private struct State {
    var observers: [Int: Observer] = [:]
    var next = 0
    var isClosed = false
  }

  private let state = Mutex(State())

  // MARK: For players

  /// The events from now on, until `close`.
  func events() -> AsyncStream<Event> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
      let observer = Observer {
        continuation.yield($0)
      } end: {
        continuation.finish()
      }
      guard let id = add(observer) else { return continuation.finish() }
      // Weak: a reader may outlive the player.
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
    }
  }

  /// Calls `block` for each event from now on, on the event's thread, and `end` at `close`: at once if
  /// that was before.
  func add(
    _ block: @escaping @Sendable (Event) -> Void, atEnd end: @escaping @Sendable () -> Void = {}
  ) -> PlayerObservation {
    guard let id = add(Observer(block: block, end: end)) else {
      end()
      return PlayerObservation {}
    }
    // Weak: an observation does not keep its player.
    return PlayerObservation { [weak self] in self?.remove(id) }
  }

  /// Nil after the end.
  private func add(_ observer: Observer) -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.observers[state.next] = observer
      return state.next
    }
  }

  private func remove(_ id: Int) {
    // Released without the lock: its captures may call this object.
    let removed = state.withLock { $0.observers.removeValue(forKey: id) }
    _ = removed
  }

  // MARK: From the threads of the events

  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

  func yield(_ event: Event) {
    for observer in state.withLock({ Array($0.observers.values) }) { observer.block(event) }
  }

  func close() {
    // Released without the lock: their captures may hold the last reference to an observation.
    let observers = state.withLock { state in
      defer { state.observers = [:] }
      state.isClosed = true
      return state.observers
    }
    for observer in observers.values { observer.end() }
  }
}
