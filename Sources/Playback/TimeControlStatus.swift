import MediaTime

/// Whether a player plays, and why not.
extension Player {
  /// Whether a player plays (`AVPlayer.TimeControlStatus`).
  public enum TimeControlStatus: Sendable, Hashable {
    /// Paused, or never started.
    case paused
    /// To play, and silent: `reasonForWaitingToPlay` has the reason. The player goes on by itself.
    case waitingToPlayAtSpecifiedRate
    /// Playing.
    case playing
  }

  /// Why a player waits (`AVPlayer.WaitingReason`).
  public enum WaitingReason: Sendable, Hashable {
    /// For bytes of a server. Playback begins with the first ones; after a stall it continues when it
    /// is likely to keep up, and nothing of the sound is lost.
    case toMinimizeStalls
    /// For a device, which is opened again and again. AVPlayer has no such reason.
    case noDevice
  }

  /// Whether the player plays (`AVPlayer.timeControlStatus`).
  public var timeControlStatus: TimeControlStatus {
    engine.state.withLock { $0.timeControlStatus }
  }

  /// Why the player waits; nil if it does not (`AVPlayer.reasonForWaitingToPlay`).
  public var reasonForWaitingToPlay: WaitingReason? {
    engine.state.withLock { $0.reasonForWaitingToPlay }
  }

  /// Whether the media of the current item are here for so long that the player would go on after a
  /// stall (`AVPlayerItem.isPlaybackLikelyToKeepUp`). False without an item.
  public var isPlaybackLikelyToKeepUp: Bool {
    guard let (item, stalls) = loading else { return false }
    return item.isLoaded(from: currentTime, lasting: item.resumeDuration(afterStalls: stalls))
  }

  /// Whether all that was rendered is heard, and the next sound is on its way from a server
  /// (`AVPlayerItem.isPlaybackBufferEmpty`).
  public var isPlaybackBufferEmpty: Bool { engine.state.withLock { $0.stall != nil } }

  /// Whether the media of the current item are here as far ahead as the player fetches them
  /// (`AVPlayerItem.isPlaybackBufferFull`). False without an item.
  public var isPlaybackBufferFull: Bool {
    guard let (item, _) = loading else { return false }
    return item.isLoaded(from: currentTime, lasting: item.forwardBufferDuration)
  }

  private var loading: (item: PlayerItem, stalls: Int)? {
    engine.state.withLock { state in state.current.map { ($0, state.stallCount) } }
  }

  /// The share of what must be here before the player goes on after a stall, from 0 to 1; nil if it
  /// goes on with the first sound, or does not wait for bytes.
  package var bufferingProgress: Double? {
    let found = engine.state.withLock { state -> (PlayerItem, Time)? in
      guard let item = state.current, let goal = state.stall?.goal else { return nil }
      return (item, goal)
    }
    guard let (item, goal) = found else { return nil }
    let start = currentTime
    let needed = min(goal, item.duration - start).seconds
    return needed > 0 ? min(1, item.loadedSeconds(from: start, lasting: goal) / needed) : 1
  }
}

extension PlayerState {
  /// A silence in which the next sound is on its way.
  struct Stall {
    /// How much must be ahead before playback continues; nil: the first sound is enough.
    var goal: Time?
  }

  /// The status for observers.
  var timeControlStatus: Player.TimeControlStatus {
    guard isPlaying else { return .paused }
    return reasonForWaitingToPlay == nil ? .playing : .waitingToPlayAtSpecifiedRate
  }

  /// Nil unless the player waits.
  var reasonForWaitingToPlay: Player.WaitingReason? {
    guard isPlaying else { return nil }
    if hasDevice == false { return .noDevice }
    return stall == nil ? nil : .toMinimizeStalls
  }
}
