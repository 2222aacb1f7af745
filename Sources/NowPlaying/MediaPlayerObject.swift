import DBus
import MediaTime

/// The object of MPRIS: reads the state of a session, and gives its commands.
//
// Used on the session's thread alone.
final class MediaPlayerObject: DBusObject {
  private typealias Names = MediaPlayerInterfaces
  private let core: NowPlayingCore
  private let commands: RemoteCommandCenter
  private let identity: String
  let metadata: MediaPlayerMetadata

  /// The most tracks that others see. MPRIS recommends a short list around the current one.
  static let mostTracks = 500

  init(
    _ core: NowPlayingCore, _ commands: RemoteCommandCenter, application: String, identity: String
  ) {
    (self.core, self.commands, self.identity) = (core, commands, identity)
    metadata = MediaPlayerMetadata(application: application)
  }

  /// The tracks that others see, and the current one of them.
  var visibleTracks: (tracks: ArraySlice<NowPlayingTrack>, current: NowPlayingTrack?) {
    core.read { state in
      let tracks = state.tracks
      // Whole blocks, so that the list is not another one for each track.
      let start = (state.trackIndex ?? 0) / Self.mostTracks * Self.mostTracks
      return (
        tracks[start..<min(tracks.count, start + Self.mostTracks)],
        state.trackIndex.map { tracks[$0] }
      )
    }
  }

  // MARK: Properties

  func property(_ name: String, of interface: String) throws(DBusError) -> DBusValue {
    let value =
      switch interface {
      case Names.root: rootProperty(name)
      case Names.player: playerProperty(name)
      case Names.trackList: trackListProperty(name)
      default: DBusValue?.none
      }
    guard let value else { throw .notSupported("there is no property \(interface).\(name)") }
    return value
  }

  private func rootProperty(_ name: String) -> DBusValue? {
    switch name {
    case "CanQuit": .boolean(commands.quitCommand.isSupported)
    case "CanRaise": .boolean(false)
    case "HasTrackList": .boolean(true)
    case "Identity": .string(identity)
    case "DesktopEntry": .string(metadata.application)
    // `OpenUri` is refused.
    case "SupportedUriSchemes", "SupportedMimeTypes": .strings([])
    default: nil
    }
  }

  private func playerProperty(_ name: String) -> DBusValue? {
    switch name {
    case "PlaybackStatus": .string(core.read { $0.status })
    case "LoopStatus": .string(core.read { $0.repeatType.loopStatus })
    case "Rate": .double(core.read { $0.info?.playbackRate ?? 1 })
    case "Shuffle": .boolean(core.read { $0.shuffleType != .off })
    case "Metadata": metadata.dictionary(of: core.read { $0.info })
    case "Volume": .double(core.read { $0.volume })
    case "Position": .int64(position)
    case "MinimumRate": .double(rates.lowerBound)
    case "MaximumRate": .double(rates.upperBound)
    case "CanGoNext": .boolean(hasTrack && commands.nextTrackCommand.isSupported)
    case "CanGoPrevious": .boolean(hasTrack && commands.previousTrackCommand.isSupported)
    case "CanPlay": .boolean(hasTrack && commands.playCommand.isSupported)
    case "CanPause": .boolean(hasTrack && commands.pauseCommand.isSupported)
    case "CanSeek": .boolean(canSeek)
    case "CanControl": .boolean(true)
    default: nil
    }
  }

  private func trackListProperty(_ name: String) -> DBusValue? {
    switch name {
    case "Tracks": .objectPaths(visibleTracks.tracks.map { metadata.path(ofTrack: $0.id) })
    case "CanEditTracks": .boolean(false)
    default: nil
    }
  }

  private var hasTrack: Bool { core.read { $0.info != nil } }
  private var rates: ClosedRange<Double> {
    commands.changePlaybackRateCommand.isSupported ? core.read { $0.supportedRates } : 1...1
  }
  /// Whether jumps to a place are possible; a program may skip without them.
  private var canSeek: Bool {
    core.read { $0.duration != nil } && commands.changePlaybackPositionCommand.isSupported
  }

