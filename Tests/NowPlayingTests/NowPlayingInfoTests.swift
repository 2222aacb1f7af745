import MediaTime
import NowPlaying
import TestSupport
import Testing

@Suite("Now playing") struct NowPlayingInfoTests {
  private static let root = "org.mpris.MediaPlayer2"

  @Test("each interface is introspected as MPRIS 2.2 has it")
  func introspection() throws {
    let steered = try SteeredSession()
    let lines = try steered.bus.busctl(
      "introspect", SteeredSession.name, SteeredSession.path, "--no-legend"
    ).text.split(separator: "\n")
    /// The words of a member: its name, its kind, its signature, its value or result, and flags.
    func words(of name: String) -> [Substring] {
      lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ") ?? []
    }
    for (name, kind, signature) in [
      (".Next", "method", "-"), (".Seek", "method", "x"), (".SetPosition", "method", "ox"),
      (".OpenUri", "method", "s"), (".GoTo", "method", "o"), (".AddTrack", "method", "sob"),
      (".RemoveTrack", "method", "o"), (".GetTracksMetadata", "method", "ao"),
      (".Seeked", "signal", "x"), (".TrackListReplaced", "signal", "aoo"),
      (".TrackAdded", "signal", "a{sv}o"), (".TrackRemoved", "signal", "o"),
      (".TrackMetadataChanged", "signal", "oa{sv}"), (".Position", "property", "x"),
      (".CanControl", "property", "b"), (".Metadata", "property", "a{sv}"),
    ] {
      #expect(words(of: name).dropFirst().prefix(2) == [Substring(kind), Substring(signature)])
    }
    for name in [".LoopStatus", ".Rate", ".Shuffle", ".Volume"] {
      #expect(words(of: name).suffix(2) == ["emits-change", "writable"])
    }
    for name in [".PlaybackStatus", ".CanSeek", ".MinimumRate", ".Identity", ".CanEditTracks"] {
      #expect(words(of: name).last == "emits-change")
    }
    #expect(words(of: ".Tracks").last == "emits-invalidation")
    for name in [".Position", ".CanControl"] { #expect(words(of: name).last == "-") }
  }

  @Test("tags become what MPRIS names them, and odd ones break nothing")
  func metadata() throws {
    let steered = try SteeredSession()
    let odd = try #require(Unicode.Scalar(UInt32(0xFFFE)))
    var info = NowPlayingInfo(externalContentIdentifier: "3-ä", title: "A\0B\(odd) “c” \n")
    info.artist = "Ann"
    info.albumTitle = "Album"
    info.albumArtist = "All"
    info.genre = "Talk"
    info.composer = "Cy"
    info.comments = String(repeating: "x", count: 100_000)
    info.releaseDate = "2026-01-02"
    info.albumTrackNumber = 3
    info.discNumber = .max
    info.assetURL = "file:///a.mp3"
    info.artworkURL = "file:///a.jpg"
    info.playbackDuration = Time(value: 3, timescale: 2)
    info.chapterTitle = "One"
    steered.center.nowPlayingInfo = info
    let text = try steered.property("Metadata")
    for part in [
      #""mpris:trackid" o "/tester/3_2d_c3_a4""#, #""mpris:length" x 1500000"#,
      #""xesam:title" s "A\357\277\275B\357\277\275"#, #""xesam:artist" as 1 "Ann""#,
      #""xesam:album" s "Album""#, #""xesam:albumArtist" as 1 "All""#,
      #""xesam:genre" as 1 "Talk""#, #""xesam:composer" as 1 "Cy""#,
      #""xesam:contentCreated" s "2026-01-02""#, #""xesam:trackNumber" i 3"#,
      #""xesam:discNumber" i 2147483647"#, #""xesam:url" s "file:///a.mp3""#,
      #""mpris:artUrl" s "file:///a.jpg""#, #""tester:chapter" s "One""#,
    ] {
      #expect(
        text.contains(part) || text.contains(part.replacing(#"\357\277\275"#, with: "\u{FFFD}")))
    }
    #expect(text.contains(String(repeating: "x", count: 4096)))
    #expect(!text.contains(String(repeating: "x", count: 4097)))
  }

  @Test("without a track nothing plays, and nothing can be asked for")
  func nothing() throws {
    let steered = try SteeredSession()
    steered.center.nowPlayingInfo = nil
    #expect(
      try steered.property("Metadata")
        == #"a{sv} 1 "mpris:trackid" o "/org/mpris/MediaPlayer2/TrackList/NoTrack""#)
    #expect(try steered.property("PlaybackStatus") == "s \"Stopped\"")
    #expect(try steered.property("Position") == "x 0")
    #expect(try steered.property("CanPlay") == "b false")
    #expect(try steered.property("CanSeek") == "b false")
  }

  @Test("the name for people, and what cannot be opened, are told")
  func root() throws {
    let steered = try SteeredSession()
    #expect(try steered.property("Identity", of: Self.root) == "s \"The tester\"")
    #expect(try steered.property("HasTrackList", of: Self.root) == "b true")
    #expect(try steered.property("SupportedUriSchemes", of: Self.root) == "as 0")
    #expect(try steered.property("SupportedMimeTypes", of: Self.root) == "as 0")
    // No such entry is installed.
    #expect(try steered.property("DesktopEntry", of: Self.root).contains("Unknown"))
  }

  @Test("a second session has a name with the number of its process")
  func instances() throws {
    let first = try SteeredSession()
    #expect(first.session.busName == SteeredSession.name)
    let second = try SteeredSession(bus: first.bus)
    let name = try #require(second.session.busName)
    #expect(name.wholeMatch(of: /org\.mpris\.MediaPlayer2\.tester\.instance\d+/) != nil)
    let third = try SteeredSession(bus: first.bus)
    #expect(third.session.busName == name + "_2")
    let names = try first.bus.playerctl("--list-all").text.split(separator: "\n")
    #expect(names.count == 3)
    first.session.end()
    try wait(until: "the name is free") {
      try first.bus.playerctl("--list-all").text.split(separator: "\n").count == 2
    }
  }

  @Test("a name that no bus takes is refused")
  func names() {
    for name in ["", "1a", "a b", "a.b", "ä", "a-b", String(repeating: "a", count: 128)] {
      #expect(NowPlayingSession(application: name) == nil)
    }
    #expect(NowPlayingSession(application: "a_1") != nil)
  }

  @Test("without a bus nothing happens")
  func noBus() throws {
    let session = try #require(NowPlayingSession(application: "tester"))
    session.becomeActiveIfPossible(onBusAt: "unix:path=/nowhere/at/all")
    session.nowPlayingInfoCenter.playbackState = .playing
    session.end()
    #expect(session.busName == nil)
  }

  @Test("a session comes back after its bus was started again")
  func restart() throws {
    let steered = try SteeredSession()
    steered.bus.stop()
    try wait(until: "the bus is missed") { steered.session.busName == nil }
    try steered.bus.start()
    try wait(until: "the session is back") { steered.session.busName != nil }
    #expect(try steered.property("PlaybackStatus") == "s \"Playing\"")
    try steered.call("Next")
    #expect(steered.heard == ["next"])
  }

  @Test("a session that is released leaves the bus")
  func release() throws {
    let bus = try SessionBus()
    try #require(try SteeredSession(bus: bus).session.busName != nil)
    try wait(until: "the name is gone") {
      try !bus.busctl("list").text.contains(SteeredSession.name)
    }
  }
}
