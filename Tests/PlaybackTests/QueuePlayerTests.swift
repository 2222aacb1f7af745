import Glibc
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import Playback

@Suite struct QueuePlayerTests {
  /// Three seconds of music, and one.
  static func items() throws -> [PlayerItem] {
    try [(Int64(0), Int64(3)), (10, 1)].map { start, length in
      try PlayerItem.ofFixture(
        "feelings.ogg",
        TimeRange(
          start: Time(value: start, timescale: 1), duration: Time(value: length, timescale: 1)))
    }
  }

  @Test("items follow one another without a gap, each reported when it is played")
  func playsGaplessly() throws {
    let items = try Self.items()
    let device = MemoryDevice(rate: items[0].sampleRate)
    let player = try QueuePlayer(items: items, opening: device.opener)
    let told = try player.toldUntilPaused().compactMap { event in
      switch event {
      case .itemBegan(let item): "began \(item === items[0] ? 1 : 2)"
      case .itemEnded(let item): "ended \(item === items[0] ? 1 : 2)"
      default: nil
      }
    }
    #expect(told == ["began 1", "ended 1", "began 2", "ended 2"])
    #expect(device.floats == (try items[0].exported() + items[1].exported()))
    #expect(player.isAtEnd)
    #expect(player.currentTime == items[1].duration)
  }

  @Test("at the end the last item is current, however fast the end has come")
  func endsAtLast() throws {
    for _ in 0..<10 {
      let items = try (0..<3).map { second in
        try PlayerItem.ofFixture(
          "feelings.ogg",
          TimeRange(
            start: Time(value: second, timescale: 1), duration: Time(value: 1, timescale: 100)))
      }
      let device = MemoryDevice(rate: items[0].sampleRate)
      let player = try QueuePlayer(items: items, opening: device.opener)
      player.play()
      try player.waitUntilPaused()
      #expect(player.currentItem === items[2])
      #expect(player.currentTime == items[2].duration)
    }
  }

  @Test("an item is in a queue once, and after one that is in it")
  func insertsOnce() throws {
    let items = try Self.items()
    let other = try PlayerItem.ofFixture("feelings.ogg")
    let player = try QueuePlayer(items: [items[0]], opening: MemoryDevice().opener)
    #expect(!player.canInsert(items[0], after: nil))
    #expect(!player.canInsert(other, after: items[1]))
    #expect(player.insert(items[1], after: items[0]))
    #expect(player.insert(other, after: items[0]))
    #expect(
      player.items.map(ObjectIdentifier.init)
        == [items[0], other, items[1]].map(ObjectIdentifier.init))
  }

  @Test("one goes on, back, and to any item; where the current one is removed, the next follows")
  func moves() throws {
    let items = try Self.items()
    let player = try QueuePlayer(items: items, opening: MemoryDevice().opener)
    #expect(player.currentItem === items[0])
    player.advanceToNextItem()
    #expect(player.currentItem === items[1])
    player.returnToPreviousItem()
    #expect(player.currentItem === items[0])
    player.go(to: items[1])
    #expect(player.currentItem === items[1])
    player.returnToPreviousItem()
    player.remove(items[0])
    #expect(player.currentItem === items[1])
    player.removeAllItems()
    #expect(player.currentItem == nil)
    #expect(player.items.isEmpty)
    #expect(player.timeControlStatus == .paused)
  }

  @Test("an item whose file is gone is left out, and named")
  func leavesOut() throws {
    let items = try Self.items()
    let folder = TestFolder()
    try writeFile(folder.path("gone.ogg"), readFile(Fixture.path("feelings.ogg")))
    let gone = try PlayerItem(
      contentsOf: FilePath(folder.path("gone.ogg")), library: MediaLibrary())
    unlink(folder.path("gone.ogg"))
    let device = MemoryDevice(rate: items[1].sampleRate)
    let player = try QueuePlayer(items: [gone, items[1]], opening: device.opener)
    let failures = try player.toldUntilPaused().compactMap { event in
      if case .itemFailed(let item, let failure) = event { (item, failure) } else { nil }
    }
    #expect(failures.count == 1)
    #expect(failures.first?.0 === gone)
    #expect(failures.first?.1.path?.lastComponent == "gone.ogg")
    #expect(device.floats == (try items[1].exported()))
  }
}