  /// In microseconds.
  var position: Int64 { core.read { $0.info == nil ? 0 : $0.position(at: .now) } }

  func setProperty(
    _ name: String, of interface: String, to value: DBusValue
  ) throws(DBusError) {
    switch (name, value) {
    case ("LoopStatus", .string(let text)):
      guard let type = RepeatType(loopStatus: text) else {
        throw .invalidArguments("LoopStatus is None, Track or Playlist")
      }
      try require(commands.changeRepeatModeCommand.perform(.init(repeatType: type)), name)
    case ("Rate", .double(let rate)):
      guard rate.isFinite else { throw .invalidArguments("Rate is a number") }
      // "the media player should act as though Pause was called"
      guard rate != 0 else { return try report(commands.pauseCommand.perform(.init())) }
      let rate = max(rates.lowerBound, min(rates.upperBound, rate))
      try require(commands.changePlaybackRateCommand.perform(.init(playbackRate: rate)), name)
    case ("Volume", .double(let volume)):
      guard volume.isFinite else { throw .invalidArguments("Volume is a number") }
      try require(commands.changeVolumeCommand.perform(.init(volume: max(0, volume))), name)
    case ("Shuffle", .boolean(let isShuffled)):
      guard isShuffled != core.read({ $0.shuffleType != .off }) else { return }
      try require(
        commands.changeShuffleModeCommand.perform(.init(shuffleType: isShuffled ? .items : .off)),
        name)
    default: throw .notSupported("\(name) cannot be set")
    }
  }

  /// Throws unless a property was set.
  private func require(
    _ status: RemoteCommandHandlerStatus?, _ name: String
  ) throws(DBusError) {
    guard status != nil else { throw .notSupported("\(identity) cannot set \(name)") }
    try report(status)
  }

  /// Throws where a command has failed. One that cannot be used has no effect, as MPRIS has it.
  private func report(_ status: RemoteCommandHandlerStatus?) throws(DBusError) {
    switch status {
    case nil, .success, .noActionableNowPlayingItem: return
    case .noSuchContent: throw .failed("there is no such track or place")
    case .deviceNotFound: throw .failed("there is no sound device")
    case .commandFailed: throw .failed("\(identity) could not do it")
    }
  }

  // MARK: Methods

  func call(
    _ method: String, of interface: String, _ arguments: [DBusValue]
  ) throws(DBusError) -> [DBusValue] {
    switch (interface, method) {
    case (Names.root, "Raise"): throw .notSupported("\(identity) has no window to raise")
    case (Names.root, "Quit"): try report(commands.quitCommand.perform(.init()))
    case (Names.player, _): try control(method, arguments)
    case (Names.trackList, "GetTracksMetadata"): return [tracksMetadata(arguments.first)]
    case (Names.trackList, "GoTo"): try goTo(arguments.first)
    case (Names.trackList, "AddTrack"), (Names.trackList, "RemoveTrack"):
      throw .notSupported("the tracks of \(identity) cannot be edited")
    default: throw .notSupported("there is no method \(interface).\(method)")
    }
    return []
  }

  private func control(_ method: String, _ arguments: [DBusValue]) throws(DBusError) {
    let event = RemoteCommandEvent()
    switch (method, arguments.first, arguments.dropFirst().first) {
    case ("Next", _, _): try report(commands.nextTrackCommand.perform(event))
    case ("Previous", _, _): try report(commands.previousTrackCommand.perform(event))
    case ("Play", _, _): try report(commands.playCommand.perform(event))
    case ("Pause", _, _): try report(commands.pauseCommand.perform(event))
    case ("PlayPause", _, _): try toggle()
    case ("Stop", _, _): try require(commands.stopCommand.perform(event), "Stop")
    case ("Seek", .int64(let offset)?, _): try seek(by: offset)
    case ("SetPosition", .objectPath(let track)?, .int64(let place)?):
      try seek(to: place, of: track)
    case ("OpenUri", _, _):
      throw .notSupported("\(identity) opens nothing: it plays what it was started with")
    default: throw .notSupported("there is no method \(method)")
    }
  }

