import ALSA
import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import TestSupport
import Testing

@testable import Playback

@Suite struct ALSASinkTests {
  let folder = TestFolder()

  private static func open(
    _ request: SinkRequest, _ configuration: String
  ) throws(Failure) -> ALSASink {
    do throws(ALSAError) {
      return ALSASink(
        try PCMDevice.open(
          "card", direction: .playback,
          request: PCMRequest(sampleRate: request.sampleRate, channelCount: request.channelCount),
          configuration: configuration))
    } catch {
      throw Failure(.mendMachine, "\(error)")
    }
  }

  /// A configuration with the tests' sound card, which does what `definition` says.
  private func card(_ definition: String) throws -> String {
    let card =
      "type avpaced heard \"\(folder.path("heard"))\" log \"\(folder.path("log"))\" "
      + definition.replacing("$", with: folder.root)
    return try SoundCard.configuration(["card": card], in: folder)
  }

  private func player(_ definition: String) throws -> Player {
    let configuration = try card(definition)
    return try Player(PlayerItem.ofFixture("feelings.ogg")) { request throws(Failure) in
      try Self.open(request, configuration)
    }
  }

  /// What the card has played.
  private func heard() throws -> [Float] {
    try readFile(folder.path("heard")).withUnsafeBytes {
      Array($0.assumingMemoryBound(to: Float.self))
    }
  }

  @Test(
    "5.1 keeps the order of WAV in a file of alsa-lib's, and has ALSA's on a device without a map")
  func order() throws {
    let path = folder.path("file")
    let file = try SoundCard.configuration(
      [
        "card": "type file file \"\(path)\" slave.pcm \"none\" format \"raw\"",
        "none": "type null",
      ], in: folder)
    try write(file)
    #expect(try floats("file") == [1, 2, 3, 4, 5, 6])
    try write(try card("speed 50 stall yes channels [ 6 ]"))
    // Front, rear, centre, low frequency.
    #expect(try floats("heard") == [1, 2, 5, 6, 3, 4])
  }

  /// Plays one frame of six channels.
  private func write(_ configuration: String) throws {
    let sink = try Self.open(SinkRequest(sampleRate: 48_000, channelCount: 6), configuration)
    try #require(sink.format.encoding == .float32 && sink.format.channelCount == 6)
    let frame: [Float] = [1, 2, 3, 4, 5, 6]
    let outcome = try frame.withUnsafeBytes { bytes in
      try bytes.baseAddress.map { try sink.write($0, count: 1) } ?? .gone
    }
    #expect(outcome == .wrote(1))
    try wait(until: "it is heard") { try sink.drain() }
  }

  private func floats(_ name: String) throws -> [Float] {
    try readFile(folder.path(name)).withUnsafeBytes {
      Array($0.assumingMemoryBound(to: Float.self))
    }
  }

  @Test(
    "through ALSA, what is heard is the export, also where the device runs dry or sleeps",
    arguments: [
      ("", 0), ("xrun_at 50000", 1), ("suspend_at 50000", 0), ("suspend_at 50000 resume yes", 0),
    ])
  func content(mishap: String, xruns: Int) throws {
    let player = try player("speed 50 stall yes " + mishap)
    player.play()
    try player.waitUntilPaused()
    let isEqual = try heard() == PlayerItem.ofFixture("feelings.ogg").exported()
    #expect(isEqual)
    #expect(player.device.xruns == xruns)
  }

