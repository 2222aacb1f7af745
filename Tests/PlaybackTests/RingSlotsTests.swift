import TestSupport
import Testing
import Threads

@testable import Playback

@Suite struct RingSlotsTests {
  private struct Slot {
    let bytes: UnsafeMutableRawPointer
    var number = 0
  }

  private final class Ring: Sendable {
    let slots: RingSlots<Slot>

    init(count: Int) { slots = RingSlots(count: count, bytesPerSlot: 64) { Slot(bytes: $0) } }
  }

  @Test(
    "as many slots can be filled as there are, and again what was given back", arguments: [1, 3])
  func room(count: Int) throws {
    let ring = Ring(count: count)
    for round in 0..<4 {
      #expect(ring.slots.first == nil)
      #expect(ring.slots.room == count)
      for number in 0..<count {
        #expect(ring.slots.next != nil)
        ring.slots.fill { $0.number = round * 10 + number }
        #expect(ring.slots.room == count - number - 1)
        #expect(ring.slots.first?.number == round * 10)
      }
      #expect(ring.slots.next == nil)
      if round == 2 { ring.slots.removeAll() }
      for number in 0..<(round == 2 ? 0 : count) {
        #expect(ring.slots.first?.number == round * 10 + number)
        ring.slots.removeFirst()
      }
    }
  }

  @Test("bytes are zero at first, and each slot has its own")
  func bytes() {
    let ring = Ring(count: 5)
    for _ in 0..<5 {
      ring.slots.fill { slot in
        #expect((0..<64).allSatisfy { slot.bytes.load(fromByteOffset: $0, as: UInt8.self) == 0 })
        slot.bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 64)
      }
    }
    #expect(ring.slots.first?.bytes.load(as: UInt8.self) == 7)
  }

  @Test("one thread's slots arrive in the other, whole and in order", arguments: [1, 2, 64])
  func twoThreads(count: Int) throws {
    let ring = Ring(count: count)
    // Some hundred times through the ring: on one core, each time is a change of threads, and more.
    let total = 200 * count
    let filling = try Thread.spawn(name: "fill") {
      for number in 0..<total {
        try? wait(until: "there is room") { ring.slots.room > 0 }
        guard let slot = ring.slots.next else { return }
        for place in 0..<8 {
          slot.bytes.storeBytes(of: number, toByteOffset: place * 8, as: Int.self)
        }
        ring.slots.fill { $0.number = number }
      }
    }
    defer { filling.join() }
    var isWhole = true
    for taken in 0..<total {
      try wait(until: "slot \(taken) is filled") { ring.slots.first != nil }
      guard let slot = ring.slots.first else { return }
      isWhole = isWhole && slot.number == taken
      for place in 0..<8 {
        isWhole = isWhole && slot.bytes.load(fromByteOffset: place * 8, as: Int.self) == taken
      }
      ring.slots.removeFirst()
    }
    #expect(isWhole)
    #expect(ring.slots.first == nil)
  }
}
