import MediaTime
import NowPlaying
import Synchronization
import TestSupport

/// A session on a bus of its own, with a target for each command that writes down what it is given.
final class SteeredSession: Sendable {
  static let name = "org.mpris.MediaPlayer2.tester"
  static let path = "/org/mpris/MediaPlayer2"
  static let player = "org.mpris.MediaPlayer2.Player"
  static let trackList = "org.mpris.MediaPlayer2.TrackList"

  let bus: SessionBus
  let session: NowPlayingSession
  private let log = Mutex<[String]>([])

  var center: NowPlayingInfoCenter { session.nowPlayingInfoCenter }
  var commands: RemoteCommandCenter { session.remoteCommandCenter }
  /// What was asked for, in order.
  var heard: [String] { log.withLock { $0 } }

  /// A session with a track of a minute, which is on its bus.
  ///
  /// - Parameters:
  ///   - hasTargets: Whether it can be steered.
  ///   - bus: Its bus; nil: one of its own.
  /// - Throws: As `SessionBus`.
  init(hasTargets: Bool = true, bus: SessionBus? = nil) throws {
    let bus = try bus ?? SessionBus()
    guard let session = NowPlayingSession(application: "tester", identity: "The tester") else {
      throw ToolFailure(description: "'tester' is no name")
    }
    (self.bus, self.session) = (bus, session)
    center.update(Self.info, .playing, elapsed: .zero)
    if hasTargets { addTargets() }
    session.becomeActiveIfPossible(onBusAt: bus.address)
    try wait(until: "the session is on its bus") { session.busName != nil }
  }

  /// A track of a minute.
  static var info: NowPlayingInfo {
    var info = NowPlayingInfo(externalContentIdentifier: "1", title: "Episode")
    info.playbackDuration = Time(value: 60, timescale: 1)
    return info
  }

  private func addTargets() {
    add(commands.playCommand, "play") { _ in "" }
    add(commands.pauseCommand, "pause") { _ in "" }
    add(commands.togglePlayPauseCommand, "toggle") { _ in "" }
    add(commands.stopCommand, "stop") { _ in "" }
    add(commands.nextTrackCommand, "next") { _ in "" }
    add(commands.previousTrackCommand, "previous") { _ in "" }
    add(commands.changePlaybackPositionCommand, "position") { "\($0.positionTime.seconds)" }
    add(commands.changePlaybackRateCommand, "rate") { "\($0.playbackRate)" }
    commands.changePlaybackRateCommand.supportedPlaybackRates = 0.5...2
    add(commands.changeRepeatModeCommand, "repeat") { "\($0.repeatType)" }
    add(commands.changeVolumeCommand, "volume") { "\($0.volume)" }
    add(commands.goToTrackCommand, "track") { $0.trackID }
    add(commands.quitCommand, "quit") { _ in "" }
  }

  func add<Event>(
    _ command: RemoteCommand<Event>, _ name: String, _ text: @escaping @Sendable (Event) -> String
  ) {
    command.addTarget { [weak self] event in
      let text = text(event)
      self?.log.withLock { $0.append(text.isEmpty ? name : "\(name) \(text)") }
      return .success
    }
  }

  /// A property as busctl prints it.
  func property(_ name: String, of interface: String = player) throws -> String {
    let result = try bus.busctl("get-property", Self.name, Self.path, interface, name)
    return result.text.replacing("\n", with: "") + result.errors
  }

  /// Sets a property; gives what busctl complains about.
  @discardableResult
  func set(_ name: String, _ type: String, _ value: String) throws -> String {
    try bus.busctl("set-property", Self.name, Self.path, Self.player, name, type, "--", value)
      .errors
  }

  /// Calls a method; gives what busctl prints.
  @discardableResult
  func call(
    _ method: String, of interface: String = player, _ arguments: String...
  ) throws -> String {
    let result = try bus.busctl(
      ["call", "--", Self.name, Self.path, interface, method] + arguments)
    return result.text.replacing("\n", with: "") + result.errors
  }
}
