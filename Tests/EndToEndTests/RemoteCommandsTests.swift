import Glibc
import TestSupport
import Testing

@Suite("avjob preview, steered by other programs") struct RemoteCommandsTests {
  @Test("playerctl and the keys act on one state, and the screen shows it")
  func oneState() throws {
    let preview = try SteeredPreview("job.yaml")
    #expect(try preview.playerctl("status") == "Playing")
    #expect(try preview.playerctl("pause") == "")
    #expect(try preview.playerctl("status") == "Paused")
    try preview.terminal.wait(for: "paused  job")
    #expect(try preview.playerctl("position", "30") == "")
    #expect(try preview.playerctl("position") == "30.000000")
    try preview.terminal.wait(for: "0:30.0")
    #expect(try preview.playerctl("position", "10-") == "")
    #expect(try preview.playerctl("position") == "20.000000")
    #expect(try preview.playerctl("position", "100-") == "")
    #expect(try preview.playerctl("position") == "0.000000")
    preview.terminal.type("-")
    try wait(until: "the key is seen elsewhere") {
      try preview.playerctl("volume").hasPrefix("0.891")
    }
    #expect(try preview.playerctl("volume", "0.5") == "")
    try preview.terminal.wait(for: "-6 dB")
    #expect(try preview.playerctl("volume", "0.01-") == "")
    try preview.terminal.wait(for: "-7 dB")
    preview.terminal.type(" ")
    try wait(until: "the key is seen elsewhere") { try preview.playerctl("status") == "Playing" }
    #expect(try preview.playerctl("stop") == "")
    #expect(try preview.playerctl("status") == "Stopped")
    #expect(try preview.playerctl("position") == "0.000000")
    #expect(try preview.playerctl("play-pause") == "")
    #expect(try preview.playerctl("status") == "Playing")
    #expect(try preview.call("", "Quit") == "")
    #expect(preview.terminal.wait() == 0)
  }

  @Test("rates, loops and a volume of 0 are those of the keys")
  func settings() throws {
    let preview = try SteeredPreview("job.yaml")
    #expect(try preview.set("Rate", "d", "1.5") == "")
    try preview.terminal.wait(for: "1.5×")
    #expect(try preview.property(".Player", "Rate") == "d 1.5")
    #expect(try preview.playerctl("loop") == "None")
    #expect(try preview.playerctl("loop", "Track") == "")
    #expect(try preview.playerctl("loop") == "Track")
    try preview.terminal.wait(for: "loop 0:00.0 … 4:00.0")
    preview.terminal.type("\\")
    try wait(until: "the key is seen elsewhere") { try preview.playerctl("loop") == "None" }
    #expect(try preview.playerctl("loop", "Playlist") == "")
    #expect(try preview.playerctl("loop") == "Playlist")
    #expect(try preview.playerctl("volume", "0") == "")
    #expect(try preview.playerctl("volume") == "0.000000")
    try preview.terminal.wait(for: "-60 dB")
    #expect(try preview.set("Rate", "d", "0") == "")
    #expect(try preview.playerctl("status") == "Paused")
    preview.terminal.type("q")
    #expect(preview.terminal.wait() == 0)
  }

