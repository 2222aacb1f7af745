import Diagnosis
import MediaComposition
import MediaTime

/// A player of several items (`AVQueuePlayer`). Every player has a queue, also a player of one
/// item.
public typealias QueuePlayer = Player

/// The queue. Unlike AVQueuePlayer's, it keeps played items, so that a listener can go back.
///
/// A change of the next item takes effect at the end of the current one, also if another item is
/// rendered ahead: that sound is discarded, and the player continues after the last frame heard.
///
/// An item plays at its own rate and with its own channels: a device of another format is opened
/// again after the sound before it, which makes a gap; otherwise there is none. A format that a
/// device does not have is converted. Meters are always the item's.
extension Player {
  /// A player of items, each once (`AVQueuePlayer.init(items:)`); the first is the current one.
  ///
  /// - Parameters:
  ///   - items: The items, in order.
  ///   - opener: As for `init(_:opening:)`.
  /// - Throws: As `init(_:opening:)`.
  public convenience init(items: [PlayerItem], opening opener: SinkOpener? = nil) throws(Failure) {
    try self.init(items, opening: opener, clock: { monotonicNanoseconds() })
  }

  /// Whether the first item follows the last; a single item follows itself, and is reported as
  /// looped (`AVPlayerLooper` for one item).
  package var repeatsQueue: Bool {
    get { engine.state.withLock { $0.repeatsQueue } }
    set { engine.update { $0.repeatsQueue = newValue } }
  }

  /// The items, in order, also those that were played (`AVQueuePlayer.items()`).
  public var items: [PlayerItem] { engine.state.withLock { $0.queue } }

  /// Whether `insert` succeeds: a queue holds an item once (`canInsert(_:after:)`). O(items).
  public func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
    engine.state.withLock { $0.canInsert(item, after: other) }
  }

  /// Inserts an item after another one, or at the end if that is nil (`insert(_:after:)`).
  /// O(items).
  ///
  /// - Returns: Whether the item was inserted, as `canInsert` says.
  @discardableResult
  public func insert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
    engine.update { state in
      guard state.canInsert(item, after: other) else { return false }
      let index = other.flatMap { other in state.queue.firstIndex { $0 === other } }
      state.queue.insert(item, at: index.map { $0 + 1 } ?? state.queue.count)
      if state.current == nil { state.current = item }
      return true
    }
  }

  /// Removes an item (`remove(_:)`); if it is heard, the next one begins at once. O(items).
  public func remove(_ item: PlayerItem) {
    let heard = engine.heardIndex
    engine.update { state in
      guard let index = state.queue.firstIndex(where: { $0 === item }) else { return }
      let isCurrent = state.current(heard: heard) === item
      let next = state.item(after: item)
      state.queue.remove(at: index)
      if isCurrent { state.go(to: next === item ? nil : next) }
    }
  }

  /// Removes all items, and stops (`removeAllItems()`).
  public func removeAllItems() {
    engine.update { state in
      state.queue = []
      state.go(to: nil)
    }
  }

  /// Goes to the next item (`advanceToNextItem()`). After the last one, goes to the first in a
  /// repeated queue, or else stops. O(items).
  public func advanceToNextItem() {
    engine.update { state in state.go(to: state.current.flatMap { state.item(after: $0) }) }
  }

  /// Goes to the previous item, or to the start of the first. O(items).
  public func returnToPreviousItem() {
    engine.update { state in
      guard let index = state.queue.firstIndex(where: { $0 === state.current }) else { return }
      state.go(to: state.queue[max(0, index - 1)])
    }
  }

  /// Goes to the start of an item, if it is in the queue. O(items).
  public func go(to item: PlayerItem) {
    engine.update { state in
      if state.isInQueue(item) { state.go(to: item) }
    }
  }
}

extension PlayerState {
  fileprivate func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
    !isInQueue(item) && other.map(isInQueue) ?? true
  }

  /// The item that is heard, or that is next, also before the observing thread has reported it.
  /// O(marks).
  func current(heard: Int64) -> PlayerItem? {
    guard isPlaying, jump == nil,
      let last = marks.last(where: { $0.index < heard })?.item, isQueued(last)
    else { return current }
    return resolved(last)
  }

  /// Goes to the start of an item; nil: stops, without a current item.
  mutating func go(to item: PlayerItem?) {
    guard let item else { return drop() }
    let start = Jump(item: item, time: .zero)
    (current, jump, rest) = (item, start, start)
  }
}
