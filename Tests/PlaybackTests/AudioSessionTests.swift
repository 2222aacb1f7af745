import Diagnosis
import MediaTime
import TestSupport
import Testing

@testable import Playback

@Suite(.enabled(if: SoundServer.isInstalled), .serialized) struct AudioSessionTests {
  /// A player in a session at a server, which plays without end.
  private struct Scene {
    let server: SoundServer
    let session: AudioSession
    let player: Player
    let reader: SequenceReader<AudioSession.Event>

    init(_ device: String = "pulse:one", _ modules: String = "module-role-cork") throws {
      server = try SoundServer(
        "module-null-sink sink_name=one norewinds=1", modules,
        "module-null-sink sink_name=two norewinds=1")
      session = AudioSession(server: server.address)
      session.setApplication(name: "Listening", identifier: "org.example.Listening")
      reader = SequenceReader(session.events)
      try session.setActive(true)
      player = try Player(
        try PlayerItem.ofFixture("feelings.ogg"), opening: session.opener(device: device))
      player.numberOfLoops = -1
      session.attach(player)
      try play()
    }

    /// Returns when the server shows that it plays, and the session knows the devices.
    func play() throws {
      let start = player.currentTime
      player.play()
      try wait(until: "it is heard") { player.currentTime > start }
      try wait(until: "the server shows that it plays") {
        try server.pactl("list", "sink-inputs").contains("Corked: no")
      }
      let session = session
      try wait(until: "the session has a route") {
        session.core.state.withLock { $0.route?.description.outputs.isEmpty == false }
      }
    }

    func input() throws -> String {
      let line = try server.pactl("list", "short", "sink-inputs")
      return String(line.prefix { $0 != "\t" })
    }
  }

  @Test("a stream with priority interrupts players, and its end says that they should resume")
  func corks() throws {
    let scene = try Scene()
    try scene.server.playSilence("call", "-d", "one", "--property=media.role=phone")
    var events = try scene.reader.elements(until: "the interruption has begun") { $0.isBeginning }
    #expect(events == [.interruption(.began(.default))])
    try scene.player.waitUntilPaused()
    try wait(until: "the server shows the pause") {
      try scene.server.pactl("list", "sink-inputs").contains("Corked: yes")
    }
    scene.server.end("call")
    events = try scene.reader.elements(until: "the interruption is over") { $0.isEnd }
    #expect(events.last == .interruption(.ended(shouldResume: true)))
    #expect(scene.player.timeControlStatus == .paused)
    try scene.play()
  }

  @Test("a suspended device interrupts players until it takes sound again")
  func suspends() throws {
    let scene = try Scene()
    try scene.server.pactl("suspend-sink", "one", "1")
    var events = try scene.reader.elements(until: "the interruption has begun") { $0.isBeginning }
    #expect(events == [.interruption(.began(.deviceSuspended))])
    try scene.player.waitUntilPaused()
    try scene.server.pactl("suspend-sink", "one", "0")
    events = try scene.reader.elements(until: "the interruption is over") { $0.isEnd }
    #expect(events.last == .interruption(.ended(shouldResume: true)))
    try scene.play()
  }

  @Test("a device that is suspended before a stream comes interrupts it, until it is closed")
  func suspendedBefore() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1")
    try server.pactl("suspend-sink", "one", "1")
    let (session, reader) = Self.session(at: server)
    var sink: PulseSink? = try Self.playingSink(of: session)
    var events = try reader.elements(until: "the interruption has begun") { $0.isBeginning }
    #expect(events == [.interruption(.began(.deviceSuspended))])
    #expect(sink?.fill.isPlaying == false)
    sink = nil
    events = try reader.elements(until: "the interruption is over") { $0.isEnd }
    #expect(events.last == .interruption(.ended(shouldResume: false)))
    #expect(session.core.state.withLock { $0.streams.isEmpty && $0.devices.isEmpty })
  }

  @Test("a stream that is moved to a suspended device is interrupted until it is moved back")
  func movedToSuspended() throws {
    let scene = try Scene()
    try scene.server.pactl("suspend-sink", "two", "1")
    try scene.server.pactl("move-sink-input", try scene.input(), "two")
    _ = try scene.reader.elements(until: "the interruption has begun") {
      $0 == .interruption(.began(.deviceSuspended))
    }
    try scene.player.waitUntilPaused()
    try scene.server.pactl("move-sink-input", try scene.input(), "one")
    let events = try scene.reader.elements(until: "the interruption is over") { $0.isEnd }
    #expect(events.last == .interruption(.ended(shouldResume: true)))
  }

  @Test("a device that the server suspended for want of sound interrupts nothing")
  func idle() throws {
    let scene = try Scene("pulse:one", "module-suspend-on-idle timeout=0")
    try wait(until: "the server has suspended the idle device") {
      try scene.server.pactl("list", "short", "sinks").split(separator: "\n")
        .contains { $0.contains("\ttwo\t") && $0.hasSuffix("SUSPENDED") }
    }
    try scene.server.pactl("move-sink-input", try scene.input(), "two")
    let events = try scene.reader.elements(until: "the route has changed") { $0.isRouteChange }
    #expect(!events.contains { $0.isBeginning })
    #expect(scene.player.timeControlStatus == .playing)
  }

  @Test("a player that is resumed during an interruption, and interrupted again, is reported")
  func interruptedTwice() throws {
    let scene = try Scene()
    let core = scene.session.core
    let number = try #require(core.state.withLock { $0.streams.keys.first })
    core.post(.stream(number, .corkRequested))
    try scene.player.waitUntilPaused()
    scene.player.play()
    core.post(.stream(number, .corkRequested))
    core.post(.stream(number, .uncorkRequested))
    let events = try scene.reader.elements(until: "the interruption is over") { $0.isEnd }
    #expect(
      events == [
        .interruption(.began(.default)), .interruption(.began(.default)),
        .interruption(.ended(shouldResume: true)),
      ])
    #expect(scene.player.timeControlStatus == .paused)
  }

  @Test("a session that gets another server has the devices of that one, and has lost none")
  func otherServer() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1", "module-role-cork")
    let (session, _) = Self.session(at: nil)
    session.core.use(server.address)
    #expect(session.currentRoute.outputs.map(\.uid) == ["one"])
    try session.setCategory(.soloAmbient)
    let second = try SoundServer("module-null-sink sink_name=two norewinds=1")
    try session.setActive(true)
    try wait(until: "the session has a route") {
      session.core.state.withLock { $0.route != nil }
    }
    let reader = SequenceReader(session.events)
    session.core.use(second.address)
    try wait(until: "the session has a route again") {
      session.core.state.withLock { $0.route?.description.outputs.map(\.uid) == ["two"] }
    }
    #expect(reader.elements == [])
    try session.setActive(false)
  }

  @Test("what a session without a thread is to handle is forgotten, and changes are not repeated")
  func signals() {
    let core = Self.session(at: nil).0.core
    func post() -> Int {
      for _ in 0..<10 {
        for signal: SessionCore.Signal in [.titleChanged, .devicesChanged] { core.post(signal) }
      }
      return core.state.withLock { $0.signals.count }
    }
    #expect(post() == 0)
    core.state.withLock { state in (state.isActive, state.isRunning) = (true, true) }
    #expect(post() == 2)
  }

  @Test("the sinks of a server are among the devices, behind those of ALSA")
  func devices() throws {
    let server = try SoundServer(
      "module-null-sink sink_name=one sink_properties=device.description=Loudspeaker")
    let plain = try SoundDevice.all(.playback)
    let found = try Self.session(at: server).0.playbackDevices()
    #expect(found == plain + [SoundDevice(name: "pulse:one", summary: "Loudspeaker")])
    #expect(try Self.session(at: nil).0.playbackDevices() == plain)
  }

  /// A session without players; nil: at no server.
  private static func session(
    at server: SoundServer?
  ) -> (AudioSession, SequenceReader<AudioSession.Event>) {
    let session = AudioSession(server: server?.address ?? "unix:/nonexistent/native")
    return (session, SequenceReader(session.events))
  }

  /// A sink that has begun to play.
  private static func playingSink(of session: AudioSession) throws -> PulseSink {
    let request = SinkRequest(sampleRate: 48_000, channelCount: 2)
    let sink = try session.core.open(request, sink: "one")
    #expect(sink.write([Float](repeating: 0, count: 9600), count: 4800) == .wrote(4800))
    return sink
  }

  @Test("a stream that a user moves has another route, and plays on")
  func moves() throws {
    let scene = try Scene()
    #expect(scene.session.currentRoute.outputs.map(\.uid) == ["one"])
    try scene.server.pactl("move-sink-input", try scene.input(), "two")
    let events = try scene.reader.elements(until: "the route has changed") { $0.isRouteChange }
    guard case .routeChange(.override, let previous) = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(previous.outputs.map(\.uid) == ["one"])
    #expect(scene.session.currentRoute.outputs.map(\.uid) == ["two"])
    #expect(scene.session.sampleRate == 44_100)
    #expect(scene.player.timeControlStatus == .playing)
  }

  @Test("players pause when their device is gone, as when headphones are pulled out")
  func removes() throws {
    let scene = try Scene("pulse:two")
    let module = try #require(
      try scene.server.pactl("list", "short", "modules").split(separator: "\n")
        .first { $0.contains("sink_name=two") }?.prefix { $0 != "\t" })
    try scene.server.pactl("unload-module", String(module))
    let events = try scene.reader.elements(until: "the route has changed") { $0.isRouteChange }
    guard case .routeChange(.oldDeviceUnavailable, let previous) = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(previous.outputs.map(\.uid) == ["two"])
    try scene.player.waitUntilPaused()
    try scene.play()
    #expect(scene.session.currentRoute.outputs.map(\.uid) == ["one"])
  }

  @Test("a server that ends is lost and reset, and the player goes on by itself")
  func serverEnds() throws {
    let scene = try Scene()
    try scene.server.kill()
    var events = try scene.reader.elements(until: "the server is lost") {
      $0 == .mediaServicesWereLost
    }
    #expect(events == [.mediaServicesWereLost])
    #expect(scene.session.currentRoute == .init())
    let place = scene.player.currentTime
    try scene.server.start()
    events = try scene.reader.elements(until: "the server is back") {
      $0 == .mediaServicesWereReset
    }
    #expect(events.suffix(1) == [.mediaServicesWereReset])
    try wait(until: "the player goes on") {
      scene.player.timeControlStatus == .playing && scene.player.currentTime != place
    }
  }

  @Test("the server shows a stream's properties, also those that change while it plays")
  func properties() throws {
    let scene = try Scene("pulse:one", "module-role-ducking trigger_roles=announce")
    let lines = [
      #"application.name = "Listening""#, #"application.id = "org.example.Listening""#,
      #"media.role = "music""#, #"media.name = "feelings.ogg""#,
    ]
    try wait(until: "the server shows them") {
      let text = try scene.server.pactl("list", "sink-inputs")
      return lines.allSatisfy(text.contains)
    }
    try scene.session.setCategory(.playback, mode: .moviePlayback)
    try wait(until: "the server shows a film") {
      try scene.server.pactl("list", "sink-inputs").contains(#"media.role = "video""#)
    }
    try scene.session.setCategory(.playback, mode: .measurement)
    try wait(until: "the server shows that no echo is cancelled") {
      try scene.server.pactl("list", "sink-inputs").contains(#"filter.suppress = "echo-cancel""#)
    }
    try scene.session.setCategory(.playback, options: .duckOthers)
    try wait(until: "the server shows that echo may be cancelled") {
      try scene.server.pactl("list", "sink-inputs").contains(#"filter.suppress = """#)
    }
    try wait(until: "the server shows the role that ducks") {
      try scene.server.pactl("list", "sink-inputs").contains(#"media.role = "announce""#)
    }
    #expect { try scene.session.setCategory(.soloAmbient) } throws: { error in
      "\(error)".contains("module-role-cork, which this sound server does not have")
    }
    #expect(scene.session.categoryOptions == .duckOthers)
    #expect { try scene.session.setActive(false) } throws: { error in
      "\(error)".contains("has a player that plays; pause it")
    }
    #expect(scene.session.outputLatency < 10)
    scene.player.pause()
    try scene.session.setActive(false)
  }
}

extension AudioSession.Event {
  fileprivate var isBeginning: Bool {
    if case .interruption(.began) = self { true } else { false }
  }
  fileprivate var isEnd: Bool { if case .interruption(.ended) = self { true } else { false } }
  fileprivate var isRouteChange: Bool { if case .routeChange = self { true } else { false } }
}