  private func toggle() throws(DBusError) {
    let event = RemoteCommandEvent()
    let isPaused = core.read { $0.playbackState != .playing && $0.playbackState != .interrupted }
    let status =
      commands.togglePlayPauseCommand.perform(event)
      ?? (isPaused ? commands.playCommand : commands.pauseCommand).perform(event)
    try require(status, "PlayPause")
  }

  private func seek(by offset: Int64) throws(DBusError) {
    guard offset != 0 else { return }
    // A text of 64 bits may hold −2^63.
    let interval = Time(microseconds: Int64(clamping: offset.magnitude))
    let command = offset > 0 ? commands.skipForwardCommand : commands.skipBackwardCommand
    if hasTrack, let status = command.perform(.init(interval: interval)) {
      return try jumped(status)
    }
    guard canSeek, let duration = core.read({ $0.duration }) else { return }
    let sum = position.addingReportingOverflow(offset)
    let place = sum.overflow ? (offset > 0 ? .max : 0) : sum.partialValue
    guard place <= duration else {
      return try report(commands.nextTrackCommand.perform(.init()))
    }
    let time = Time(microseconds: max(0, place))
    try jumped(commands.changePlaybackPositionCommand.perform(.init(positionTime: time)))
  }

  private func seek(to place: Int64, of track: String) throws(DBusError) {
    let (info, duration) = core.read { ($0.info, $0.duration) }
    // Another track, or none: the call is stale, and ignored.
    guard let info, canSeek, metadata.path(ofTrack: info.externalContentIdentifier) == track,
      let duration, place >= 0, place <= duration
    else { return }
    let time = Time(microseconds: place)
    try jumped(commands.changePlaybackPositionCommand.perform(.init(positionTime: time)))
  }

  private func jumped(_ status: RemoteCommandHandlerStatus?) throws(DBusError) {
    try report(status)
    if status == .success { core.noteJump() }
  }

  private func goTo(_ track: DBusValue?) throws(DBusError) {
    guard case .objectPath(let path)? = track,
      let track = visibleTracks.tracks.first(where: { metadata.path(ofTrack: $0.id) == path })
    else { return }
    try report(commands.goToTrackCommand.perform(.init(trackID: track.id)))
  }

  /// Those of the wanted tracks that are there, each once.
  private func tracksMetadata(_ wanted: DBusValue?) -> DBusValue {
    guard case .array(_, let wanted)? = wanted else { return .array(of: "a{sv}", []) }
    let tracks = visibleTracks.tracks.map { ($0, path: metadata.path(ofTrack: $0.id)) }
    var rest = Dictionary(tracks.map { ($0.path, $0.0) }) { first, _ in first }
    let found = wanted.compactMap { value -> NowPlayingTrack? in
      guard case .objectPath(let path) = value else { return nil }
      return rest.removeValue(forKey: path)
    }
    return .array(of: "a{sv}", found.map { metadata.dictionary(of: $0) })
  }
}

extension NowPlayingState {
  /// `PlaybackStatus`
  fileprivate var status: String {
    switch facts.playbackState {
    case .playing, .interrupted: facts.info == nil ? "Stopped" : "Playing"
    case .paused: facts.info == nil ? "Stopped" : "Paused"
    case .stopped, .unknown: "Stopped"
    }
  }
}

extension RepeatType {
  fileprivate var loopStatus: String {
    switch self {
    case .off: "None"
    case .one: "Track"
    case .all: "Playlist"
    }
  }

  fileprivate init?(loopStatus: String) {
    switch loopStatus {
    case "None": self = .off
    case "Track": self = .one
    case "Playlist": self = .all
    default: return nil
    }
  }
}
