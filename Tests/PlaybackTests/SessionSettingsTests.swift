import Diagnosis
import PulseAudio
import Testing

@testable import ALSA
@testable import Playback

@Suite struct SessionSettingsTests {
  @Test("the category and the mode give a stream its role")
  func roles() {
    let roles: [(AudioSession.Category, AudioSession.Mode, String)] = [
      (.ambient, .default, "game"), (.playback, .default, "music"),
      (.playback, .spokenAudio, "music"), (.playback, .moviePlayback, "video"),
      (.playback, .measurement, "production"), (.record, .default, "production"),
      (.playAndRecord, .default, "production"), (.playAndRecord, .voiceChat, "phone"),
    ]
    for (category, mode, role) in roles {
      #expect(SessionSettings(category, mode).role == role, "\(category), \(mode)")
    }
  }

  @Test("a stream bears its title, and measuring keeps echo cancellers away")
  func properties() {
    #expect(
      SessionSettings(.playback).properties(title: "A talk") == [
        "media.role": "music", "media.icon_name": "audio-x-generic", "media.name": "A talk",
      ])
    #expect(
      SessionSettings(.record, .measurement).properties(title: nil) == [
        "media.role": "production", "media.icon_name": "audio-input-microphone",
        "filter.suppress": "echo-cancel",
      ])
  }

  @Test(
    "settings that exclude one another are refused by name",
    arguments: [
      (SessionSettings(.record, .moviePlayback), "the mode 'moviePlayback' is for"),
      (SessionSettings(.playback, .voiceChat), "the mode 'voiceChat' is for"),
      (SessionSettings(.soloAmbient, .default, .mixWithOthers), "the category 'soloAmbient'"),
      (SessionSettings(.record, .default, .duckOthers), "the category 'record' plays nothing"),
    ])
  func contradictions(settings: SessionSettings, message: String) {
    #expect { try settings.check() } throws: { error in
      (error as? Failure)?.remedy == .mendJob && "\(error)".contains(message)
    }
  }

  @Test("ducking and silencing take the first role for which the server's module does it")
  func modules() throws {
    let cork = PulseModule(
      name: "module-role-cork", arguments: "trigger_roles=\"alert,phone\" cork_roles=music")
    let duck = PulseModule(name: "module-role-ducking", arguments: "")
    let solo = SessionSettings(.soloAmbient)
    let ducking = SessionSettings(.playback, .default, .duckOthers)
    #expect(try solo.resolved(by: [duck, cork]).role == "alert")
    #expect(try ducking.resolved(by: [cork, duck]).role == "phone")
    #expect(try SessionSettings(.playback).resolved(by: [cork]).role == "music")
    #expect { try ducking.resolved(by: [cork]) } throws: { error in
      "\(error)".contains("pactl load-module module-role-ducking")
    }
    #expect { try solo.resolved(by: []) } throws: { error in
      "\(error)".contains("module-role-cork, which this sound server does not have")
    }
  }

  @Test("names of devices lead to sinks of the server, as alsa-lib's plugin has them")
  func names() {
    #expect(AudioSession.sinkName("pulse:") == "")
    #expect(AudioSession.sinkName("pulse:studio") == "studio")
    #expect(AudioSession.sinkName("pulse:DEVICE=studio") == "studio")
    #expect(AudioSession.sinkName("pulse") == nil)
    #expect(AudioSession.sinkName("hw:1,0") == nil)
  }

  @Test("alsa-lib's plugins of servers are known by their type, unless they have other settings")
  func plugins() {
    #expect(
      PCMServer.server(["type": "pulse", "hint": ""]) == PCMServer(address: nil, device: nil))
    #expect(
      PCMServer.server(["type": "pulse", "server": "unix:/a", "device": "b"])
        == PCMServer(address: "unix:/a", device: "b"))
    #expect(
      PCMServer.server(["type": "pipewire", "playback_node": "-1", "server": "pipewire-0"])
        == PCMServer(address: nil, device: nil))
    #expect(PCMServer.server(["type": "pipewire", "playback_node": "47"]) == nil)
    #expect(PCMServer.server(["type": "pulse", "filter": "x"]) == nil)
    #expect(PCMServer.server(["type": "hw", "card": "0"]) == nil)
  }

  @Test("streams of alsa-lib's plugins get the properties by the environment")
  func environment() throws {
    let session = AudioSession(server: nil)
    session.setApplication(name: "A \"B\"", identifier: "c")
    try session.setCategory(.record)
    #expect(
      session.environment == [
        "PULSE_PROP": #"application.id="c" application.name="A B" "#
          + #"media.icon_name="audio-input-microphone" media.role="production""#,
        "PIPEWIRE_ALSA": #"{ media.role = "Production" application.name = "A B" }"#,
      ])
  }

  @Test("what a session and a list of devices wait for keeps no cancelled task")
  func cancelled() async throws {
    let calls: [@Sendable () async throws -> Void] = [
      { try await AudioSession(server: "unix:/nonexistent/native").setActive(true) },
      { _ = try await AudioSession(server: "unix:/nonexistent/native").playbackDevices() },
      { _ = try await SoundDevice.all(.capture) },
    ]
    for call in calls {
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        try await call()
      }
      task.cancel()
      let failure = await #expect(throws: Failure.self) { try await task.value }
      #expect(failure?.code == .cancelled)
    }
    let failure = await #expect(throws: Failure.self) { try await calls[0]() }
    #expect(failure?.remedy == .mendMachine)
  }

  @Test("without a server, a session is refused with the remedy")
  func noServer() throws {
    let session = AudioSession(server: "unix:/nonexistent/native")
    #expect { try session.setActive(true) } throws: { error in
      (error as? Failure)?.remedy == .mendMachine
        && "\(error)".contains("start PulseAudio or PipeWire")
    }
    #expect(session.currentRoute == .init())
    #expect(session.sampleRate == 0)
    #expect(session.outputLatency == 0)
    #expect(session.category == .playback)
  }
}

