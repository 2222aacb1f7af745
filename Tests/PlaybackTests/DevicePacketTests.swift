import Diagnosis
import Testing

@testable import Playback

/// What goes to a device while one lane of the ring replaces the other.
@Suite struct DevicePacketTests {
  /// A sink that takes all, and keeps it.
  private final class TakingSink: AudioSink {
    let format = SinkFormat(
      sampleRate: 48_000, channelCount: 1, encoding: .float32, periodFrames: 100,
      bufferFrames: 1000)
    var taken: [Float] = []
    var delay = 0

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
    #expect(sink.taken == (0..<300).map { Float($0) } + (300..<450).map { Float($0) + 1000 })
  }
}
