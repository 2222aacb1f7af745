import Synchronization
import Threads

/// Counts the listener's changes of an item's tracks, and wakes the thread that renders them.
final class TrackChanges: Sendable {
  private let number = Atomic<Int>(0)
  /// Of the player that has opened the item last.
  private let listener = Mutex<WakeUp?>(nil)

  /// The number of changes so far.
  var count: Int { number.load(ordering: .acquiring) }

  /// Notes a change.
  func note() {
    number.wrappingAdd(1, ordering: .releasing)
    listener.withLock { $0 }?.signal()
  }

  /// Has changes wake a thread.
  func wake(_ wakeUp: WakeUp) { listener.withLock { $0 = wakeUp } }
}
