import Diagnosis
import ExportEngine
import MediaTime
import Playback
import SystemPackage
import TestSupport
import Testing

/// AVAudioSession's programs, line by line, at a sound server.
@Suite(.enabled(if: SoundServer.isInstalled), .serialized, .timeLimit(.minutes(5)))
struct AudioSessionPorting {
  private let folder = TestFolder()

  private func player(in session: AudioSession) throws -> Player {
    let item = try PlayerItem(
      contentsOf: FilePath(Fixture.path("feelings.ogg")), library: MediaLibrary())
    let player = try Player(item, opening: session.opener(device: "pulse:one"))
    player.numberOfLoops = -1
    session.attach(player)
    player.play()
    try wait(until: "it is heard") { player.currentTime > .zero }
    return player
  }

  @Test("headphones that are pulled out are the previous route's port, and recorders are told")
  func headphones() throws {
    let server = try SoundServer(
      "module-null-sink sink_name=two norewinds=1",
      "module-null-sink sink_name=head norewinds=1 sink_properties=device.form_factor=headphone")
    try server.pactl("set-default-sink", "head")
    let session = AudioSession(server: server.address)
    let reader = SequenceReader(session.events)
    try session.setActive(true)
    try wait(until: "the session has the headphones") {
      session.currentRoute.outputs.first?.portType == .headphones
    }
    let recorder = try Recorder(
      to: FilePath(folder.path("take.wav")), opening: PortingMicrophone.opener)
    session.attach(recorder)
    let told = SequenceReader(recorder.events)
    try recorder.record()
    let modules = try server.pactl("list", "short", "modules").split(separator: "\n")
    let module = try #require(
      modules.first { $0.contains("sink_name=head") }?.prefix { $0 != "\t" })
    try server.pactl("unload-module", String(module))
    // if reason == .oldDeviceUnavailable, previousRoute.outputs.first?.portType == .headphones
    _ = try reader.elements(until: "headphones were pulled out") { event in
      guard case .routeChange(.oldDeviceUnavailable, let previousRoute) = event else {
        return false
      }
      return previousRoute.outputs.first?.portType == .headphones
    }
    _ = try told.elements(until: "the recorder is told") { event in
      guard case .routeChanged(.oldDeviceUnavailable, let previousRoute) = event else {
        return false
      }
      return previousRoute.outputs.first?.portType == .headphones
    }
    #expect(recorder.state == .recording)
  }

  @Test(
    "a recorder is told of an interruption and its end, and continues; a player is told, and waits")
  func interruptions() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1", "module-role-cork")
    let session = AudioSession(server: server.address)
    // The role of music, which the server's module pauses.
    try session.setCategory(.playback)
    try session.setActive(true)
    let player = try player(in: session)
    try wait(until: "the server shows that it plays") {
      try server.pactl("list", "sink-inputs").contains("Corked: no")
    }
    let recorder = try Recorder(
      to: FilePath(folder.path("take.wav")), opening: PortingMicrophone.opener)
    session.attach(recorder)
    let reader = SequenceReader(recorder.events)
    try recorder.record()
    try server.playSilence("call", "-d", "one", "--property=media.role=phone")
    // audioRecorderBeginInterruption(_:)
    _ = try reader.elements(until: "the recorder is interrupted") {
      if case .interrupted(.default, _) = $0 { true } else { false }
    }
    #expect(recorder.state == .paused)
    try wait(until: "the server shows the pause") {
      try server.pactl("list", "sink-inputs").contains("Corked: yes")
    }
    server.end("call")
    // audioRecorderEndInterruption(_:withOptions: .shouldResume)
    _ = try reader.elements(until: "the recorder continues") {
      if case .resumed = $0 { true } else { false }
    }
    #expect(recorder.state == .recording)
    #expect(player.timeControlStatus == .paused)
    #expect { try session.setActive(false) } throws: { error in
      "\(error)".contains("has a recorder that records; pause it")
    }
    recorder.stop()
    #expect(recorder.waitUntilFinished().end == .stopped)
    try session.setActive(false)
  }

  @Test("with mixWithOthers, what others play is heard on")
  func mixWithOthers() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1", "module-role-cork")
    try server.playSilence("music", "-d", "one", "--property=media.role=music")
    try wait(until: "the other program plays") {
      try server.pactl("list", "sink-inputs").contains("Corked: no")
    }
    let session = AudioSession(server: server.address)
    try session.setCategory(.playback, options: [.mixWithOthers])
    #expect(session.categoryOptions == [.mixWithOthers])
    let player = try player(in: session)
    let inputs = try server.pactl("list", "sink-inputs")
    #expect(inputs.components(of: "Corked: no") == 2, "\(inputs)")
    #expect(!inputs.contains("Corked: yes"))
    player.pause()
  }

  @Test("a session that records has an input")
  func record() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1")
    let session = AudioSession(server: server.address)
    try session.setCategory(.record)
    #expect(session.currentRoute.outputs.isEmpty)
    #expect(session.currentRoute.inputs.map(\.uid) == ["one.monitor"])
    #expect(session.sampleRate > 0)
  }

  @Test("each category is set, and set again; a refused one changes nothing")
  func categories() throws {
    let server = try SoundServer(
      "module-null-sink sink_name=one norewinds=1", "module-role-cork", "module-role-ducking")
    let session = AudioSession(server: server.address)
    for _ in 0..<2 {
      for category in AudioSession.Category.allCases {
        try session.setCategory(category)
        #expect(session.category == category && session.categoryOptions == [])
      }
    }
    // [.mixWithOthers, .duckOthers] of AVAudioSession.CategoryOptions
    try session.setCategory(.playback, mode: .spokenAudio, options: [.mixWithOthers, .duckOthers])
    #expect(session.categoryOptions == [.mixWithOthers, .duckOthers])
    let refused = #expect(throws: Failure.self) {
      try session.setCategory(.soloAmbient, options: [.mixWithOthers])
    }
    #expect(refused?.remedy == .mendJob)
    #expect(session.category == .playback && session.mode == .spokenAudio)
    #expect(session.categoryOptions == [.mixWithOthers, .duckOthers])
  }

  @Test("with duckOthers, what others play is lowered while the player plays")
  func ducks() throws {
    // Another program's tone, of the role of music.
    let server = try SoundServer(
      "module-null-sink sink_name=one norewinds=1", "module-null-sink sink_name=tone norewinds=1",
      "module-sine sink=tone",
      "module-loopback source=tone.monitor sink=one sink_input_properties=media.role=music",
      "module-role-ducking volume=-20dB")
    try server.record("heard", "-d", "one.monitor")
    // The level of the last tenth of a second.
    func level() throws -> Float {
      let steps = try readFile(server.folder.path("heard")).suffix(17_640)
        .withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
      return steps.map { abs(Float($0)) / 32_768 }.max() ?? 0
    }
    try wait(until: "the tone is heard") { try level() > 0.4 }
    let session = AudioSession(server: server.address)
    try session.setCategory(.playback, options: [.duckOthers])
    let player = try player(in: session)
    player.volume = 0
    try wait(until: "the tone is lowered") { try level() < 0.1 }
    player.removeAllItems()
    try wait(until: "the tone is as loud as before") { try level() > 0.4 }
  }

  @Test("two devices play two players, and a player goes over to another device")
  func twoDevices() throws {
    let server = try SoundServer(
      "module-null-sink sink_name=one norewinds=1", "module-null-sink sink_name=two norewinds=1")
    let session = AudioSession(server: server.address)
    let players = try [player(in: session), player(in: session)]
    func sinks() throws -> [Substring] {
      try server.pactl("list", "short", "sink-inputs").split(separator: "\n")
        .map { $0.split(separator: "\t")[1] }
    }
    try wait(until: "both play") { try sinks().count == 2 }
    #expect(Set(try sinks()).count == 1)
    #expect(try session.playbackDevices().map(\.name).contains("pulse:two"))
    // try session.overrideOutputAudioPort(.speaker)
    players[1].setOutput(opening: session.opener(device: "pulse:two"))
    try wait(until: "one plays elsewhere") { try Set(sinks()).count == 2 }
    #expect(players[0].isPlaying && players[1].isPlaying)
  }
}

extension String {
  /// How often a text is in it.
  fileprivate func components(of text: String) -> Int {
    indices.count { self[$0...].hasPrefix(text) }
  }
}
