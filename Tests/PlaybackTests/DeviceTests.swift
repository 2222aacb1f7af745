import Glibc
import MediaComposition
import MediaTime
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Playback

@Suite struct DeviceTests {
  /// What is told of devices until the player has paused.
  private func told(_ player: Player) async -> [String] {
    let events = player.events
    player.play()
    var told: [String] = []
    for await event in events {
      switch event {
      case .deviceFound(let format): told.append("found \(format.sampleRate)")
      case .deviceLost(let failure): told.append("lost \(failure?.message ?? "")")
      case .statusChanged(.paused): return told
      default: continue
      }
    }
    return told
  }

  @Test("a device is told when it is found, the first as any other", arguments: [44_100, 48_000])
  func tellsFirst(rate: Int) async throws {
    let device = MemoryDevice(rate: rate)
    let player = try Player(try QueuePlayerTests.items()[1], opening: device.opener)
    let told = await told(player)
    #expect(told == ["found \(rate)"])
  }

  @Test("one that is not there at first is told as lost, then as found")
  func tellsLate() async throws {
    let device = MemoryDevice(rate: 44_100)
    // The first may be over before anybody looks.
    device.state.withLock { $0.failingAttempts = 3 }
    let item = try QueuePlayerTests.items()[1]
    let player = try Player(item, opening: device.opener)
    let told = await told(player)
    #expect(told == ["lost the device is not there; plug it in", "found 44100"])
    #expect(device.floats == (try item.exported()))
  }

  @Test("one that is back before anybody has seen that it was gone has lost nothing, either")
  func unseen() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(
      rate: item.sampleRate, mishaps: [(40_000, .isUnplugged(attempts: 0))])
    let player = try Player(item, opening: device.opener)
    let (isAsked, isHeld) = (WaitFlag(), WaitFlag())
    device.state.withLock {
      $0.willTell = {
        isAsked.set()
        isHeld.wait()
      }
    }
    // Whoever renders waits for this lock while the device goes and comes.
    let deck = player.deck
    let holding = try Thread.spawn(name: "holding") {
      isAsked.wait()
      deck.state.withLock { _ in
        isHeld.set()
        while device.state.withLock({ $0.openings }) < 2 || !deck.writer.isOpen { usleep(1000) }
      }
    }
    player.play()
    try player.waitUntilPaused()
    holding.join()
    #expect(device.floats == (try item.exported()))
    #expect(device.state.withLock { $0.openings } == 2)
  }

  @Test("however often the system stops it, what it held is played again, and nothing else")
  func interrupted() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(
      rate: item.sampleRate, mishaps: (1...100).map { ($0 * 1300, .isInterrupted) })
    let player = try Player(item, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats == (try item.exported()))
    #expect(player.deck.writer.counts.interruptions.load(ordering: .relaxed) == 100)
  }

  @Test("who goes to the very end while it plays has come to the end")
  func goesToEnd() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(rate: item.sampleRate, pace: 400_000)
    let player = try Player(item, opening: device.opener)
    player.play()
    while device.bytes.isEmpty { usleep(500) }
    player.seek(to: item.duration)
    try player.waitUntilPaused()
    #expect(player.isAtEnd)
    #expect(player.currentTime == item.duration)
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats.suffix(3 * 44_100 * 2) == (try item.exported())[...])
  }
}

extension DeviceWriter {
  fileprivate var isOpen: Bool { if case .open = device { true } else { false } }
}

/// Something that one thread says, and another waits for.
private final class WaitFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  func set() { flag.store(true, ordering: .releasing) }

  func wait() { while !flag.load(ordering: .acquiring) { usleep(200) } }
}
