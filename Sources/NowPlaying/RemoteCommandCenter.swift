/// The commands of other programs: of desktops, headsets, phones and `playerctl`
/// (`MPRemoteCommandCenter`).
///
/// Made by a `NowPlayingSession`. A command without a target is refused. Safe from any thread.
public final class RemoteCommandCenter: Sendable {
  /// Plays; nothing changes if it plays (`playCommand`).
  public let playCommand: RemoteCommand<RemoteCommandEvent>
  /// Pauses; nothing changes in a pause (`pauseCommand`).
  public let pauseCommand: RemoteCommand<RemoteCommandEvent>
  /// Plays or pauses (`togglePlayPauseCommand`).
  public let togglePlayPauseCommand: RemoteCommand<RemoteCommandEvent>
  /// Stops: playing begins at the start again (`stopCommand`).
  public let stopCommand: RemoteCommand<RemoteCommandEvent>
  /// Goes to the next track; a pause goes on (`nextTrackCommand`). Disable it where there is none.
  public let nextTrackCommand: RemoteCommand<RemoteCommandEvent>
  /// Goes to the previous track; a pause goes on (`previousTrackCommand`).
  public let previousTrackCommand: RemoteCommand<RemoteCommandEvent>
  /// Goes forward; beyond the end, to the next item (`skipForwardCommand`). Without a target the
  /// position is changed.
  public let skipForwardCommand: RemoteCommand<SkipIntervalCommandEvent>
  /// Goes back, to the start at most (`skipBackwardCommand`). Without a target the position is
  /// changed.
  public let skipBackwardCommand: RemoteCommand<SkipIntervalCommandEvent>
  /// Goes to a time (`changePlaybackPositionCommand`).
  public let changePlaybackPositionCommand: RemoteCommand<ChangePlaybackPositionCommandEvent>
  /// Changes the speed (`changePlaybackRateCommand`).
  public let changePlaybackRateCommand: RemoteCommand<ChangePlaybackRateCommandEvent>
  /// Changes what is repeated (`changeRepeatModeCommand`).
  public let changeRepeatModeCommand: RemoteCommand<ChangeRepeatModeCommandEvent>
  /// Changes the order (`changeShuffleModeCommand`).
  public let changeShuffleModeCommand: RemoteCommand<ChangeShuffleModeCommandEvent>
  /// Changes the volume.
  package let changeVolumeCommand: RemoteCommand<ChangeVolumeCommandEvent>
  /// Goes to one of `NowPlayingInfoCenter.tracks`; a pause goes on.
  package let goToTrackCommand: RemoteCommand<GoToTrackCommandEvent>
  /// Ends the program.
  package let quitCommand: RemoteCommand<RemoteCommandEvent>

  init(_ core: NowPlayingCore) {
    playCommand = RemoteCommand(core)
    pauseCommand = RemoteCommand(core)
    togglePlayPauseCommand = RemoteCommand(core)
    stopCommand = RemoteCommand(core)
    nextTrackCommand = RemoteCommand(core)
    previousTrackCommand = RemoteCommand(core)
    skipForwardCommand = RemoteCommand(core)
    skipBackwardCommand = RemoteCommand(core)
    changePlaybackPositionCommand = RemoteCommand(core)
    changePlaybackRateCommand = RemoteCommand(core)
    changeRepeatModeCommand = RemoteCommand(core)
    changeShuffleModeCommand = RemoteCommand(core)
    changeVolumeCommand = RemoteCommand(core)
    goToTrackCommand = RemoteCommand(core)
    quitCommand = RemoteCommand(core)
  }
}
