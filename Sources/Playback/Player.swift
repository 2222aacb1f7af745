import MediaComposition
import MediaTime

/// Plays an item to a sink (`AVPlayer`): what is heard is what the item's export encodes.
///
/// Safe from any thread; no call waits for sound. Its work is done by two threads of its own, one that
/// renders ahead by some tenths of a second, and one that writes to the device. They end when the
/// player is released.
public class Player: @unchecked Sendable {
  // `@unchecked Sendable`, since it can be inherited from: it holds nothing but `let`s that are
  // Sendable, and so does its one heir.
  let deck: Deck

  /// A player of one item.
  ///
  /// - Parameters:
  ///   - item: What is played; nil: nothing.
  ///   - opener: Opens the device, when something is to be played first.
  /// - Throws: `tryAgain` where the machine has no thread or descriptor left.
  public init(_ item: PlayerItem? = nil, opening opener: @escaping SinkOpener) throws(Failure) {
    deck = try Deck(opening: opener)
    guard let item else { return }
    deck.update { state in
      state.queue = [item]
      state.current = item
    }
  }

  deinit { deck.end() }

  /// What is heard, or will be next (`AVPlayer.currentItem`).
  public var currentItem: PlayerItem? { deck.state.withLock { $0.current } }

  /// How it is getting on.
  public enum Status: Sendable, Hashable {
    /// Nothing is wanted.
    case paused
    /// Sound is wanted, and there is a device.
    case playing
    /// Sound is wanted, and there is no device; another is looked for.
    case waitingForDevice
  }

  /// How it is getting on (`AVPlayer.timeControlStatus`).
  public var status: Status {
    deck.state.withLock { state in
      guard state.isPlaying else { return .paused }
      return state.hasDevice == false ? .waitingForDevice : .playing
    }
  }

  /// What went wrong last with an item or the device; nil once it plays again (`AVPlayer.error`).
  public var failure: Failure? { deck.state.withLock { $0.failure } }

  /// The moment of the current item that is heard now (`AVPlayer.currentTime()`); zero before the
  /// first sound.
  public var currentTime: Time { deck.place?.time ?? .zero }

  /// Goes on from where it stands; from the start where it stands at the end.
  public func play() {
    deck.update { state in
      state.isPlaying = true
      guard let rest = state.rest, rest.time >= rest.item.duration else { return }
      state.jump = DeckState.Jump(item: rest.item, time: .zero)
    }
  }

  /// Falls silent at once, and stands at the last frame that was heard.
  public func pause() { deck.update { $0.isPlaying = false } }

  /// Goes to a moment of the current item, exactly (`AVPlayer.seek(to:)` with no tolerance): the
  /// frames from there on are those of the whole, but where something in the item's graph remembers
  /// without end; see `LiveSource`. Times outside the item are its start and its end.
  public func seek(to time: Time) {
    deck.update { state in
      guard let item = state.current else { return }
      let place = DeckState.Jump(item: item, time: max(.zero, min(time, item.duration)))
      state.jump = place
      state.rest = place
    }
  }

  /// How fast, from 0.5 to 2, the pitch kept; heard when what is rendered ahead has been.
  public var speed: PlaybackSpeed {
    get { deck.state.withLock { $0.speed } }
    set { deck.update { $0.speed = newValue } }
  }
}
