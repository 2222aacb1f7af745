import ExportEngine
import MediaComposition
import MediaTime
import NowPlaying
import Playback
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// MPNowPlayingInfoCenter's and MPRemoteCommandCenter's samples, in their own shapes, on a bus of their
/// own.
@Suite(.timeLimit(.minutes(5))) struct NowPlayingPorting {
  private static let name = "org.mpris.MediaPlayer2.porting"
  private static let path = "/org/mpris/MediaPlayer2"

  @Test("MPRemoteCommandCenter: a player is steered by commands, and a disabled one is refused")
  func steers() async throws {
    let bus = try SessionBus()
    let player = try await Player(
      contentsOf: FilePath(Fixture.path("feelings.ogg")), opening: NullSink.opener())
    let session = try #require(NowPlayingSession(application: "porting"))
    let (center, commands) = (session.nowPlayingInfoCenter, session.remoteCommandCenter)
    var info = NowPlayingInfo(externalContentIdentifier: "1", title: "Feelings")
    info.playbackDuration = player.currentItem?.duration

    // commandCenter.playCommand.addTarget { event in … }
    commands.playCommand.addTarget { [center] _ in
      player.play()
      center.playbackState = .playing
      return .success
    }
    commands.pauseCommand.addTarget { [center] _ in
      player.pause()
      center.playbackState = .paused
      return .success
    }
    commands.changePlaybackPositionCommand.addTarget { [center] event in
      player.seek(to: event.positionTime)
      center.elapsedPlaybackTime = event.positionTime
      return .success
    }
    commands.nextTrackCommand.addTarget { _ in .success }
    commands.nextTrackCommand.isEnabled = false
    center.update(info, .paused, elapsed: .zero)
    session.becomeActiveIfPossible(onBusAt: bus.address)
    try wait(until: "the session is on its bus") { session.busName != nil }

    let interface = "org.mpris.MediaPlayer2.Player"
    func call(_ method: String, _ arguments: String...) throws -> ToolResult {
      try bus.busctl(["call", "--", Self.name, Self.path, interface, method] + arguments)
    }
    func property(_ name: String) throws -> String {
      try bus.busctl("get-property", Self.name, Self.path, interface, name).text
        .replacing("\n", with: "")
    }
    #expect(try call("Play").status == 0)
    #expect(player.isPlaying)
    #expect(try property("PlaybackStatus") == #"s "Playing""#)
    #expect(try call("Pause").status == 0)
    #expect(player.timeControlStatus == .paused)
    #expect(try call("Seek", "x", "2000000").status == 0)
    try wait(until: "the player is there") { player.currentTime >= Time(value: 1, timescale: 1) }
    #expect(try property("CanGoNext") == "b false")
    commands.nextTrackCommand.isEnabled = true
    try wait(until: "the command can be used") { try property("CanGoNext") == "b true" }
    session.end()
  }

  @Test("MPNowPlayingInfoCenter: title, artist, artwork and duration, and a time that advances")
  func shows() throws {
    let bus = try SessionBus()
    let session = try #require(NowPlayingSession(application: "porting"))
    // info[MPMediaItemPropertyTitle] = "A walk" …
    var info = NowPlayingInfo(externalContentIdentifier: "1", title: "A walk")
    info.artist = "Ann"
    info.albumTitle = "Walks"
    info.artworkURL = "file:///covers/walk.png"
    info.playbackDuration = .seconds(600)
    let center = session.nowPlayingInfoCenter
    center.update(info, .playing, elapsed: .seconds(5))
    session.becomeActiveIfPossible(onBusAt: bus.address)
    try wait(until: "the session is on its bus") { session.busName != nil }
    func property(_ name: String) throws -> String {
      try bus.busctl("get-property", Self.name, Self.path, "org.mpris.MediaPlayer2.Player", name)
        .text.replacing("\n", with: "")
    }
    let shown = try property("Metadata")
    for text in ["A walk", "Ann", "Walks", "file:///covers/walk.png", "600000000"] {
      #expect(shown.contains(text), "\(shown)")
    }
    func position() throws -> Int { Int(try property("Position").dropFirst(2)) ?? 0 }
    let first = try position()
    #expect(first >= 5_000_000)
    // Nothing is refreshed while it plays.
    try wait(until: "the time has advanced") { try position() > first }
    center.playbackState = .paused
    center.elapsedPlaybackTime = .seconds(42)
    try wait(until: "the jump is shown") { try position() == 42_000_000 }
    session.end()
  }
}
