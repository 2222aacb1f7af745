import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite(.ownThreads, .timeLimit(.minutes(10))) struct PlayerValueTests {
  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  @Test("a property's values come as they change, from the first one, and end with the player")
  func changes() async throws {
    let items = try QueuePlayerTests.items()
    var player: Player? = try QueuePlayer(items: items, opening: MemoryDevice().opener)
    let values = try #require(player?.values(of: \.currentItem))
    let statuses = try #require(player?.values(of: \.timeControlStatus))
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == .some(items[0]))
    player?.advanceToNextItem()
    #expect(await iterator.next() == .some(items[1]))
    player?.removeAllItems()
    #expect(await iterator.next() == .some(nil))
    player?.insert(items[1], after: nil)
    _ = try player?.toldUntilPaused()
    weak let engine = player?.engine
    player = nil
    var rest: [PlayerItem?] = []
    while let value = await iterator.next() { rest.append(value) }
    #expect(rest == [items[1]])
    var last: [Player.TimeControlStatus] = []
    for await status in statuses { last.append(status) }
    #expect(last.first == .paused && last.last == .paused)
    #expect(zip(last, last.dropFirst()).allSatisfy { $0 != $1 })
    try wait(until: "nothing holds the engine") { engine == nil }
  }

  @Test("a sequence that nobody reads any more observes nothing")
  func ends() async throws {
    let player = try Player(opening: MemoryDevice().opener)
    do {
      let values = player.values(of: \.volume)
      #expect(!player.engine.valueObservers.isEmpty)
      var iterator = values.makeAsyncIterator()
      #expect(await iterator.next() == 1)
    }
    #expect(player.engine.valueObservers.isEmpty)
  }

  @Test("an item's loaded ranges come as its bytes do")
  func loads() async throws {
    let server = try HoldingServer(seconds: 6)
    let item = try server.item("rate=2000000")
    var iterator = item.values(of: \.loadedTimeRanges).makeAsyncIterator()
    var last = try #require(await iterator.next())
    for try await _ in server.library.download(.remote(try server.url("rate=2000000"))) {}
    let whole = [TimeRange(start: .zero, end: item.duration)]
    while last != whole { last = try #require(await iterator.next()) }
  }

  @Test("an item's values end with the item")
  func endsWithItem() async throws {
    var item: PlayerItem? = try QueuePlayerTests.items()[0]
    let values = try #require(item?.values(of: \.status))
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == .readyToPlay)
    item = nil
    #expect(await iterator.next() == nil)
  }

  @Test("an item has its location, and an item of a composition none")
  func locates() async throws {
    let path = FilePath(Fixture.path("feelings.ogg"))
    let item = try await PlayerItem(contentsOf: path)
    #expect(item.location == .file(path) && item.status == .readyToPlay)
    #expect(try QueuePlayerTests.items()[0].location == nil)
    #expect(try await PlayerItem(contentsOf: path) != item)
  }

  @Test("a task that is cancelled does not wait for a server that says nothing")
  func cancelsOpening() async throws {
    let server = try HoldingServer(seconds: 1)
    let url = MediaLocation.remote(try server.url("hold=0-1000000"))
    let task = Task { try await PlayerItem(contentsOf: url, library: server.library) }
    task.cancel()
    let taskFailure = await #expect(throws: Failure.self) { try await task.value }
    #expect(taskFailure?.code == .cancelled)
    let player = Task { try await Player(contentsOf: url, opening: NullSink.opener()) }
    player.cancel()
    let playerFailure = await #expect(throws: Failure.self) { try await player.value }
    #expect(playerFailure?.code == .cancelled)
  }

  @Test("a waveform has the peaks of equal parts, and its task can be cancelled")
  func draws() async throws {
    let item = try QueuePlayerTests.items()[1]
    let samples = try item.exported()
    let waveform = try await item.waveform(count: 10)
    let wanted = (0..<10).map { part in
      samples[part * 8820..<(part + 1) * 8820].map(abs).max() ?? 0
    }
    #expect(waveform == wanted)
    let task = Task { try await item.waveform(count: 10) }
    task.cancel()
    let taskFailure = await #expect(throws: Failure.self) { try await task.value }
    #expect(taskFailure?.code == .cancelled)
  }

  // MARK: Starts

  @Test(
    "a start waits until playback is likely to keep up, or begins with the first sound",
    arguments: [true, false])
  func waitsToMinimizeStalling(waits: Bool) throws {
    let server = try HoldingServer(seconds: 12)
    // A second and a half.
    let fault = "hold=288000-\(8 * 192_000)"
    let item = try server.item(fault, loadedTo: 288_000)
    let device = MemoryDevice()
    let player = try Player(item, opening: device.opener)
    #expect(player.automaticallyWaitsToMinimizeStalling)
    player.automaticallyWaitsToMinimizeStalling = waits
    player.play()
    try wait(until: "it waits") {
      player.reasonForWaitingToPlay == .toMinimizeStalls
        && item.loadedTimeRanges.first?.end ?? .zero > Time(value: 14, timescale: 10)
        && (waits || device.playedFrames > 48_000)
    }
    #expect(waits == (device.playedFrames == 0))
    try server.release()
    try player.waitUntilPaused()
    #expect(device.floats == (try server.exported()))
  }

  // MARK: Channels

  @Test("channels are heard on those of the device that they are assigned to")
  func assignsChannels() throws {
    let item = try QueuePlayerTests.items()[1]
    let whole = try item.exported()
    let (left, right) = (whole.channel(0, of: 2), whole.channel(1, of: 2))
    let silence = [Float](repeating: 0, count: left.count)
    let cases: [([Int], [[Float]])] = [
      ([3, 1], [silence, right, silence, left]),
      ([2], [silence, silence, left, silence]),
      ([-1, 0], [right, silence, silence, silence]),
      ([1, 1], [silence, zip(left, right).map(+), silence, silence]),
      ([9, 0], [right, silence, silence, silence]),
    ]
    for (assignments, wanted) in cases {
      let device = MemoryDevice(rate: item.sampleRate, channels: 4)
      let requests = Mutex<[SinkRequest]>([])
      let player = try Player(item) { request throws(Failure) in
        requests.withLock { $0.append(request) }
        return try device.opener(request)
      }
      player.channelAssignments = assignments
      #expect(player.channelAssignments == assignments)
      player.play()
      try player.waitUntilPaused()
      let heard = device.floats
      #expect((0..<4).map { heard.channel($0, of: 4) } == wanted, "\(assignments)")
      let count = max(1, (assignments.max() ?? 0) + 1)
      #expect(requests.withLock { $0.map(\.channelCount) } == [count])
    }
  }

  @Test("an assignment is changed while it plays, and nothing is lost or heard twice")
  func reassignsChannels() throws {
    let item = try QueuePlayerTests.items()[1]
    let whole = try item.exported()
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: 10_000)
    let player = try Player(item, opening: device.opener)
    player.play()
    try device.waitUntilPlayed(10_000)
    player.channelAssignments = [1, 0]
    try device.waitUntilDropped()
    device.goOn()
    try player.waitUntilPaused()
    let swapped = (0..<whole.count).map { $0 < 20_000 ? whole[$0] : whole[$0 ^ 1] }
    #expect(device.floats == swapped)
  }

  // MARK: Replacing

  @Test("the current item is replaced by another, which plays on from its start")
  func replacesCurrent() throws {
    let items = try QueuePlayerTests.items()
    let other = try PlayerItem.ofFixture(
      "feelings.ogg", TimeRange(start: seconds(5), duration: seconds(1)))
    let device = MemoryDevice(rate: items[0].sampleRate, holdingAt: 10_000)
    let player = try QueuePlayer(items: items, opening: device.opener)
    player.play()
    try device.waitUntilPlayed(10_000)
    player.replaceCurrentItem(with: other)
    #expect(player.items == [other, items[1]] && player.currentItem == other)
    try device.waitUntilDropped()
    device.goOn()
    try player.waitUntilPaused()
    #expect(
      device.floats[20_000...]
        == (try other.exported() + items[1].exported())[...])
    // The last one is current.
    player.replaceCurrentItem(with: other)
    #expect(player.items == [other] && player.timeControlStatus == .paused)
    player.replaceCurrentItem(with: other)
    #expect(player.items == [other])
    player.replaceCurrentItem(with: nil)
    #expect(player.items.isEmpty && player.currentItem == nil && !player.isPlaying)
    player.replaceCurrentItem(with: items[1])
    #expect(player.currentItem == items[1])
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats.suffix(88_200) == (try items[1].exported())[...])
  }
}
