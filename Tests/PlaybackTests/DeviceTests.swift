import Glibc
import MediaComposition
import MediaTime
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Playback

@Suite struct DeviceTests {
  /// What events tell of devices.
  private func told(_ events: [PlayerEvent]) -> [String] {
    events.compactMap { event in
      switch event {
      case .deviceFound(let format): "found \(format.sampleRate)"
      case .deviceLost(let failure): "lost \(failure?.message ?? "")"
      default: nil
      }
    }
  }

  @Test("a device is reported when it is found, the first one too", arguments: [44_100, 48_000])
  func tellsFirst(rate: Int) throws {
    let device = MemoryDevice(rate: rate)
    let player = try Player(try QueuePlayerTests.items()[1], opening: device.opener)
    #expect(try told(player.toldUntilPaused()) == ["found \(rate)"])
  }

  @Test("one that is absent at first is reported as lost, then as found")
  func tellsLate() throws {
    let device = MemoryDevice(rate: 44_100)
    // Until somebody has heard of it.
    device.state.withLock { $0.failingAttempts = .max }
    let item = try QueuePlayerTests.items()[1]
    let player = try Player(item, opening: device.opener)
    let reader = SequenceReader(player.events)
    player.play()
    try wait(until: "it is told as lost") { !told(reader.elements).isEmpty }
    device.state.withLock { $0.failingAttempts = 0 }
    let events = try reader.elements(until: "the player has paused") { $0.isPause }
    #expect(told(events) == ["lost the device is not there; plug it in", "found 44100"])
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
        isHeld.await()
      }
    }
    // Whoever renders waits for this lock while the device goes and comes.
    let engine = player.engine
    let holding = try Thread.spawn(name: "holding") {
      isAsked.await()
      engine.state.withLock { _ in
        isHeld.set()
        try? wait(until: "the device is open again") {
          device.state.withLock { $0.openings } >= 2 && engine.writer.isOpen
        }
      }
    }
    player.play()
    try player.waitUntilPaused()
    holding.join()
    #expect(device.floats == (try item.exported()))
    #expect(device.state.withLock { $0.openings } == 2)
  }

  @Test("after any number of stops by the system, the held frames are played again, once")
  func interrupted() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(
      rate: item.sampleRate, mishaps: (1...100).map { ($0 * 1300, .isInterrupted) })
    let player = try Player(item, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats == (try item.exported()))
    #expect(player.engine.writer.counts.interruptions.load(ordering: .relaxed) == 100)
  }

  @Test("a seek to the very end while it plays comes to the end")
  func goesToEnd() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: 10_000)
    let player = try Player(item, opening: device.opener)
    player.play()
    try device.waitUntilPlayed(10_000)
    player.seek(to: item.duration)
    device.goOn()
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
final class WaitFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  func set() { flag.store(true, ordering: .releasing) }

  /// Gives up after a time, which the test then notices.
  func await() {
    try? wait(until: "the other thread has said so") { flag.load(ordering: .acquiring) }
  }
}
