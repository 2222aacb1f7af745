import Diagnosis
import MediaComposition
import MediaTime

/// A player of items (`AVQueuePlayer`). Every player has a queue, that of one item too.
public typealias QueuePlayer = Player

/// Items that follow one another, without a gap; unlike AVQueuePlayer's they stay when they were played,
/// so that one may go back.
///
/// Changes of what comes next are heard at the end of the item that is heard, also when something else
/// is rendered ahead by then: that is thrown away, and sound goes on behind the frame that was heard
/// last, as after a pause.
///
/// An item is played at its own rate and with its own channels: where the device was opened for others,
/// it is opened anew when what comes before has been heard, which makes a gap. What a device does not
/// have is converted. Meters are of the item, whatever the device has.
extension Player {
  /// A player of items, of which the first is the current one.
  ///
  /// - Throws: As `init(_:opening:)`.
  public convenience init(
    items: [PlayerItem], opening opener: @escaping SinkOpener
  ) throws(Failure) {
    try self.init(nil, opening: opener)
    for item in items { insert(item, after: nil) }
  }

  /// Whether the first item follows the last, without a gap, again and again; an item that is alone
  /// follows itself, and is told as looped. `AVPlayerLooper` does that with one item.
  public var repeatsQueue: Bool {
    get { engine.state.withLock { $0.repeatsQueue } }
    set { engine.update { $0.repeatsQueue = newValue } }
  }

  /// What is played, in order, with what has been played (`AVQueuePlayer.items()`).
  public var items: [PlayerItem] { engine.state.withLock { $0.queue } }

  /// Whether `insert` would: an item can be in a queue once (`canInsert(_:after:)`). O(items).
  public func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
    engine.state.withLock { $0.canInsert(item, after: other) }
  }

  /// Puts an item behind another one, or nil: behind all (`insert(_:after:)`). O(items).
  ///
  /// - Returns: Whether it did; not where `canInsert` says no.
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

  /// Takes an item out (`remove(_:)`); where it is the one that is heard, the next one takes its place at
  /// once. O(items).
  public func remove(_ item: PlayerItem) {
    let heard = engine.heardIndex
    engine.update { state in
      guard let index = state.queue.firstIndex(where: { $0 === item }) else { return }
      let isCurrent = state.isCurrent(item, heard: heard)
      let next = state.item(after: item)
      state.queue.remove(at: index)
      if isCurrent { state.go(to: next === item ? nil : next) }
    }
  }

  /// Takes all items out, and falls silent (`removeAllItems()`).
  public func removeAllItems() {
    engine.update { state in
      state.queue = []
      state.go(to: nil)
    }
  }

  /// On to the next item; behind the last, the first where the queue is repeated, or else silence
  /// (`advanceToNextItem()`). O(items).
  public func advanceToNextItem() {
    engine.update { state in state.go(to: state.current.flatMap { state.item(after: $0) }) }
  }

  /// Back to the item before, or to the start of the first. O(items).
  public func returnToPreviousItem() {
    engine.update { state in
      guard let index = state.queue.firstIndex(where: { $0 === state.current }) else { return }
      state.go(to: state.queue[max(0, index - 1)])
    }
  }

  /// To the start of any item of the queue; does nothing where it is not in it. O(items).
  public func go(to item: PlayerItem) {
    engine.update { state in
      if state.queue.contains(where: { $0 === item }) { state.go(to: item) }
    }
  }
}

extension PlayerState {
  fileprivate func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
    guard !queue.contains(where: { $0 === item }) else { return false }
    guard let other else { return true }
    return queue.contains { $0 === other }
  }

  /// Whether an item is the current one, though who tells that may not have come to it yet. O(marks).
  fileprivate func isCurrent(_ item: PlayerItem, heard: Int64) -> Bool {
    guard isPlaying, jump == nil,
      let last = marks.last(where: { $0.index < heard })?.item, isQueued(last)
    else { return current === item }
    return last === item
  }

  /// To the start of an item; nil: stops, and nothing is current.
  fileprivate mutating func go(to item: PlayerItem?) {
    guard let item else { return drop() }
    let start = Jump(item: item, time: .zero)
    (current, jump, rest) = (item, start, start)
  }
}