@Suite struct ListeningTests {
  @Test("a looped item is repeated as often as set, without a gap")
  func loops() throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    player.numberOfLoops = 2
    player.play()
    try player.waitUntilPaused()
    let once = try item.exported()
    #expect(device.floats == once + once + once)
  }

  @Test("a range is looped until it is changed")
  func loopsRange() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: 5 * item.sampleRate)
    let player = try Player(item, opening: device.opener)
    player.loopRange = TimeRange(
      start: Time(value: 1, timescale: 1), end: Time(value: 2, timescale: 1))
    player.play()
    let second = item.sampleRate * 2
    try device.waitUntilPlayed(5 * item.sampleRate)
    player.loopRange = nil
    device.goOn()
    try player.waitUntilPaused()
    let heard = device.floats
    let whole = try item.exported()
    #expect(heard.count > 5 * second && heard.count % second == 0)
    #expect(Array(heard.prefix(2 * second)) == Array(whole.prefix(2 * second)))
    #expect(Array(heard[(2 * second)..<(3 * second)]) == Array(whole[second..<(2 * second)]))
    #expect(Array(heard.suffix(second)) == Array(whole.suffix(second)))
  }

  @Test("volume and pan are factors; a mono device has no pan")
  func turnsDown() throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    player.volume = 0.5
    player.pan = 1
    player.play()
    try player.waitUntilPaused()
    let (heard, whole) = (device.floats, try item.exported())
    let settled = item.sampleRate / 100 * 2
    #expect(heard.count == whole.count)
    for index in stride(from: settled, to: heard.count, by: 2) {
      #expect(heard[index] == 0)
      #expect(heard[index + 1] == whole[index + 1] * 0.5)
    }
  }

  @Test("at another speed it lasts as long as it should, and the time passes at that speed")
  func changesSpeed() throws {
    let item = try QueuePlayerTests.items()[0]
    for percent in [25, 50, 130, 143, 200, 400] {
      let device = MemoryDevice(rate: item.sampleRate)
      let player = try Player(item, opening: device.opener)
      player.speed = PlaybackSpeed(percent: percent)
      player.play()
      try player.waitUntilPaused()
      let frames = device.floats.count / 2
      #expect(abs(frames - 3 * item.sampleRate * 100 / percent) <= 2)
      #expect(player.currentTime == item.duration)
    }
  }

  @Test("observers hear of each multiple of an interval, and of each boundary once")
  func observes() throws {
    let item = try QueuePlayerTests.items()[0]
    let player = try Player(item, opening: MemoryDevice(rate: item.sampleRate).opener)
    let periodic = Mutex<[Time]>([])
    let boundaries = Mutex<[Time]>([])
    let bounds = [
      Time(value: 1, timescale: 2), Time(value: 2, timescale: 1), Time(value: 5, timescale: 1),
    ]
    let observations = [
      player.addPeriodicTimeObserver(forInterval: Time(value: 1, timescale: 1)) { time in
        periodic.withLock { $0.append(time) }
      },
      player.addBoundaryTimeObserver(forTimes: bounds) { time in
        boundaries.withLock { $0.append(time) }
      },
    ]
    // By then observers were told all.
    _ = try player.toldUntilPaused()
    #expect(boundaries.withLock { $0 } == [bounds[0], bounds[1]])
    #expect(periodic.withLock { $0 }.last == item.duration)
    _ = observations
  }

  @Test("a paused player stands at the last played frame, and continues with the next")
  func pauses() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    for (pauses, frames) in [20_000, 70_000, 100_000].enumerated() {
      device.goOn(to: frames)
      player.play()
      try device.waitUntilPlayed(frames)
      player.pause()
      try device.waitUntilDropped(after: pauses)
      // Until then it may say where the device would be that does not hold still.
      try wait(until: "the player knows what was heard last") {
        player.currentTime == Time(frames: Int64(frames), rate: item.sampleRate)
      }
      #expect(device.playedFrames == frames)
    }
    device.goOn()
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats == (try item.exported()))
  }

  @Test("16 bits are those of the export, dither included", arguments: [0, 3000])
  func dithersAlike(start: Int64) throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(rate: item.sampleRate, .int16)
    let player = try Player(item, opening: device.opener)
    player.seek(to: Time(frames: start, rate: item.sampleRate))
    player.play()
    try player.waitUntilPaused()
    let whole = try item.exported()
    let quantizer = Quantizer(isDithered: true)
    var wanted = [Int16](repeating: 0, count: whole.count)
    for channel in 0..<2 {
      let plane = whole.channel(channel, of: 2)
      wanted.withUnsafeMutableBufferPointer { wanted in
        guard let base = wanted.baseAddress else { return }
        quantizer.convert(
          plane, count: plane.count, frame: 0, channel: channel, to: base + channel, stride: 2)
      }
    }
    let heard = device.bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    #expect(heard == Array(wanted[Int(start * 2)...]))
  }
}
