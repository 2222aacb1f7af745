import Diagnosis
import MediaComposition
import MediaTime
import Synchronization

/// Something that happens to a player, told when it is heard.
public enum PlayerEvent: Sendable {
  /// It plays, pauses, or waits for a device.
  case statusChanged(Player.Status)
  /// An item is heard that was not before.
  case itemBegan(PlayerItem)
  /// The last of an item was heard (`AVPlayerItem.didPlayToEndTimeNotification`).
  case itemEnded(PlayerItem)
  /// An item, or the range of it that is looped, begins anew.
  case looped(PlayerItem)
  /// An item cannot be played, and was left out (`failedToPlayToEndTimeNotification`).
  case itemFailed(PlayerItem, Failure)
  /// Something of a file that an item plays cannot be decoded, and is silence. Told once for each
  /// file, when it is found, which is some tenths of a second before it is heard; there may be more.
  case damaged(PlayerItem, Warning)
  /// The device ran dry, so many times by now.
  case ranDry(count: Int)
  /// There is no device; another is looked for, and what was heard last is kept. Told again whenever
  /// there is another reason for it: one that is unplugged is first lost without any.
  case deviceLost(Failure?)
  /// There is a device, which takes this; one that was lost is told of when it has played again.
  case deviceFound(SinkFormat)
  /// The device is there, and sound cannot be played to it any more: what writes it to a disk that
  /// is full, for instance. The player stops where it was heard last, and `play()` does not help;
  /// make another player.
  case deviceFailed(Failure)
}

/// Stops an observer when it is released, or before (`AVPlayer.removeTimeObserver(_:)`).
public final class PlayerObservation: Sendable {
  private let remove: @Sendable () -> Void

  init(_ remove: @escaping @Sendable () -> Void) { self.remove = remove }

  deinit { remove() }

  /// Stops it; a call that is under way on the player's thread is not waited for.
  public func cancel() { remove() }
}

/// Who wants to know of a engine's time and events. Safe from any thread; closures run on the clock's.
final class Observers: Sendable {
  private struct Observer {
    var kind: Kind
    var tell: @Sendable (Time) -> Void
  }

  private enum Kind {
    case periodic(Time)
    case boundary([Time])
  }

  /// Who wants to know of events.
  private struct Listener {
    var tell: @Sendable (PlayerEvent) -> Void
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

  /// A sequence of what happens from now on.
  func events() -> AsyncStream<PlayerEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
      let listener = Listener {
        continuation.yield($0)
      } end: {
        continuation.finish()
      }
      guard let id = add(listener) else { return continuation.finish() }
      // Weak: whoever reads may outlive the player, whose list is gone then.
      continuation.onTermination = { [weak self] _ in self?.removeListener(id) }
    }
  }

  /// Calls `tell` for each thing that happens from now on, on the thread to which it happens.
  func add(_ tell: @escaping @Sendable (PlayerEvent) -> Void) -> PlayerObservation {
    guard let id = add(Listener(tell: tell)) else { return PlayerObservation {} }
    // Weak: an observation does not keep its player.
    return PlayerObservation { [weak self] in self?.removeListener(id) }
  }

  /// Nil where nothing happens any more.
  private func add(_ listener: Listener) -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.listeners[state.next] = listener
      return state.next
    }
  }

  private func removeListener(_ id: Int) {
    // Released without the lock: what it holds may ask for more.
    let removed = state.withLock { $0.listeners.removeValue(forKey: id) }
    _ = removed
  }

  /// Calls `tell` at each multiple of `interval`, and after each jump.
  func add(every interval: Time, _ tell: @escaping @Sendable (Time) -> Void) -> PlayerObservation {
    add(Observer(kind: .periodic(interval), tell: tell))
  }

  /// Calls `tell` when one of `times` is passed.
  func add(at times: [Time], _ tell: @escaping @Sendable (Time) -> Void) -> PlayerObservation {
    add(Observer(kind: .boundary(times), tell: tell))
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

  /// Whether nobody wants to know the time.
  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

  /// Tells of an event.
  func yield(_ event: PlayerEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.tell(event) }
  }

  /// Ends all sequences.
  func close() {
    // Released without the lock: what they hold may be the last to hold an observation.
    let (listeners, observers) = state.withLock { state in
      defer { (state.listeners, state.observers) = ([:], [:]) }
      state.isClosed = true
      return (state.listeners, state.observers)
    }
    for listener in listeners.values { listener.end() }
    _ = observers
  }

  /// Time went by, from `start` to `end`; `start` counts where it was not the end of what went by
  /// before.
  func pass(_ start: Time, _ end: Time, isFresh: Bool) {
    for observer in state.withLock({ Array($0.observers.values) }) {
      switch observer.kind {
      case .periodic(let interval):
        if isFresh || end.multiples(of: interval) > start.multiples(of: interval) {
          observer.tell(end)
        }
      case .boundary(let times):
        for time in times where start < time && time <= end || isFresh && time == start {
          observer.tell(time)
        }
      }
    }
  }

  /// Somebody went there.
  func jump(to time: Time) {
    for observer in state.withLock({ Array($0.observers.values) }) {
      if case .periodic = observer.kind { observer.tell(time) }
    }
  }
}

extension Time {
  /// How often an interval fits into this time.
  fileprivate func multiples(of interval: Time) -> Int64 {
    // In nanoseconds: who is told one of them late will not mind.
    let step = interval.frames(atRate: 1_000_000_000)
    return step > 0 ? frames(atRate: 1_000_000_000) / step : 0
  }
}
