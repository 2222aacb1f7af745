import Diagnosis
import MediaTime
import Synchronization

/// Values as they change: what key-value observing is in AVFoundation.
extension Player {
  /// A property's value now, and each change of it (`publisher(for:)`, key-value observing of
  /// `AVPlayer`): for instance `values(of: \.timeControlStatus)`, `\.currentItem`, `\.failure`.
  ///
  /// The property is read on a thread of the player, after each change of its state and up to a hundred
  /// times a second while it plays; a value that comes and goes between two looks is left out. A slow
  /// reader misses the oldest of more than 64 values. The sequence ends with the player, which it does
  /// not keep.
  ///
  /// - Parameter property: A property of the player; reading it must not take long.
  /// - Returns: The values, the present one first.
  public func values<Value: Sendable & Equatable>(
    of property: any KeyPath<Player, Value> & Sendable
  ) -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
      let last = Mutex<Value?>(nil)
      @Sendable func look(_ player: Player) {
        // With the lock: a look that began later must not be given before.
        last.withLock { last in
          let value = player[keyPath: property]
          guard value != last else { return }
          last = value
          continuation.yield(value)
        }
      }
      let observation = engine.valueObservers.add { [weak self] in
        if let self { look(self) }
      } atEnd: {
        continuation.finish()
      }
      continuation.onTermination = { _ in observation.cancel() }
      look(self)
    }
  }
}

extension PlayerItem {
  /// A property's value now, and each change of it (`publisher(for:)`, key-value observing of
  /// `AVPlayerItem`): for instance `values(of: \.loadedTimeRanges)`, `\.status`.
  ///
  /// The property is read twenty times a second, by the task that reads the sequence, which therefore
  /// gets the newest value. The sequence ends with the item, which it does not keep, and with the task.
  ///
  /// - Parameter property: A property of the item.
  /// - Returns: The values, the present one first.
  public func values<Value: Sendable & Equatable>(
    of property: any KeyPath<PlayerItem, Value> & Sendable
  ) -> AsyncStream<Value> {
    let last = Mutex<Value?>(nil)
    let item = WeakItem(self)
    return AsyncStream {
      while !Task.isCancelled {
        guard let value = item.item.map({ $0[keyPath: property] }) else { return nil }
        let isNew = last.withLock { last in
          defer { last = value }
          return value != last
        }
        if isNew { return value }
        try? await Task.sleep(for: .milliseconds(50))
      }
      return nil
    }
  }
}

/// An item that a sequence does not keep.
private final class WeakItem: Sendable {
  private let reference: Mutex<Reference>

  private struct Reference { weak var item: PlayerItem? }

  init(_ item: PlayerItem) { reference = Mutex(Reference(item: item)) }

  var item: PlayerItem? { reference.withLock { $0.item } }
}
