import Diagnosis
import Playback

/// The entries of a preview, of which more and more are ready to be played. Safe from any thread.
package protocol PreviewEntries: Sendable {
  /// How many there are, also those that are not ready.
  var count: Int { get }
  /// The items that can be played, in order.
  var items: [PlayerItem] { get }
  /// Whether more items may follow.
  var isLoading: Bool { get }

  /// The index of an item's entry.
  func index(of item: PlayerItem?) -> Int?

  /// The place of an item's job in its file.
  func origin(of item: PlayerItem) -> Origin
}
