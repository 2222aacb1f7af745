import MediaTime
import NowPlaying
import TestSupport
import Testing

@Suite("Remote commands") struct RemoteCommandTests {
  @Test("each method of a player gives its command")
  func methods() throws {
    let steered = try SteeredSession()
    for method in ["Play", "Pause", "PlayPause", "Stop", "Next", "Previous"] {
      #expect(try steered.call(method) == "")
    }
    #expect(steered.heard == ["play", "pause", "toggle", "stop", "next", "previous"])
    #expect(try steered.call("Quit", of: "org.mpris.MediaPlayer2") == "")
    #expect(steered.heard.last == "quit")
  }

  @Test("playerctl plays, pauses, jumps and changes the volume")
  func playerctl() throws {
    let steered = try SteeredSession()
    #expect(try steered.bus.playerctl("status").text == "Playing\n")
    for words in ["play", "pause", "play-pause", "stop", "next", "previous"] {
      #expect(try steered.bus.playerctl(words).status == 0)
    }
    #expect(try steered.bus.playerctl("position", "12.5").status == 0)
    #expect(try steered.bus.playerctl("volume", "0.25").status == 0)
    #expect(try steered.bus.playerctl("loop", "Playlist").status == 0)
    #expect(
      steered.heard == [
        "play", "pause", "toggle", "stop", "next", "previous", "position 12.5", "volume 0.25",
        "repeat all",
      ])
    #expect(try steered.bus.playerctl("metadata", "title").text == "Episode\n")
  }

  @Test("Seek goes to the start at most, and beyond the end to the next track")
  func seek() throws {
    let steered = try SteeredSession()
    steered.center.update(SteeredSession.info, .paused, elapsed: Time(value: 10, timescale: 1))
    try steered.call("Seek", "x", "5000000")
    try steered.call("Seek", "x", "-5000000")
    try steered.call("Seek", "x", "-10000001")
    try steered.call("Seek", "x", "\(Int64.min)")
    try steered.call("Seek", "x", "0")
    try steered.call("Seek", "x", "50000000")
    try steered.call("Seek", "x", "50000001")
    try steered.call("Seek", "x", "\(Int64.max)")
    #expect(
      steered.heard == [
        "position 15.0", "position 5.0", "position 0.0", "position 0.0", "position 60.0", "next",
        "next",
      ])
  }

  @Test("a program that skips by itself gets the interval")
  func skip() throws {
    let steered = try SteeredSession()
    steered.add(steered.commands.skipForwardCommand, "forward") { "\($0.interval.seconds)" }
    steered.add(steered.commands.skipBackwardCommand, "back") { "\($0.interval.seconds)" }
    try steered.call("Seek", "x", "90000000")
    try steered.call("Seek", "x", "-1500000")
    #expect(steered.heard == ["forward 90.0", "back 1.5"])
  }

  @Test("a program that skips and has no jumps to a place gets the interval, too")
  func skipAlone() throws {
    let steered = try SteeredSession(hasTargets: false)
    steered.add(steered.commands.skipForwardCommand, "forward") { "\($0.interval.seconds)" }
    try steered.call("Seek", "x", "15000000")
    try steered.call("Seek", "x", "-15000000")
    #expect(steered.heard == ["forward 15.0"])
    #expect(try steered.property("CanSeek") == "b false")
    steered.center.nowPlayingInfo = nil
    try steered.call("Seek", "x", "15000000")
    #expect(steered.heard == ["forward 15.0"])
  }

  @Test("SetPosition of another track, or of a time outside of this one, is ignored")
  func position() throws {
    let steered = try SteeredSession()
    #expect(try steered.call("SetPosition", "ox", "/tester/2", "1000000") == "")
    #expect(try steered.call("SetPosition", "ox", "/tester/1", "-1") == "")
    #expect(try steered.call("SetPosition", "ox", "/tester/1", "60000001") == "")
    #expect(steered.heard == [])
    #expect(try steered.call("SetPosition", "ox", "/tester/1", "60000000") == "")
    #expect(steered.heard == ["position 60.0"])
  }

  @Test("rates are limited, 0 pauses, and what is no number is refused")
  func rates() throws {
    let steered = try SteeredSession()
    #expect(try steered.property("MinimumRate") == "d 0.5")
    #expect(try steered.property("MaximumRate") == "d 2")
    for rate in ["1.5", "9", "-3", "0"] { #expect(try steered.set("Rate", "d", rate) == "") }
    #expect(steered.heard == ["rate 1.5", "rate 2.0", "rate 0.5", "pause"])
    for rate in ["nan", "inf", "-inf"] {
      #expect(try steered.set("Rate", "d", rate).contains("Rate is a number"))
    }
    #expect(steered.heard.count == 4)
  }

  @Test("a volume below 0 is 0, and what is no number is refused")
  func volumes() throws {
    let steered = try SteeredSession()
    #expect(try steered.set("Volume", "d", "-1") == "")
    #expect(try steered.set("Volume", "d", "1.5") == "")
    #expect(try steered.set("Volume", "d", "nan").contains("Volume is a number"))
    #expect(steered.heard == ["volume 0.0", "volume 1.5"])
  }

  @Test("LoopStatus takes its three words, and Shuffle only what it is")
  func modes() throws {
    let steered = try SteeredSession()
    for word in ["Track", "Playlist", "None"] {
      #expect(try steered.set("LoopStatus", "s", word) == "")
    }
    #expect(steered.heard == ["repeat one", "repeat all", "repeat off"])
    #expect(try steered.set("LoopStatus", "s", "track").contains("None, Track or Playlist"))
    #expect(try steered.set("Shuffle", "b", "false") == "")
    #expect(try steered.set("Shuffle", "b", "true").contains("cannot set Shuffle"))
    #expect(steered.heard.count == 3)
  }

  @Test("what a program cannot do is refused by name, or has no effect as MPRIS says")
  func refused() throws {
    let steered = try SteeredSession(hasTargets: false)
    let root = "org.mpris.MediaPlayer2"
    #expect(try steered.call("Raise", of: root).contains("has no window"))
    #expect(try steered.call("OpenUri", "s", "file:///a.mp3").contains("opens nothing"))
    let list = SteeredSession.trackList
    #expect(
      try steered.call("AddTrack", of: list, "sob", "file:///a.mp3", "/a", "true")
        .contains("cannot be edited"))
    #expect(try steered.call("RemoveTrack", of: list, "o", "/a").contains("cannot be edited"))
    for method in ["Next", "Previous", "Play", "Pause"] { #expect(try steered.call(method) == "") }
    #expect(try steered.call("PlayPause").contains("cannot"))
    for name in ["CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek"] {
      #expect(try steered.property(name) == "b false")
    }
    #expect(try steered.property("CanControl") == "b true")
    #expect(try steered.property("CanQuit", of: root) == "b false")
    #expect(try steered.property("CanRaise", of: root) == "b false")
    #expect(try steered.set("Rate", "d", "1.5").contains("cannot set Rate"))
  }

  @Test("a disabled command, and a removed target, are as none")
  func disabled() throws {
    let steered = try SteeredSession()
    #expect(try steered.property("CanGoNext") == "b true")
    steered.commands.nextTrackCommand.isEnabled = false
    #expect(try steered.property("CanGoNext") == "b false")
    try steered.call("Next")
    steered.commands.nextTrackCommand.isEnabled = true
    let target = steered.commands.quitCommand.addTarget { _ in .commandFailed }
    #expect(try steered.call("Quit", of: "org.mpris.MediaPlayer2").contains("could not do it"))
    steered.commands.quitCommand.removeTarget(target)
    #expect(try steered.call("Quit", of: "org.mpris.MediaPlayer2") == "")
    #expect(steered.heard == ["quit", "quit"])
  }

  @Test("GoTo goes to a track of the list, and to no other")
  func tracks() throws {
    let steered = try SteeredSession()
    steered.center.setTracks(
      [NowPlayingTrack(id: "a 1", title: "One"), NowPlayingTrack(id: "b", title: "Two")],
      playbackQueueIndex: 0)
    let list = SteeredSession.trackList
    #expect(try steered.call("GoTo", of: list, "o", "/tester/c") == "")
    #expect(try steered.call("GoTo", of: list, "o", "/tester/a_201") == "")
    #expect(steered.heard == ["track a 1"])
  }

  @Test("thousands of calls, also wrong ones, are answered, and the session lives")
  func flood() throws {
    let steered = try SteeredSession()
    let script = """
      import dbus
      bus = dbus.bus.BusConnection("\(steered.bus.address)")
      name, path = "\(SteeredSession.name)", "\(SteeredSession.path)"
      player = "\(SteeredSession.player)"
      for number in range(3000):
          for member in ("Next", "Seek"):
              call = dbus.lowlevel.MethodCallMessage(name, path, player, member)
              call.set_no_reply(True)
              bus.send_message(call)
      bus.flush()
      """
    #expect(try Tool.run(["python3", "-c", script]).errors == "")
    try wait(until: "all calls are performed") { steered.heard.count == 3000 }
    let many = (0..<1001).map { "/tester/\($0)" }
    let result = try steered.bus.busctl(
      ["call", SteeredSession.name, SteeredSession.path, SteeredSession.trackList]
        + ["GetTracksMetadata", "ao", "1001"] + many)
    #expect(result.errors.contains("more than 1000 elements"))
    #expect(try steered.property("PlaybackStatus") == "s \"Playing\"")
  }
}
