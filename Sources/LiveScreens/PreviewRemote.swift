import MediaTime
import NowPlaying
import Playback
import Terminal
import Threads

/// A command of another program, whose thread waits for the answer. Safe from any thread.
package final class PreviewRemoteRequest: Sendable {
  let command: PlayerCommand
  private let status = Monitor<RemoteCommandHandlerStatus?>(nil)

  /// How long an answer is waited for: the loop of a preview waits for nothing but keys, drawing and
  /// messages.
  private static var patience: Duration { .seconds(1) }

  init(_ command: PlayerCommand) { self.command = command }

  /// Answers the waiting thread.
  func answer(_ status: RemoteCommandHandlerStatus) { self.status.withLock { $0 = status } }

  /// Waits for the answer. A command that is not answered in time may still be performed.
  func wait() -> RemoteCommandHandlerStatus {
    let limit = ContinuousClock.now + Self.patience
    return status.wait { status in
      if let status { return .now(status) }
      return ContinuousClock.now < limit ? .later(by: limit) : .now(.commandFailed)
    }
  }
}

/// Lets other programs steer a preview, and see what it plays (MPRIS). Nothing is printed if
/// there is no bus. Used by the thread of the preview's loop.
package final class PreviewRemote {
  private let session: NowPlayingSession
  private let inbox: Inbox<PreviewMessage>
  private let covers: PreviewCovers
  private var hasBegun = false
  /// The place of the player before its first sound.
  private var firstTime: Time?
  /// Whether the player was stopped, and has not moved since.
  private var isStopped = false
  /// The entry that is shown.
  private var item: PlayerItem?
  private var info = NowPlayingInfo(externalContentIdentifier: "")
  private var tracks = PreviewTracks()

  /// Commands that arrive in `inbox`, once there is sound.
  package init?(_ inbox: Inbox<PreviewMessage>) {
    guard let session = NowPlayingSession(application: "avjob") else { return nil }
    (self.session, self.inbox) = (session, inbox)
    covers = PreviewCovers { inbox.put(.coverFound) }
    addTargets(to: session.remoteCommandCenter)
  }

  private func addTargets(to center: RemoteCommandCenter) {
    add(center.playCommand) { _ in .play }
    add(center.pauseCommand) { _ in .pause }
    add(center.togglePlayPauseCommand) { _ in .playOrPause }
    add(center.stopCommand) { _ in .stop }
    add(center.nextTrackCommand) { _ in .next(.chapters) }
    add(center.previousTrackCommand) { _ in .previous(.chapters) }
    add(center.skipForwardCommand) { .skip(by: $0.interval) }
    add(center.skipBackwardCommand) { .skip(by: -$0.interval) }
    add(center.changePlaybackPositionCommand) { .seek(.to($0.positionTime)) }
    add(center.changePlaybackRateCommand) { .rate(.to($0.playbackRate)) }
    center.changePlaybackRateCommand.supportedPlaybackRates = PreviewControls.rateFactors
    add(center.changeVolumeCommand) { .volume(.to($0.volume)) }
    add(center.changeRepeatModeCommand) { .repeats($0.repeatType) }
    add(center.goToTrackCommand) { .content($0.trackID) }
    add(center.quitCommand) { _ in .quit }
  }

  private func add<Event>(
    _ command: RemoteCommand<Event>, _ playerCommand: @escaping @Sendable (Event) -> PlayerCommand
  ) {
    // The session's thread waits, so that a flood of commands is no longer than one.
    command.addTarget { [inbox] event in
      let request = PreviewRemoteRequest(playerCommand(event))
      inbox.put(.remote(request))
      return request.wait()
    }
  }

  // MARK: The loop

  /// The command of a request, with the place of its track; nil: there is no such track.
  func command(of request: PreviewRemoteRequest) -> PlayerCommand? {
    if case .content(let id) = request.command { tracks.command(of: id) } else { request.command }
  }

  /// Answers a request after what it has changed is published.
  func answer(
    _ request: PreviewRemoteRequest, _ status: RemoteCommandHandlerStatus,
    _ controls: PreviewControls
  ) {
    isStopped = request.command == .stop || isStopped
    publish(controls)
    request.answer(status)
  }

  /// Shows what is played, and how. Joins the bus when sound is heard, which must not wait for it.
  ///
  /// - Complexity: O(chapters); O(entries) for another entry
  func publish(_ controls: PreviewControls) {
    let time = controls.player.currentTime
    guard hasBegun else {
      if firstTime == nil { firstTime = time }
      guard time != firstTime || !controls.isPlaying else { return }
      hasBegun = true
      publish(controls)
      return session.becomeActiveIfPossible()
    }
    if item == nil || controls.player.currentItem !== item {
      turn(to: controls.player.currentItem, controls)
    }
    guard item != nil else { return }
    let index = tracks.index(at: time)
    info.chapterTitle = tracks.hasChapters ? index.map { tracks.list[$0].title } : nil
    info.playbackRate = controls.player.speed.factor
    info.artworkURL = covers.url(of: info.externalContentIdentifier)
    let center = session.nowPlayingInfoCenter
    center.update(
      info, state(of: controls, at: time), elapsed: min(time, info.playbackDuration ?? time))
    if center.playbackQueueIndex != index {
      center.setTracks(tracks.list, playbackQueueIndex: index)
    }
    let commands = session.remoteCommandCenter
    commands.changeVolumeCommand.currentVolume = Double(controls.player.volume)
    commands.changeRepeatModeCommand.currentRepeatType = controls.repeatType
    commands.nextTrackCommand.isEnabled = controls.hasNextTrack
  }

  private func state(
    of controls: PreviewControls, at time: Time
  ) -> NowPlayingPlaybackState {
    switch controls.player.timeControlStatus {
    case .playing:
      isStopped = false
      return .playing
    case .waitingToPlayAtSpecifiedRate:
      isStopped = false
      return .interrupted
    case .paused:
      // The player stops by itself behind the last entry that is ready.
      if controls.isPlaying, controls.items.isLoading { return .interrupted }
      isStopped = isStopped && time == .zero
      return isStopped ? .stopped : .paused
    }
  }

  /// Shows another entry, or entries that were made since.
  private func turn(to item: PlayerItem?, _ controls: PreviewControls) {
    let playlist = controls.items.playlist
    guard let item, let index = playlist.index(of: item) else { return }
    self.item = item
    info = controls.items.nowPlayingInfo(ofEntry: index, as: item)
    let cover = controls.items.metadata(of: playlist[index].entry).cover
    covers.find(cover, for: info.externalContentIdentifier)
    entriesHaveChanged(controls)
  }

  /// Shows another version of the entries, in which the present one may have another place.
  func versionHasChanged(_ controls: PreviewControls) {
    item = nil
    publish(controls)
  }

  /// Shows entries that were made since.
  func entriesHaveChanged(_ controls: PreviewControls) {
    guard let item else { return }
    tracks = PreviewTracks(of: item, info, controls.items)
    session.nowPlayingInfoCenter.setTracks(
      tracks.list, playbackQueueIndex: tracks.index(at: controls.player.currentTime))
  }

  /// Leaves the bus, and removes what was written for it. `messages` are those that nobody handles.
  func end(_ messages: [PreviewMessage]) {
    for case .remote(let request) in messages { request.answer(.commandFailed) }
    session.end()
    covers.end()
  }
}
