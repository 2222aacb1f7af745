import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite struct QueueRepeatTests {
  /// So many hundredths of a second of music each, one behind the other.
  static func items(_ count: Int, lasting hundredths: Int64 = 20) throws -> [PlayerItem] {
    try (0..<Int64(count)).map { index in
      try PlayerItem.ofFixture(
        "feelings.ogg",
        TimeRange(
          start: Time(value: index, timescale: 1),
          duration: Time(value: hundredths, timescale: 100)))
    }
  }

  @Test("a queue that is repeated goes on with its first item, without a gap", arguments: 1...3)
  func repeats(count: Int) throws {
    let items = try Self.items(count)
    let once = try items.flatMap { try $0.exported() }
    let device = MemoryDevice(rate: items[0].sampleRate, holdingAt: 3 * once.count / 2)
    let player = try QueuePlayer(items: items, opening: device.opener)
    player.repeatsQueue = true
    let reader = SequenceReader(player.events)
    player.play()
    try device.waitUntilPlayed(3 * once.count / 2)
    player.repeatsQueue = false
    device.goOn()
    let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
      .compactMap { event -> Int? in
        switch event {
        case .itemBegan(let item), .looped(let item): items.firstIndex { $0 === item }
        default: nil
        }
      }
    #expect(told.count >= 3 * count && told.count % count == 0)
    #expect(told.indices.allSatisfy { told[$0] == $0 % count })
    let heard = device.floats
    #expect(heard.count == told.count / count * once.count)
    let isEqual = stride(from: 0, to: heard.count, by: once.count)
      .allSatisfy { heard[$0...].starts(with: once) }
    #expect(isEqual)
    #expect(player.device.xruns == 0)
  }

  @Test("an item inserted while the last one ends plays whole, without an xrun")
  func insertsWhileDraining() throws {
    let items = try Self.items(2, lasting: 10)
    let both = try items.flatMap { try $0.exported() }
    for frames in [0, 1, 1023, 4096, 4409] {
      let device = MemoryDevice(rate: items[0].sampleRate, holdingAt: frames)
      let player = try QueuePlayer(items: [items[0]], opening: device.opener)
      player.play()
      try wait(until: "the device drains") { device.state.withLock { $0.drains > 0 } }
      player.insert(items[1], after: nil)
      device.goOn()
      try player.waitUntilPaused()
      let isWhole = device.floats == both
      #expect(isWhole)
      #expect(player.device.xruns == 0)
    }
  }

  @Test("a slot after the last waits for the drain, and the end is the end of that slot")
  func drainsFirst() throws {
    let sink = DrainingSink()
    let ring = SlotRing(channelCount: 2, sampleRate: 48_000, slotCount: 4)
    let counts = Counts()
    var packet = DevicePacket(ring, sink, counts)
    func put(_ index: Int64) {
      ring.filled.slots.fill { slot in
        slot.index = index
        slot.frameCount = 100
        slot.isLast = true
      }
    }
    let levels = DeviceSampleConverter.Levels()
    put(0)
    #expect(try packet.step(levels) == .again)
    #expect(try packet.step(levels) == .wait)
    put(100)
    for _ in 0..<3 { #expect(try packet.step(levels) == .wait) }
    sink.isDrained = true
    #expect(try packet.step(levels) == .again)
    #expect(counts.finished.load(ordering: .acquiring) == 100)
    #expect(try packet.step(levels) == .again)
    #expect(try packet.step(levels) == .finished)
    #expect(counts.finished.load(ordering: .acquiring) == 200)
    #expect(sink.writesWhileDraining == 0)
  }

  @Test("a file with damage is reported once, however often it is played")
  func tellsDamage() throws {
    let folder = TestFolder()
    let whole = folder.path("whole.flac")
    try Tool.succeed("ffmpeg", "-v", "error", "-i", Fixture.path("feelings.ogg"), whole)
    var bytes = try readFile(whole)
    for offset in 0..<200 { bytes[bytes.count / 2 + offset] = UInt8(truncatingIfNeeded: offset) }
    try writeFile(folder.path("damaged.flac"), bytes)
    let item = try PlayerItem(
      contentsOf: FilePath(folder.path("damaged.flac")), library: MediaLibrary())
    let player = try Player(item, opening: MemoryDevice(rate: item.sampleRate).opener)
    player.numberOfLoops = 2
    let told = try player.toldUntilPaused().compactMap { event -> Warning? in
      guard case .damaged(let damaged, let warning) = event else { return nil }
      #expect(damaged === item)
      return warning
    }
    #expect(told.map(\.path?.lastComponent?.string) == ["damaged.flac"])
    #expect(
      told.map(\.message) == [
        "is damaged in one place, where sound is missing: at 0:15.882; copy or download it again"
      ])
  }
}

/// Takes all, and drains when it is told to.
private final class DrainingSink: AudioSink {
  let format = SinkFormat(
    sampleRate: 48_000, channelCount: 2, encoding: .float32, periodFrames: 960, bufferFrames: 9600)
  var isDrained = false
  private(set) var writesWhileDraining = 0
  private var isDraining = false

  var delay: Int { 0 }

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    if isDraining { writesWhileDraining += 1 }
    return .wrote(count)
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {}

  func drop() {}

  func drain() -> Bool {
    isDraining = !isDrained
    return isDrained
  }
}