  @Test("chapters are tracks: next, previous and GoTo go to them")
  func chapters() throws {
    let preview = try SteeredPreview("job.yaml")
    #expect(try preview.playerctl("pause") == "")
    #expect(try preview.playerctl("position", "0") == "")
    #expect(try preview.playerctl("metadata", "title") == "job")
    #expect(try preview.playerctl("metadata", "avjob:chapter") == "Opening")
    #expect(try preview.playerctl("metadata", "mpris:length") == "240000000")
    #expect(
      try preview.property(".TrackList", "Tracks")
        == #"ao 2 "/avjob/entry1chapter1" "/avjob/entry1chapter2""#)
    let metadata = try preview.call(
      ".TrackList", "GetTracksMetadata", "ao", "1", "/avjob/entry1chapter2")
    for part in [
      #""xesam:title" s "Middle""#, #""mpris:length" x 120000000"#, #""xesam:album" s "job""#,
      #""xesam:trackNumber" i 2"#,
    ] {
      #expect(metadata.contains(part))
    }
    #expect(try preview.playerctl("next") == "")
    #expect(try preview.playerctl("position") == "120.000000")
    #expect(try preview.playerctl("metadata", "avjob:chapter") == "Middle")
    #expect(try preview.playerctl("status") == "Paused")
    // After the last one there is nothing.
    #expect(try preview.property(".Player", "CanGoNext") == "b false")
    #expect(try preview.call(".Player", "Next") == "")
    #expect(try preview.playerctl("position") == "120.000000")
    #expect(try preview.playerctl("previous") == "")
    #expect(try preview.playerctl("position") == "0.000000")
    #expect(try preview.call(".TrackList", "GoTo", "o", "/avjob/entry1chapter2") == "")
    #expect(try preview.playerctl("position") == "120.000000")
    #expect(
      try preview.call(".Player", "SetPosition", "ox", "/avjob/entry2", "1000000") == "")
    #expect(try preview.playerctl("position") == "120.000000")
    #expect(try preview.call(".Player", "SetPosition", "ox", "/avjob/entry1", "1000000") == "")
    #expect(try preview.playerctl("position") == "1.000000")
    preview.terminal.type("q")
    #expect(preview.terminal.wait() == 0)
  }

  @Test("tags and the cover of a medium are shown, and without chapters entries are tracks")
  func media() throws {
    let preview = try SteeredPreview("tagged.mp3", "one.wav") { sound in
      try sound.stage.make(
        """
        ffmpeg -v error -f lavfi -i color=red:s=64x64 -frames:v 1 cover.png
        ffmpeg -v error -i two.wav -i cover.png -map 0 -map 1 -c:v copy \
          -disposition:v attached_pic -metadata title='A "B" ä' -metadata artist=Ann \
          -metadata album=Album -metadata track=3/9 -metadata genre=Talk -metadata date=2024 \
          tagged.mp3
        """)
    }
    #expect(try preview.playerctl("pause") == "")
    for (key, value) in [
      ("xesam:title", "A \"B\" ä"), ("xesam:artist", "Ann"), ("xesam:album", "Album"),
      ("xesam:trackNumber", "3"), ("xesam:genre", "Talk"), ("xesam:contentCreated", "2024"),
      ("xesam:url", "file://\(preview.sound.stage.path("tagged.mp3"))"),
    ] {
      #expect(try preview.playerctl("metadata", key) == value)
    }
    var cover = ""
    try wait(until: "the cover is shown") {
      cover = try preview.playerctl("metadata", "mpris:artUrl")
      return cover.hasPrefix("file://")
    }
    let file = cover.replacing("file://", with: "")
    #expect(file.hasPrefix(preview.sound.folder.root + "/avjob-cover-"))
    #expect(try readFile(file) == readFile(preview.sound.stage.path("cover.png")))
    #expect(
      try preview.property(".TrackList", "Tracks") == #"ao 2 "/avjob/entry1" "/avjob/entry2""#)
    // Beyond the end of the entry is the next one.
    #expect(try preview.playerctl("position", "100+") == "")
    try wait(until: "the next entry is there") {
      try preview.playerctl("metadata", "title") == "one.wav"
    }
    #expect(try preview.playerctl("position") == "0.000000")
    #expect(try preview.playerctl("status") == "Paused")
    #expect(try preview.call(".TrackList", "GoTo", "o", "/avjob/entry1") == "")
    #expect(try preview.playerctl("metadata", "xesam:artist") == "Ann")
    preview.terminal.type("q")
    #expect(preview.terminal.wait() == 0)
    #expect(throws: ToolFailure.self) { try readFile(file) }
  }

  @Test(
    "an entry that has another place in another version of the jobs has the track of that place")
  func reordered() throws {
    func jobs(_ names: String...) -> String {
      "jobs:\n" + names.map { "  \($0): { clip: one.wav, output: \($0).wav }\n" }.joined()
    }
    let preview = try SteeredPreview("jobs.yaml") {
      try $0.stage.write("jobs.yaml", jobs("a", "b"))
    }
    #expect(try preview.playerctl("metadata", "mpris:trackid").contains("/entry1"))
    try preview.sound.stage.write("jobs.yaml", jobs("c", "a", "b"))
    try wait(until: "the track is another one") {
      try preview.playerctl("metadata", "mpris:trackid").contains("/entry2")
    }
    #expect(try preview.playerctl("metadata", "title") == "a")
    preview.terminal.type("q")
    #expect(preview.terminal.wait() == 0)
  }

  @Test("a command of another program goes on without a medium that cannot be read")
  func lost() throws {
    let preview = try SteeredPreview("one.m4a", "one.wav") {
      try $0.stage.make("ffmpeg -v error -i one.wav -t 60 -b:a 256k one.m4a")
    }
    try preview.sound.stage.make("truncate -s 9000 one.m4a")
    try preview.terminal.wait(for: "'one.m4a' has changed: waiting until it can be read")
    #expect(try preview.playerctl("play") == "")
    try preview.terminal.wait(for: "playing  one.wav")
    preview.terminal.type("q")
    #expect(preview.terminal.wait() == 75)
  }

  @Test("a second preview has a name of its own, and what is not possible is refused by name")
  func instance() throws {
    let first = try SteeredPreview("job.yaml")
    let second = try SteeredPreview("one.wav", bus: first.bus)
    let names = try first.bus.playerctl("--list-all").text.split(separator: "\n")
    #expect(names.contains { $0.wholeMatch(of: /avjob\.instance\d+/) != nil })
    #expect(names.contains("avjob"))
    #expect(try first.call(".Player", "OpenUri", "s", "file:///a.mp3").contains("opens nothing"))
    #expect(try first.call("", "Raise").contains("no window"))
    #expect(try first.property("", "CanRaise") == "b false")
    #expect(try first.property("", "Identity") == #"s "avjob""#)
    for preview in [first, second] {
      preview.terminal.type("q")
      #expect(preview.terminal.wait() == 0)
    }
  }

  @Test("the end of the bus, and none at the start, are not seen")
  func noBus() throws {
    let preview = try SteeredPreview("job.yaml", "--loop")
    preview.bus.stop()
    preview.terminal.type(" ")
    try preview.terminal.wait(for: "paused  job")
    preview.terminal.type("q")
    #expect(preview.terminal.wait() == 0)
    #expect(!preview.terminal.transcript.contains("org."))
    let sound = try SoundStage()
    try sound.make(seconds: 1)
    for address in ["", "unix:path=/nowhere/at/all", "nonsense", "autolaunch:"] {
      let result = try sound.stage.run(
        "avjob preview one.wav",
        environment: sound.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 })
      #expect(result.status == 0)
      #expect(result.errors == "")
      #expect(result.text.hasPrefix("one.wav (0:01.0)\n"))
    }
  }

  @Test("--no-remote keeps off the bus")
  func off() throws {
    let bus = try SessionBus()
    let monitor = try bus.monitor("sender='org.freedesktop.DBus'")
    let sound = try SoundStage()
    try sound.make(seconds: 1)
    let result = try sound.stage.run(
      "avjob preview one.wav --no-remote",
      environment: sound.environment.merging(["DBUS_SESSION_BUS_ADDRESS": bus.address]) { $1 })
    #expect(result.status == 0)
    #expect(!monitor.text.contains("MediaPlayer2.avjob"))
    // The monitor would have seen it.
    let preview = try SteeredPreview("one.wav", "--loop", bus: bus)
    try wait(until: "the monitor sees a preview") { monitor.text.contains("MediaPlayer2.avjob") }
    preview.terminal.type("q")
    #expect(preview.terminal.wait() == 0)
  }
}

