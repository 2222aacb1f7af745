import ExportEngine
import Loudness
import MediaComposition
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite struct QueueFormatTests {
  private let folder = TestFolder()

  /// A second of noise.
  private func item(_ name: String, rate: Int, channels: Int) throws -> PlayerItem {
    let path = folder.path("\(name).wav")
    try Tool.succeed(
      "sox", "-R", "-n", "-r", "\(rate)", "-c", "\(channels)", "-e", "float", "-b", "32", path,
      "synth", "1", "pinknoise", "gain", "-12")
    return try PlayerItem(contentsOf: FilePath(path), library: MediaLibrary())
  }

  private func play(_ items: [PlayerItem], on device: ObligingDevice) throws {
    let player = try QueuePlayer(items: items, opening: device.opener)
    device.player.withLock { $0 = player }
    player.play()
    try player.waitUntilPaused()
    device.player.withLock { $0 = nil }
  }

  private func integrated(_ item: PlayerItem) throws -> Double {
    let count = item.channelLayout.count
    let frames = try item.exported()
    let block = AudioBuffer(channelCount: count, capacity: frames.count / count)
    block.frameCount = block.capacity
    for index in frames.indices { block.planes[index % count][index / count] = frames[index] }
    let meter = try LoudnessMeter(
      sampleRate: item.sampleRate, positions: Array(repeating: .front, count: count))
    meter.add(block.planes, count: block.frameCount)
    var counter = LoudnessHistogram.Counter()
    for energy in try #require(meter.takeReading()).blocks { counter.add(energy: energy) }
    return try #require(counter.histogram.integrated)
  }

  private func expect(_ meters: PlayerMeters?, of item: PlayerItem) throws {
    let meters = try #require(meters)
    #expect(meters.channels.count == item.channelLayout.count)
    let loudness = try #require(meters.loudness.integrated)
    #expect(abs(loudness - (try integrated(item))) < 0.1)
  }

  @Test("an item of another format opens the device again: sound and meters are the export's")
  func opensAnew() throws {
    let items = [
      try item("a", rate: 8000, channels: 1), try item("b", rate: 44_100, channels: 2),
      try item("c", rate: 44_100, channels: 2), try item("d", rate: 8000, channels: 1),
    ]
    let device = ObligingDevice()
    try play(items, on: device)
    let openings = device.openings
    #expect(openings.map(\.format.sampleRate) == [8000, 44_100, 8000])
    #expect(openings.map(\.format.channelCount) == [1, 2, 1])
    try #require(openings.count == 3)
    let exported = try items.map { try $0.exported() }
    #expect(openings[0].floats == exported[0])
    // Without a gap where formats agree.
    #expect(openings[1].floats == exported[1] + exported[2])
    #expect(openings[2].floats == exported[3])
    for (opening, item) in zip(openings, [items[0], items[2], items[3]]) {
      try expect(opening.meters, of: item)
    }
  }

  @Test("mono on a stereo device is the same sound without a gap, and metered as mono")
  func monoOnStereo() throws {
    let items = [
      try item("a", rate: 44_100, channels: 2), try item("b", rate: 44_100, channels: 1),
    ]
    let device = ObligingDevice()
    try play(items, on: device)
    #expect(device.openings.count == 1)
    let mono = try items[1].exported().flatMap { [$0, $0] }
    #expect(try device.openings[0].floats == items[0].exported() + mono)
    try expect(device.openings[0].meters, of: items[1])
  }

  @Test("a device of one format gets a request for another one once, and meters are the item's")
  func oneFormat() throws {
    let items = [
      try item("a", rate: 48_000, channels: 2), try item("b", rate: 44_100, channels: 1),
      try item("c", rate: 48_000, channels: 2), try item("d", rate: 44_100, channels: 1),
    ]
    let format = SinkFormat(
      sampleRate: 48_000, channelCount: 2, encoding: .float32, periodFrames: 960,
      bufferFrames: 9600)
    let device = ObligingDevice(format)
    try play(items, on: device)
    #expect(device.openings.count == 2)
    let count = device.openings.reduce(0) { $0 + $1.floats.count }
    #expect(count == 4 * 2 * 48_000)
    try expect(device.openings[0].meters, of: items[0])
    try expect(device.openings[1].meters, of: items[3])
  }

  @Test("a file has one format, and gets all items in it")
  func file() throws {
    let items = [
      try item("a", rate: 44_100, channels: 2), try item("b", rate: 22_050, channels: 1),
    ]
    let path = FilePath(folder.path("heard.raw"))
    let player = try QueuePlayer(
      items: items, opening: FileSink.opener(path, container: .raw))
    player.play()
    try player.waitUntilPaused()
    #expect(player.failure == nil)
    #expect(try readFile(path.string).count == 2 * 44_100 * 2 * 4)
  }

  /// A device that is opened in whatever format it is asked for, or in one alone, and plays at once.
  private final class ObligingDevice: Sendable {
    struct Opening {
      var format: SinkFormat
      var floats: [Float] = []
      /// What the player showed when all was played.
      var meters: PlayerMeters?
    }

    private let fixed: SinkFormat?
    let player = Mutex<Player?>(nil)
    let state = Mutex<[Opening]>([])

    init(_ fixed: SinkFormat? = nil) { self.fixed = fixed }

    var openings: [Opening] { state.withLock { $0 } }

    var opener: SinkOpener {
      { request in
        let format =
          self.fixed
          ?? SinkFormat(
            sampleRate: request.sampleRate, channelCount: request.channelCount,
            encoding: .float32, periodFrames: 960, bufferFrames: 9600)
        self.state.withLock { $0.append(Opening(format: format)) }
        return ObligingSink(self, format)
      }
    }
  }

  private final class ObligingSink: AudioSink {
    let format: SinkFormat
    let delay = 0
    private let device: ObligingDevice

    init(_ device: ObligingDevice, _ format: SinkFormat) {
      (self.device, self.format) = (device, format)
    }

    func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
      let samples = UnsafeBufferPointer(
        start: frames.assumingMemoryBound(to: Float.self), count: count * format.channelCount)
      device.state.withLock { $0[$0.count - 1].floats += samples }
      return .wrote(count)
    }

    func wait(or descriptor: Int32, milliseconds: Int32) {}
    func drop() {}

    func drain() -> Bool {
      var place = Player.MeterPlace()
      let meters = device.player.withLock { $0 }?.meters(since: &place)
      device.state.withLock { $0[$0.count - 1].meters = meters }
      return true
    }
  }
}