@Suite struct SessionRouteTests {
  private let headphones = PulseDevice.Port(summary: "Headphones", type: 3)
  private let speaker = PulseDevice.Port(summary: "Speaker", type: 2)

  private func card(_ port: PulseDevice.Port, _ plugged: [PulseDevice.Port]) -> PulseDevice {
    PulseDevice(
      name: "card", summary: "Built-in Audio", bus: "pci", port: port, pluggedPorts: plugged)
  }

  private func route(
    _ sinks: [PulseDevice], default name: String? = "card", used: Set<String> = []
  ) -> SessionRoute {
    SessionRoute(
      PulseDevices(sinks: sinks, sources: [], defaultSink: name, defaultSource: nil),
      SessionSettings(.playback), used: used)
  }

  @Test("headphones that are pulled out are an old device that is unavailable")
  func pulledOut() {
    let before = route([card(headphones, [headphones, speaker])])
    let after = route([card(speaker, [speaker])])
    #expect(before.reason(for: after) == .oldDeviceUnavailable)
    #expect(after.reason(for: before) == .newDeviceAvailable)
    #expect(before.reason(for: before) == nil)
    #expect(before.description.outputs.map(\.portType) == [.headphones])
    #expect(before.description.outputs.map(\.portName) == ["Headphones"])
    #expect(after.description.outputs.map(\.portType) == [.builtInSpeaker])
  }

  @Test("a socket or a device that a user selects is an override")
  func selected() {
    let plugged = [headphones, speaker]
    let before = route([card(headphones, plugged)])
    #expect(before.reason(for: route([card(speaker, plugged)])) == .override)
    let usb = PulseDevice(name: "usb", summary: "USB Audio", bus: "usb")
    let both = route([card(speaker, plugged), usb])
    let moved = route([card(speaker, plugged), usb], used: ["usb"])
    #expect(both.reason(for: moved) == .override)
    #expect(moved.description.outputs.map(\.portType) == [.usbAudio])
    #expect(moved.reason(for: route([card(speaker, plugged)])) == .oldDeviceUnavailable)
  }

  @Test("what a device holds is heard as time passes, and no more than was written")
  func timing() {
    let timing = PulseTiming(queuedFrames: 4800, deviceFrames: 960, age: 10_000_000)
    #expect(timing.delay(of: 48_000, sampleRate: 48_000) == 5280)
    #expect(timing.delay(of: 1000, sampleRate: 48_000) == 1000)
    let old = PulseTiming(queuedFrames: 480, deviceFrames: 0, age: .max)
    #expect(old.delay(of: 480, sampleRate: 48_000) == 0)
    let early = PulseTiming(queuedFrames: 480, deviceFrames: 0, age: -1_000_000)
    #expect(early.delay(of: 4800, sampleRate: 48_000) == 480)
  }

  @Test("a server's report may have any numbers")
  func reports() {
    func delay(_ written: Int64, _ read: Int64, _ latency: UInt64 = 0, _ size: Int = 8) -> Int {
      PulseTiming(
        writeIndex: written, readIndex: read, frameSize: size, sinkMicroseconds: latency,
        sampleRate: 48_000, age: 0
      ).delay(of: 10_000_000, sampleRate: 48_000)
    }
    #expect(delay(8000, 4000, 20_000) == 500 + 960)
    #expect(delay(.max, .min) == 0)
    #expect(delay(.min, .max, .max) == 60 * 48_000)
    #expect(delay(.max, 0, .max, 1) == 10_000_000)
    #expect(delay(.min, 0, .max, 1) == 0)
  }
}
