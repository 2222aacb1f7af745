import MediaTime
import NowPlaying
import TestSupport
import Testing

@Suite("Signals of what is playing") struct SignalTests {
  private static func watched() throws -> (SteeredSession, BusMonitor) {
    let steered = try SteeredSession()
    return (steered, try steered.bus.monitor("type='signal',path='\(SteeredSession.path)'"))
  }

  private static func seconds(_ seconds: Int) -> Time {
    Time(value: Int64(seconds), timescale: 1)
  }

  @Test("changes are signalled with their values, and nothing else is")
  func properties() throws {
    let (steered, monitor) = try Self.watched()
    steered.center.playbackState = .paused
    try wait(until: "the pause is signalled") { monitor.text.contains("Paused") }
    steered.commands.changeVolumeCommand.currentVolume = 0.5
    try wait(until: "the volume is signalled") { monitor.text.contains("double 0.5") }
    steered.commands.changeRepeatModeCommand.currentRepeatType = .all
    try wait(until: "the loop is signalled") { monitor.text.contains("Playlist") }
    steered.commands.nextTrackCommand.isEnabled = false
    try wait(until: "the last track is signalled") { monitor.text.contains("CanGoNext") }
    for name in ["\"Metadata\"", "\"Rate\"", "\"Position\"", "CanSeek", "Seeked", "Track"] {
      #expect(!monitor.text.contains(name))
    }
    #expect(monitor.text.split(separator: "PropertiesChanged").count == 5)
  }

  @Test("a position that is as expected is not signalled, and a jump is")
  func jumps() throws {
    let (steered, monitor) = try Self.watched()
    for _ in 0..<100 { steered.center.elapsedPlaybackTime = steered.center.elapsedPlaybackTime }
    steered.commands.changeVolumeCommand.currentVolume = 0.5
    try wait(until: "the volume is signalled") { monitor.text.contains("double 0.5") }
    #expect(!monitor.text.contains("Seeked"))
    // A pause signals a place that is off by a millisecond, as a busy machine makes it.
    steered.center.playbackState = .paused
    try wait(until: "the pause is signalled") { monitor.text.contains("Paused") }
    steered.center.elapsedPlaybackTime = Self.seconds(42)
    try wait(until: "the jump is signalled") { monitor.text.contains("int64 42000000") }
    #expect(monitor.text.contains("member=Seeked"))
    #expect(!monitor.text.contains("Position"))
    #expect(try steered.property("Position") == "x 42000000")
  }

  @Test("a jump of a listener is signalled, however short")
  func shortJump() throws {
    let (steered, monitor) = try Self.watched()
    try steered.call("Seek", "x", "1")
    try wait(until: "the jump is signalled") { monitor.text.contains("member=Seeked") }
    #expect(!monitor.text.contains("PropertiesChanged"))
  }

  @Test("another track begins at 0 without a jump, and elsewhere with one")
  func otherTrack() throws {
    let (steered, monitor) = try Self.watched()
    var info = SteeredSession.info
    info.externalContentIdentifier = "2"
    info.title = "Second"
    steered.center.update(info, .paused, elapsed: .zero)
    try wait(until: "the track is signalled") { monitor.text.contains("Second") }
    #expect(!monitor.text.contains("Seeked"))
    info.externalContentIdentifier = "3"
    steered.center.update(info, .paused, elapsed: Self.seconds(7))
    try wait(until: "the jump is signalled") { monitor.text.contains("int64 7000000") }
    #expect(monitor.text.contains("/tester/3"))
  }

  @Test("a position advances while it plays, up to the end, and stands still in between")
  func advance() throws {
    let steered = try SteeredSession()
    steered.center.update(SteeredSession.info, .playing, elapsed: Self.seconds(10))
    try wait(until: "time passes") {
      steered.center.elapsedPlaybackTime > Self.seconds(10)
    }
    steered.center.update(SteeredSession.info, .interrupted, elapsed: Self.seconds(10))
    #expect(steered.center.elapsedPlaybackTime == Self.seconds(10))
    #expect(try steered.property("PlaybackStatus") == "s \"Playing\"")
    steered.center.update(SteeredSession.info, .playing, elapsed: Self.seconds(1000))
    #expect(steered.center.elapsedPlaybackTime == Self.seconds(60))
    #expect(try steered.property("Position") == "x 60000000")
    steered.center.elapsedPlaybackTime = .indefinite
    steered.center.playbackState = .stopped
    #expect(try steered.property("PlaybackStatus") == "s \"Stopped\"")
    #expect(try steered.property("Position") != "x 60000000")
  }

  @Test("the list of tracks, what is added to it, and what changes in it are signalled")
  func tracks() throws {
    let (steered, monitor) = try Self.watched()
    var tracks = [
      NowPlayingTrack(id: "1", title: "One"), NowPlayingTrack(id: "2", title: "Two"),
    ]
    steered.center.setTracks(tracks, playbackQueueIndex: 1)
    try wait(until: "the list is signalled") { monitor.text.contains("TrackListReplaced") }
    try wait(until: "its change is signalled") { monitor.text.contains("string \"Tracks\"") }
    #expect(monitor.text.contains("object path \"/tester/2\""))
    tracks[0].playbackDuration = Self.seconds(5)
    steered.center.setTracks(tracks, playbackQueueIndex: 1)
    try wait(until: "the change is signalled") { monitor.text.contains("int64 5000000") }
    #expect(monitor.text.contains("TrackMetadataChanged"))
    #expect(!monitor.text.contains("TrackAdded"))
    tracks.append(NowPlayingTrack(id: "3", title: "Three"))
    steered.center.setTracks(tracks, playbackQueueIndex: 1)
    try wait(until: "the new track is signalled") { monitor.text.contains("TrackAdded") }
    let list = SteeredSession.trackList
    #expect(
      try steered.property("Tracks", of: list) == #"ao 3 "/tester/1" "/tester/2" "/tester/3""#)
    #expect(try steered.property("CanEditTracks", of: list) == "b false")
    let metadata = try steered.call(
      "GetTracksMetadata", of: list, "ao", "4", "/tester/3", "/tester/9", "/tester/1", "/tester/3")
    #expect(metadata.hasPrefix(#"aa{sv} 2 2 "mpris:trackid" o "/tester/3""#))
    #expect(metadata.contains(#""xesam:title" s "One""#))
  }

  @Test("of very many tracks some around the current one are seen")
  func manyTracks() throws {
    let steered = try SteeredSession()
    let tracks = (0..<1200).map { NowPlayingTrack(id: "\($0)", title: "\($0)") }
    for (index, first, count) in [(499, 0, 500), (500, 500, 500), (1199, 1000, 200)] {
      steered.center.setTracks(tracks, playbackQueueIndex: index)
      let text = try steered.property("Tracks", of: SteeredSession.trackList)
      #expect(text.hasPrefix("ao \(count) \"/tester/\(first)\""))
    }
  }
}
