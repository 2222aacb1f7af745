import MediaTime

/// Holds what is playing, for desktops, headsets and other programs (`MPNowPlayingInfoCenter`).
///
/// Made by a `NowPlayingSession`. Safe from any thread; no call waits for a bus. The session's
/// thread signals changes, some of them together.
public final class NowPlayingInfoCenter: Sendable {
  private let core: NowPlayingCore

  init(_ core: NowPlayingCore) { self.core = core }

  /// What is playing; nil: nothing (`nowPlayingInfo`).
  public var nowPlayingInfo: NowPlayingInfo? {
    get { core.read { $0.info } }
    set { core.update { $0.info = newValue.map(\.withSensibleRate) } }
  }

  /// Whether it plays (`playbackState`).
  public var playbackState: NowPlayingPlaybackState {
    get { core.read { $0.playbackState } }
    set { core.update { $0.playbackState = newValue } }
  }

  /// The place of playing (`MPNowPlayingInfoPropertyElapsedPlaybackTime`). It advances by itself
  /// while `playbackState` is `playing`, by `playbackRate`, up to the duration. Set it after each
  /// jump; it may be set at any time, and it is signalled only where it is not as others expect: by
  /// more than 200 ms, or 1 ms in a pause. A time that is no number is 0.
  public var elapsedPlaybackTime: Time {
    get { core.read { Time(microseconds: $0.position(at: .now)) } }
    set { core.update(elapsed: newValue.isNumeric ? newValue : .zero) }
  }

  /// Sets all of this together, so that nobody sees a part of it.
  ///
  /// - Parameters:
  ///   - info: What is playing; nil: nothing.
  ///   - playbackState: Whether it plays.
  ///   - time: The place of playing.
  public func update(
    _ info: NowPlayingInfo?, _ playbackState: NowPlayingPlaybackState, elapsed time: Time
  ) {
    core.update(elapsed: time.isNumeric ? time : .zero) { state in
      state.info = info.map(\.withSensibleRate)
      state.playbackState = playbackState
    }
  }

  /// What the listener may go to by `RemoteCommandCenter.goToTrackCommand`: empty for none.
  package var tracks: [NowPlayingTrack] { core.read { $0.tracks } }

  /// The index of the current track in `tracks`; nil: none of them
  /// (`MPNowPlayingInfoPropertyPlaybackQueueIndex`).
  package var playbackQueueIndex: Int? { core.read { $0.trackIndex } }

  /// Sets the tracks and the current one of them. Of more than 500 tracks, others see 500 around
  /// the current one.
  ///
  /// - Complexity: O(n)
  package func setTracks(_ tracks: [NowPlayingTrack], playbackQueueIndex index: Int?) {
    core.update(tracksHaveChanged: core.read { $0.tracks } != tracks) { state in
      state.tracks = tracks
      state.trackIndex = index.flatMap { tracks.indices.contains($0) ? $0 : nil }
    }
  }
}

extension NowPlayingInfo {
  /// With a rate that is more than 0 and no more than 1000, or else 1.
  fileprivate var withSensibleRate: NowPlayingInfo {
    var info = self
    if !(playbackRate > 0 && playbackRate <= 1000) { info.playbackRate = 1 }
    return info
  }
}
