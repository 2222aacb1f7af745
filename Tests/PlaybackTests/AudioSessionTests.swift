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
    try scene.session.setCategory(.playback, options: .duckOthers)
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