  @Test("after an xrun, sound goes on as soon as there is a period of it")
  func goesOn() throws {
    let player = try player("speed 50 stall yes xrun_at 50000")
    player.play()
    try player.waitUntilPaused()
    let period = Int64(try #require(player.device.format?.periodFrames))
    let events = SoundCard.events(folder.path("log"))
    let xrun = try #require(events.firstIndex { $0.name == "xrun" })
    let names = events[xrun...].map(\.name)
    #expect(names.starts(with: ["xrun", "transfer", "start", "drained"]))
    // Played to the last frame that it had; then no more than what is handed over at a time.
    let start = events[xrun + 2]
    #expect(start.clock == events[xrun].clock)
    #expect(start.moved - start.clock < period + Int64(SlotRing.slotFrames(atRate: 44_100)))
  }

  @Test("a device that slept without its frames reports the number of lost ones, until a drop")
  func tellsLoss() throws {
    let configuration = try card("speed 50 stall yes suspend_at 5000")
    let sink = try Self.open(SinkRequest(sampleRate: 48_000, channelCount: 2), configuration)
    let frames = [Float](repeating: 0.25, count: 2 * 1000)
    var written = 0
    var outcome = SinkOutcome.full
    try wait(until: "the device sleeps") {
      outcome = try frames.withUnsafeBytes { bytes in
        try bytes.baseAddress.map { try sink.write($0, count: 1000) } ?? .gone
      }
      if case .wrote(let count) = outcome { written += count }
      if outcome == .full { sink.wait(or: -1, milliseconds: 1000) }
      try #require(outcome != .gone)
      return outcome == .interrupted
    }
    #expect(sink.delay == written - 5000)
    sink.drop()
    #expect(sink.delay == 0)
  }

  @Test("unplugged, it stands still; plugged in again, it continues at the last played frame")
  func unplugging() throws {
    let player = try player("speed 50 stall yes unplug_at 50000 unplugged \"$/gone\"")
    player.play()
    try wait(until: "the player waits for the device") {
      player.reasonForWaitingToPlay == .noDevice && access(folder.path("gone"), F_OK) == 0
    }
    // What the device had inside is told by its last delay, which was before it was gone: some of
    // what was heard may come again, and nothing is left out.
    let item = try PlayerItem.ofFixture("feelings.ogg")
    let buffer = 8820
    let place = player.currentTime
    let frame = Int(place.frames(atRate: item.sampleRate))
    #expect(frame <= 50_000 && frame >= 50_000 - buffer)
    usleep(20_000)
    #expect(player.currentTime == place)
    unlink(folder.path("gone"))
    try player.waitUntilPaused()
    let (heard, expected) = (try heard(), try item.exported())
    let isWhole =
      heard[..<100_000] == expected[..<100_000] && heard[100_000...] == expected[(frame * 2)...]
    #expect(isWhole)
    #expect(player.device.xruns == 0)
  }

  @Test(
    "a device with one xrun after the other is dead: it is opened anew, and nothing is left out")
  func dies() throws {
    let player = try player("speed 50 stall yes dies_at 50000")
    player.play()
    try player.waitUntilPaused()
    let (heard, expected) = (try heard(), try PlayerItem.ofFixture("feelings.ogg").exported())
    let buffer = 8820
    let again = heard.dropFirst(2 * 50_000)
    let start = expected.count - again.count
    #expect(start <= 2 * 50_000 && start >= 2 * (50_000 - buffer))
    let isWhole = heard.prefix(100_000) == expected.prefix(100_000) && again == expected[start...]
    #expect(isWhole)
    #expect(SoundCard.events(folder.path("log")).count { $0.name == "open" } == 2)
    #expect(player.device.xruns == 1)
  }

  @Test("a device that takes nothing for two seconds is lost, and sound goes on when it takes some")
  func stalls() throws {
    let player = try player("speed 1 hangs \"$/hangs\"")
    player.play()
    try wait(until: "it sounds") { player.currentTime > .zero }
    try writeFile(folder.path("hangs"), [])
    try wait(until: "the device is lost") { player.reasonForWaitingToPlay == .noDevice }
    unlink(folder.path("hangs"))
    let lost = player.currentTime
    try wait(until: "it sounds again") { player.timeControlStatus == .playing }
    #expect(player.reasonForWaitingToPlay == nil)
    try wait(until: "it goes on") { player.currentTime > lost }
    player.pause()
  }

  @Test("a device whose server hangs does not keep a player from being released")
  func hangs() throws {
    var player: Player? = try player("speed 1 hangs \"$/hangs\"")
    player?.play()
    try wait(until: "it sounds") { (player?.currentTime ?? .zero) > .zero }
    try writeFile(folder.path("hangs"), [])
    weak let released = player
    player = nil
    #expect(released == nil)
    // The thread that was left alone closes the device when the server answers.
    unlink(folder.path("hangs"))
    try SoundCard.wait(for: "close", in: folder.path("log"))
  }

  @Test("channels go to the device's positions, by its map or by the usual one")
  func channels() {
    func sources(_ count: Int, _ positions: [String]? = nil) -> [Int]? {
      ChannelReordering(for: count, positions: positions, sampleSize: 4)?.sources
    }
    #expect(sources(6) == [0, 1, 4, 5, 2, 3])
    #expect(sources(8) == [0, 1, 4, 5, 2, 3, 6, 7])
    #expect(sources(5) == [0, 1, 3, 4, 2])
    #expect(sources(6, ["FL", "FR", "SL", "SR", "FC", "LFE"]) == [0, 1, 4, 5, 2, 3])
    #expect(sources(6, ["FL", "FR", "FC", "LFE", "RL", "RR"]) == nil)
    let heights = ["FL", "FR", "RL", "RR", "FC", "LFE", "TFL", "TFR"]
    #expect(sources(8, heights) == [0, 1, 4, 5, 2, 3, 6, 7])
    #expect(sources(6, ["FL", "FR", "TC", "LFE", "RL", "RR"]) == [0, 1, 5, 2, 3, 4])
    // Neither stereo nor a place that nobody knows is touched.
    #expect(sources(2) == nil)
    #expect(sources(4) == nil)
    #expect(sources(6, ["FL", "FR", "NA", "LFE", "RL", "RR"]) == nil)
    #expect(ChannelReordering.layout(of: ["FL", "FR", "NA", "LFE", "RL", "RR"]) == nil)
    #expect(ChannelReordering.layout(of: ["FL", "FR", "SL", "SR"]) == .quad)
    #expect(ChannelReordering.layout(of: heights) == ChannelLayout(mask: 0x503F))
    // HDMI's names of the same places.
    #expect(
      ChannelReordering.layout(of: ["FL", "FR", "LFE", "FC", "RL", "RR", "FLH", "FRH"])
        == ChannelLayout(mask: 0x503F))
    let frames: [Int16] = Array(0..<12)
    guard let reordering = ChannelReordering(for: 6, positions: nil, sampleSize: 2) else { return }
    let moved = frames.withUnsafeBytes { bytes -> [Int16] in
      guard let start = bytes.baseAddress else { return [] }
      let out = reordering.reordered(start, count: 2).assumingMemoryBound(to: Int16.self)
      return (0..<12).map { out[$0] }
    }
    #expect(moved == [0, 1, 4, 5, 2, 3, 6, 7, 10, 11, 8, 9])
  }
}

@Suite struct PlayerEndTests {
  @Test("a player that is paused, started and released at any moment ends, and goes on in between")
  func ends() throws {
    let item = try PlayerItem.ofFixture("voice-8k.wav")
    var dice = Dice(11)
    for _ in 0..<60 {
      let device = MemoryDevice(rate: item.sampleRate, channels: 1, pace: 8000)
      let player = try Player(item, opening: device.opener)
      player.play()
      usleep(UInt32(dice.number(0..<6000)))
      player.pause()
      if dice.next() & 1 == 0 {
        // Asked before: all may be heard before somebody looks again.
        let heard = device.playedFrames
        player.play()
        try wait(until: "it sounds again") { device.playedFrames > heard }
        player.pause()
      }
      #expect(player.timeControlStatus == .paused)
    }
  }
}
