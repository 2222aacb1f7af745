import Diagnosis

extension PlayerItem {
  /// Whether the item can be played (`AVPlayerItem.Status`). AVPlayerItem's `unknown` has no
  /// counterpart: an item that was made is ready.
  public enum Status: Sendable, Hashable {
    /// It can be played.
    case readyToPlay
    /// A player could not open it, or not play it on: `failure` has the reason. It is tried again when
    /// it is played again.
    case failed
  }

  /// Whether the item can be played, as far as players have found (`AVPlayerItem.status`).
  public var status: Status { failure == nil ? .readyToPlay : .failed }

  /// Why the item could not be played; nil if it can (`AVPlayerItem.error`).
  public var failure: Failure? { lastFailure.withLock { $0 } }

  /// Notes that a player has opened the item, or could not play it.
  func fail(_ failure: Failure?) { lastFailure.withLock { $0 = failure } }

  /// Whether both are one item: two items of one medium are not.
  public static func == (a: PlayerItem, b: PlayerItem) -> Bool { a === b }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
