import MediaTime

/// A command without a value (`MPRemoteCommandEvent`).
public struct RemoteCommandEvent: Sendable, Hashable {}

/// A jump forward or back (`MPSkipIntervalCommandEvent`).
public struct SkipIntervalCommandEvent: Sendable, Hashable {
  /// How far, more than 0.
  public let interval: Time
}

/// A jump (`MPChangePlaybackPositionCommandEvent`).
public struct ChangePlaybackPositionCommandEvent: Sendable, Hashable {
  /// The time to go to, from 0 to the duration.
  public let positionTime: Time
}

/// Another speed (`MPChangePlaybackRateCommandEvent`).
public struct ChangePlaybackRateCommandEvent: Sendable, Hashable {
  /// One of `supportedPlaybackRates`.
  public let playbackRate: Double
}

/// Another way to repeat (`MPChangeRepeatModeCommandEvent`).
public struct ChangeRepeatModeCommandEvent: Sendable, Hashable {
  /// What to repeat.
  public let repeatType: RepeatType
}

/// Another order (`MPChangeShuffleModeCommandEvent`).
public struct ChangeShuffleModeCommandEvent: Sendable, Hashable {
  /// What to shuffle.
  public let shuffleType: ShuffleType
}

/// Another volume. MediaPlayer has no counterpart: its system has one volume for all programs.
package struct ChangeVolumeCommandEvent: Sendable, Hashable {
  /// A factor, 0 or more: 1 is the sound as it is.
  package let volume: Double
}

/// One of the tracks of `NowPlayingInfoCenter`. MediaPlayer has no counterpart.
package struct GoToTrackCommandEvent: Sendable, Hashable {
  /// `NowPlayingTrack.id`
  package let trackID: String
}

/// What is repeated (`MPRepeatType`).
public enum RepeatType: Sendable, Hashable {
  /// Nothing.
  case off
  /// What is playing.
  case one
  /// All of the queue.
  case all
}

/// What is shuffled (`MPShuffleType`).
public enum ShuffleType: Sendable, Hashable {
  /// Nothing.
  case off
  /// The items of the queue.
  case items
}

/// How a command ended (`MPRemoteCommandHandlerStatus`).
public enum RemoteCommandHandlerStatus: Sendable, Hashable {
  /// It is done.
  case success
  /// There is no such track or place.
  case noSuchContent
  /// Nothing is playing that it could act on.
  case noActionableNowPlayingItem
  /// There is no device.
  case deviceNotFound
  /// It was tried, in vain.
  case commandFailed
}
