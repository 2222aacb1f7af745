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
  /// Reported again for each new reason: a device that disconnects is lost without a reason first.
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

/// The observers of a player's time and events. Safe from any thread.
final class Observers: Sendable {
  private struct Observer {
    var kind: Kind
    var block: @Sendable (Time) -> Void
  }

  private enum Kind {
    case periodic(Time)
    case boundary([Time])
  }

  private struct Listener {
    var block: @Sendable (PlayerEvent) -> Void
    var end: @Sendable () -> Void = {}
  }

  private struct State {
    var observers: [Int: Observer] = [:]
    var listeners: [Int: Listener] = [:]
    var next = 0
    var isClosed = false
  }

  private let state = Mutex(State())

  // MARK: For players

  func events() -> AsyncStream<PlayerEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
      let listener = Listener {
        continuation.yield($0)
      } end: {
        continuation.finish()
      }
      guard let id = add(listener) else { return continuation.finish() }
      // Weak: a reader may outlive the player.
      continuation.onTermination = { [weak self] _ in self?.removeListener(id) }
    }
  }

  /// Calls `block` for each event from now on, on the event's thread.
  func add(_ block: @escaping @Sendable (PlayerEvent) -> Void) -> PlayerObservation {
    guard let id = add(Listener(block: block)) else { return PlayerObservation {} }
    // Weak: an observation does not keep its player.
    return PlayerObservation { [weak self] in self?.removeListener(id) }
  }

  /// Nil after the end.
  private func add(_ listener: Listener) -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.listeners[state.next] = listener
      return state.next
    }
  }

  private func removeListener(_ id: Int) {
    // Released without the lock: its captures may call this object.
    let removed = state.withLock { $0.listeners.removeValue(forKey: id) }
    _ = removed
  }

  /// Calls `block` at each multiple of `interval`, and after each jump.
  func add(every interval: Time, _ block: @escaping @Sendable (Time) -> Void) -> PlayerObservation {
    add(Observer(kind: .periodic(interval), block: block))
  }

  /// Calls `block` when one of `times` is passed.
  func add(at times: [Time], _ block: @escaping @Sendable (Time) -> Void) -> PlayerObservation {
    add(Observer(kind: .boundary(times), block: block))
  }

  private func add(_ observer: Observer) -> PlayerObservation {
    let id = state.withLock { state in
      state.next += 1
      state.observers[state.next] = observer
      return state.next
    }
    // Weak: an observation does not keep its player.
    return PlayerObservation { [weak self] in
      _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
    }
  }

  // MARK: From the engine's threads

  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

  func yield(_ event: PlayerEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.block(event) }
  }

  func close() {
    // Released without the lock: their captures may hold the last reference to an observation.
    let (listeners, observers) = state.withLock { state in
      defer { (state.listeners, state.observers) = ([:], [:]) }
      state.isClosed = true
      return (state.listeners, state.observers)
    }
    for listener in listeners.values { listener.end() }
    _ = observers
  }

  /// Reports that the time from `start` to `end` was heard, `start` included if `isFresh`.
  func pass(_ start: Time, _ end: Time, isFresh: Bool) {
    for observer in state.withLock({ Array($0.observers.values) }) {
      switch observer.kind {
      case .periodic(let interval):
        if isFresh || end.multiples(of: interval) > start.multiples(of: interval) {
          observer.block(end)
        }
      case .boundary(let times):
        for time in times where start < time && time <= end || isFresh && time == start {
          observer.block(time)
        }
      }
    }
  }

  func jump(to time: Time) {
    for observer in state.withLock({ Array($0.observers.values) }) {
      if case .periodic = observer.kind { observer.block(time) }
    }
  }
}

extension Time {
  fileprivate func multiples(of interval: Time) -> Int64 {
    // In nanoseconds: an observer may be called that late.
    let step = interval.frames(atRate: 1_000_000_000)
    return step > 0 ? frames(atRate: 1_000_000_000) / step : 0
  }
}
