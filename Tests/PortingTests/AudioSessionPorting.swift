import Diagnosis
import ExportEngine
import MediaTime
import Playback
import SystemPackage
import TestSupport
import Testing

/// AVAudioSession's programs, line by line, at a sound server.
@Suite(.enabled(if: SoundServer.isInstalled), .serialized) struct AudioSessionPorting {
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
}

extension String {
  /// How often a text is in it.
  fileprivate func components(of text: String) -> Int {
    indices.count { self[$0...].hasPrefix(text) }
  }
}
