import Diagnosis
import Testing

@testable import Playback

/// What goes to a device while one lane of the ring replaces the other.
@Suite struct DevicePacketTests {
  /// A sink that takes all, and keeps it.
  private final class TakingSink: AudioSink {
    let format: SinkFormat
    var taken: [Float] = []
    var delay = 0

    init(rate: Int = 48_000) {
      format = SinkFormat(
        sampleRate: rate, channelCount: 1, encoding: .float32, periodFrames: 100, bufferFrames: 1000
      )
    }

    /// How often it was asked.
    private(set) var looks = 0
    var fill: SinkFill {
      looks += 1
      return SinkFill(delay: delay, buffered: delay, isPlaying: true)
    }

    func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
      taken += UnsafeRawBufferPointer(start: frames, count: count * 4).bindMemory(to: Float.self)
      return .wrote(count)
    }
    func wait(or descriptor: Int32, milliseconds: Int32) {}
    func drop() {}
    func drain() -> Bool { true }
  }

  @Test("the time stands until the device plays, however long it holds the sound back")
  func standing() throws {
    let (sink, ring) = (TakingSink(), SlotRing(channelCount: 1, sampleRate: 48_000, slotCount: 10))
    let counts = Counts()
    var packet = DevicePacket(ring, sink, counts)
    for index in [Int64(0), 100] {
      ring.filled.slots.fill { slot in (slot.index, slot.frameCount) = (index, 100) }
    }
    let levels = DeviceSampleConverter.Levels()
    sink.delay = 100
    #expect(try packet.step(levels) == .again)
    #expect(counts.progress.written == 100)
    #expect(counts.progress.nanoseconds == nil)
    sink.delay = 199
    #expect(try packet.step(levels) == .again)
    #expect(counts.progress.nanoseconds != nil)
    packet.flush()
    #expect(counts.progress.nanoseconds == nil)
  }

  @Test("a sink that holds enough is looked at again only when it is to get more")
  func holding() throws {
    // A frame a second: a test may not depend on the time that it takes.
    let (sink, ring) = (
      TakingSink(rate: 1), SlotRing(channelCount: 1, sampleRate: 1, slotCount: 10)
    )
    var packet = DevicePacket(ring, sink, Counts())
    for index in 0..<3 {
      ring.filled.slots.fill { slot in
        (slot.index, slot.frameCount) = (Int64(index * ring.slotFrames), ring.slotFrames)
      }
    }
    let levels = DeviceSampleConverter.Levels()
    #expect(try packet.step(levels, holding: 1) == .again)
    // One frame was heard.
    sink.delay = ring.slotFrames - 1
    for _ in 0..<10 {
      guard case .hold(let pause) = try packet.step(levels, holding: 1) else {
        Issue.record("it is to get more at once")
        return
      }
      #expect(pause > 10_000)
    }
    #expect(sink.looks == 1)
    packet.flush()
    #expect(try packet.step(levels, holding: 1) == .starved)
  }

  @Test("after less than a slot, and after nothing, a sink is looked at again at once")
  func shortSlot() throws {
    let (sink, ring) = (
      TakingSink(rate: 1), SlotRing(channelCount: 1, sampleRate: 1, slotCount: 10)
    )
    var packet = DevicePacket(ring, sink, Counts())
    var index: Int64 = 0
    func fill(_ count: Int) {
      ring.filled.slots.fill { slot in (slot.index, slot.frameCount) = (index, count) }
      index += Int64(count)
    }
    let levels = DeviceSampleConverter.Levels()
    fill(ring.slotFrames)
    #expect(try packet.step(levels, holding: 40) == .again)
    // It has room for a slot, and gets a frame.
    sink.delay = 10
    fill(1)
    #expect(try packet.step(levels, holding: 40) == .again)
    #expect(try packet.step(levels, holding: 40) == .starved)
    fill(ring.slotFrames)
    #expect(try packet.step(levels, holding: 40) == .again)
    #expect(sink.looks == 3)
  }

  @Test("a lane that comes while a fade waits for room is faded to from there")
  func laneAfterLane() throws {
    let (sink, ring) = (TakingSink(), SlotRing(channelCount: 1, sampleRate: 48_000, slotCount: 10))
    var packet = DevicePacket(ring, sink, Counts())
    // Each lane is one value, from its first frame on.
    func fill(_ first: Int64, _ value: Float) {
      for slot in 0..<3 {
        ring.filled.slots.fill { filled in
          (filled.index, filled.frameCount, filled.channelCount) = (
            first + Int64(slot) * 1000, 1000, 1
          )
          for frame in 0..<1000 { filled.samples[frame] = value }
        }
      }
    }
    let levels = DeviceSampleConverter.Levels()
    fill(0, 0)
    #expect(try packet.step(levels) == .again)
    sink.delay = 900
    for value in [Float(480), 4800] {
      ring.beginReplacement()
      fill(1000, value)
      ring.offerReplacement()
      guard case .hold = try packet.step(levels, holding: 1000) else {
        Issue.record("it holds more than it is to hold")
        return
      }
      #expect(!ring.isOffered)
    }
    sink.delay = 0
    for _ in 0..<3 { #expect(try packet.step(levels) == .again) }
    let fade = sink.taken[1000..<1480].enumerated().map { frame, value in
      // From the first fade, which was never heard alone, to the last lane.
      let share = Float(frame + 1) / 481
      let first = 480 * share
      return abs(value - (first + (4800 - first) * share))
    }
    #expect(fade.allSatisfy { $0 < 0.01 })
    #expect(sink.taken[1480...].allSatisfy { $0 == 4800 })
  }

  @Test("a lane that comes late is taken when it has come so far, and no frame is played twice")
  func lateLane() throws {
    let (sink, ring) = (TakingSink(), SlotRing(channelCount: 1, sampleRate: 48_000, slotCount: 10))
    var packet = DevicePacket(ring, sink, Counts())
    func fill(_ indices: Int64..., count: Int = 100, adding value: Float) {
      for index in indices {
        ring.filled.slots.fill { slot in
          (slot.index, slot.frameCount, slot.channelCount) = (index, count, 1)
          for frame in 0..<count { slot.samples[frame] = Float(index) + Float(frame) + value }
        }
      }
    }
    let levels = DeviceSampleConverter.Levels()
    fill(0, 100, 200, adding: 0)
    ring.beginReplacement()
    fill(0, adding: 1000)
    for _ in 0..<2 { #expect(try packet.step(levels) == .again) }
    // By now its only slot is of the past.
    ring.offerReplacement()
    #expect(try packet.step(levels) == .again)
    #expect(try packet.step(levels) == .starved)
    #expect(ring.isOffered)
    fill(100, 200, adding: 1000)
    #expect(try packet.step(levels) == .starved)
    fill(250, 350, adding: 1000)
    #expect(try packet.step(levels) == .again)
    #expect(!ring.isOffered)
    let expected = (0..<450).map { Float($0 < 300 ? $0 : $0 + 1000) }
    #expect(sink.taken == expected)
  }
}
