import Diagnosis
import MediaComposition
import MediaTime
import PulseAudio
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite(.enabled(if: SoundServer.isInstalled), .serialized) struct PulseSinkTests {
  /// Opens sinks that survive a machine that stands still for a while.
  private static func opener(_ server: SoundServer, _ sink: String) -> SinkOpener {
    let address = server.address
    return { request throws(Failure) in
      do throws(PulseError) {
        return try PulseSink(
          try PulseConnection(server: address), request, device: sink, properties: [:],
          buffer: .seconds(2)
        ) { _ in }
      } catch {
        throw Failure(error, of: sink)
      }
    }
  }

  @Test(
    "what a sink of the same form plays is the export, bit by bit",
    arguments: [("float32le", SampleEncoding.float32), ("s16le", .int16)])
  func identity(format: String, encoding: SampleEncoding) throws {
    let item = try QueuePlayerTests.items()[1]
    let form = "rate=\(item.sampleRate) channels=2 format=\(format)"
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1 \(form)")
    let folder = TestFolder()
    let expected = FilePath(folder.path("expected.raw"))
    let writing = try Player(
      item, opening: FileSink.opener(expected, as: encoding, container: .raw))
    writing.play()
    try writing.waitUntilPaused()

    let frame = 2 * encoding.byteCount
    try server.record(
      "heard", "-d", "one.monitor", "--format=\(format)", "--rate=\(item.sampleRate)",
      "--channels=2")
    let player = try Player(
      try QueuePlayerTests.items()[1], opening: Self.opener(server, "one"))
    player.play()
    try player.waitUntilPaused()
    #expect(player.failure == nil)
    #expect(player.device.format?.encoding == encoding)
    let whole = try readFile(expected.string)
    let first = try #require(whole.firstIndex { $0 != 0 }) / frame * frame
    try wait(until: "the recorder has the sound") {
      let heard = try readFile(server.folder.path("heard"))
      guard let start = heard.firstIndex(where: { $0 != 0 }) else { return false }
      return heard.count - start / frame * frame >= whole.count - first
    }
    server.end("heard")
    let heard = try readFile(server.folder.path("heard"))
    let start = try #require(heard.firstIndex { $0 != 0 }) / frame * frame
    let isEqual = heard[start...].prefix(whole.count - first).elementsEqual(whole[first...])
    #expect(isEqual)
    #expect(player.device.xruns == 0)
  }

  @Test("the channels of a stream have the positions of our order")
  func positions() throws {
    let server = try SoundServer(
      "module-null-sink sink_name=one norewinds=1 channels=8 "
        + "channel_map=front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,"
        + "side-right")
    let sink = try Self.opener(server, "one")(SinkRequest(sampleRate: 48_000, channelCount: 8))
    let frame = [Float](repeating: 0.25, count: 8)
    _ = try sink.write(frame, count: 1)
    try wait(until: "the server shows the stream") {
      try server.pactl("list", "sink-inputs").contains(
        "Channel Map: front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,"
          + "side-right")
    }
    #expect(sink.delay == 1)
    #expect(try sink.drain() == false)
    try wait(until: "it is heard") { try sink.drain() }
    #expect(sink.delay == 0)
  }

  @Test("a stream plays from when it holds enough until it is dropped")
  func playing() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1")
    let sink = try Self.opener(server, "one")(SinkRequest(sampleRate: 48_000, channelCount: 2))
    let sound = [Float](repeating: 0.25, count: 2 * 90_000)
    #expect(try sink.write(sound, count: 480) == .wrote(480))
    #expect(!sink.fill.isPlaying)
    #expect(try sink.write(sound, count: 90_000) == .wrote(90_000))
    try wait(until: "it plays") { sink.fill.isPlaying }
    sink.drop()
    #expect(!sink.fill.isPlaying)
  }

  @Test("a pause leaves the stream silent and at hand, and playing goes on at the heard frame")
  func pauses() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1")
    let player = try Player(
      try PlayerItem.ofFixture("feelings.ogg"), opening: Self.opener(server, "one"))
    player.numberOfLoops = -1
    player.play()
    try wait(until: "it is heard") { player.currentTime > Time(value: 1, timescale: 10) }
    player.pause()
    try wait(until: "the server shows a pause") {
      try server.pactl("list", "sink-inputs").contains("Corked: yes")
    }
    let time = player.currentTime
    player.play()
    try wait(until: "it goes on") { player.currentTime > time }
    #expect(try server.pactl("list", "sink-inputs").contains("Corked: no"))
    #expect(player.device.format?.sampleRate == player.currentItem?.sampleRate)
  }

  @Test("a sink that is not there is refused by name, and so is a server")
  func refusals() throws {
    let server = try SoundServer("module-null-sink sink_name=one norewinds=1")
    let request = SinkRequest(sampleRate: 48_000, channelCount: 2)
    #expect {
      _ = try AudioSession(server: server.address).opener(device: "pulse:two")(request)
    } throws: { error in
      "\(error)".contains("no device for 'pulse:two'; connect it, or choose another")
    }
    try server.kill()
    #expect {
      _ = try AudioSession(server: server.address).opener(device: "pulse:one")(request)
    } throws: { error in "\(error)".contains("no sound server answers for 'pulse:one'") }
  }
}