/// A preview at a terminal, on a bus of its own.
private struct SteeredPreview {
  let sound: SoundStage
  let bus: SessionBus
  let terminal: PseudoTerminal

  /// Starts one, and waits until it is on the bus. The recording `one.wav` lasts four minutes, longer
  /// than any machine takes for a test.
  init(
    _ arguments: String..., bus: SessionBus? = nil, make: (SoundStage) throws -> Void = { _ in }
  ) throws {
    sound = try SoundStage("speed 1")
    self.bus = try bus ?? SessionBus()
    try sound.make(seconds: 240)
    try make(sound)
    terminal = try PseudoTerminal()
    let before = try self.bus.playerctl("--list-all").text
    try terminal.start(
      ["env", "-C", sound.stage.folder.root, Command.path, "preview"] + arguments,
      environment: sound.environment.merging([
        "DBUS_SESSION_BUS_ADDRESS": self.bus.address, "XDG_RUNTIME_DIR": sound.folder.root,
      ]) { $1 })
    try wait(until: "the preview is on the bus") {
      try self.bus.playerctl("--list-all").text.count > before.count
    }
  }

  /// What playerctl prints.
  func playerctl(_ words: String...) throws -> String {
    let result = try Tool.run(
      ["playerctl"] + words, environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
    return result.text.replacing("\n", with: "") + result.errors
  }

  /// Calls a method of an interface, such as `.Player`.
  func call(_ interface: String, _ method: String, _ arguments: String...) throws -> String {
    try busctl("call", interface, [method] + arguments)
  }

  /// Reads a property.
  func property(_ interface: String, _ name: String) throws -> String {
    try busctl("get-property", interface, [name])
  }

  /// Sets a property of the player.
  func set(_ name: String, _ type: String, _ value: String) throws -> String {
    try busctl("set-property", ".Player", [name, type, value])
  }

  private func busctl(_ command: String, _ interface: String, _ words: [String]) throws -> String {
    let result = try bus.busctl(
      [
        command, "--", "org.mpris.MediaPlayer2.avjob", "/org/mpris/MediaPlayer2",
        "org.mpris.MediaPlayer2" + interface,
      ] + words)
    return result.text.replacing("\n", with: "") + result.errors
  }
}
