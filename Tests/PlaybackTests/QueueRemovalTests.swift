import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import Playback

@Suite struct QueueRemovalTests {
  /// Keeps the thread that tells what is heard, from what it tells first, until it is let go.
  private final class Held: Sendable {
    private let (isHeld, mayGoOn) = (WaitFlag(), WaitFlag())

    func hold(_ player: Player) -> PlayerObservation {
      player.addPeriodicTimeObserver(forInterval: Time(value: 1, timescale: 1)) { _ in
        self.isHeld.set()
        self.mayGoOn.await()
      }
    }

    func waitUntilHeld() { isHeld.await() }

    func letGo() { mayGoOn.set() }
  }

  @Test(
    "an item that is taken out while it is rendered ahead is not heard, and what follows comes next",
    arguments: [[1], [2], [1, 2], [3], [2, 3]])
  func removesAhead(removed: [Int]) throws {
    let items = try QueueRepeatTests.items(4, lasting: 5)
    // It holds no frame of the second item: where it is asked for its place, and that was some time ago,
    // what it holds counts as heard.
    let device = MemoryDevice(rate: items[0].sampleRate, buffer: 1000, holdingAt: 500)
    let player = try QueuePlayer(items: items, opening: device.opener)
    player.play()
    try device.waitUntilPlayed(500)
    try wait(until: "the last is rendered ahead") {
      player.engine.state.withLock { $0.marks.last?.item === items[3] }
    }
    for index in removed { player.remove(items[index]) }
    try device.waitUntilDropped()
    device.goOn()
    try player.waitUntilPaused()
    let left = items.indices.filter { !removed.contains($0) }
    #expect(device.floats == (try left.flatMap { try items[$0].exported() }))
    #expect(player.currentItem === left.last.map { items[$0] })
    #expect(player.device.xruns == 0)
  }

  @Test("removing an item that is not rendered yet disturbs nothing")
  func removesLater() throws {
    let items = try QueuePlayerTests.items() + QueueRepeatTests.items(2)
    let device = MemoryDevice(rate: items[0].sampleRate, holdingAt: 1000)
    let player = try QueuePlayer(items: items, opening: device.opener)
    player.play()
    try device.waitUntilPlayed(1000)
    player.remove(items[2])
    device.goOn()
    try player.waitUntilPaused()
    #expect(device.floats == (try [0, 1, 3].flatMap { try items[$0].exported() }))
    // At the end alone.
    #expect(device.state.withLock { $0.drops.first } == device.playedFrames)
  }

  @Test("an item that is removed when it has just begun ends there, also before that is reported")
  func removesBegun() throws {
    let items = try QueueRepeatTests.items(3, lasting: 10)
    let device = MemoryDevice(rate: items[0].sampleRate, buffer: 1024, holdingAt: 5000)
    let player = try QueuePlayer(items: items, opening: device.opener)
    let held = Held()
    let observation = held.hold(player)
    player.play()
    held.waitUntilHeld()
    try device.waitUntilPlayed(5000)
    player.remove(items[1])
    try device.waitUntilDropped()
    device.goOn()
    held.letGo()
    try player.waitUntilPaused()
    let begun = try items[1].exported().prefix((5000 - 4410) * 2)
    #expect(device.floats == (try items[0].exported() + begun + items[2].exported()))
    observation.cancel()
  }

  @Test("sound before a pause is reported, however late the observing thread is")
  func tellsLate() throws {
    let items = try QueueRepeatTests.items(2, lasting: 10)
    let device = MemoryDevice(rate: items[0].sampleRate, buffer: 1000, holdingAt: 5000)
    let player = try QueuePlayer(items: items, opening: device.opener)
    let held = Held()
    let observation = held.hold(player)
    let reader = SequenceReader(player.events)
    player.play()
    held.waitUntilHeld()
    try device.waitUntilPlayed(5000)
    player.pause()
    try wait(until: "the player rests where it was heard last") {
      player.currentTime == Time(frames: 5000 - 4410, rate: items[0].sampleRate)
        && player.engine.state.withLock { $0.marks.count == 1 }
    }
    held.letGo()
    let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
      .compactMap { event in
        switch event {
        case .itemBegan(let item): "began \(item === items[0] ? 1 : 2)"
        case .itemEnded(let item): "ended \(item === items[0] ? 1 : 2)"
        default: nil
        }
      }
    #expect(told == ["began 1", "ended 1", "began 2"])
    observation.cancel()
  }
}
