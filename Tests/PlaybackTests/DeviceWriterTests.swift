import TestSupport
import Testing
import Threads

@testable import Playback

@Suite struct DeviceWriterTests {
  @Test("sound reaches the device while another thread holds the writer's lock")
  func lock() throws {
    // It has room at all times.
    let device = MemoryDevice()
    let writer = try DeviceWriter(device.opener)
    let thread = try Thread.spawn(name: "playback-write") { writer.run() }
    defer {
      writer.end()
      thread.join()
    }
    writer.open(SinkRequest(sampleRate: 48_000, channelCount: 2))
    try wait(until: "the device is open") {
      if case .open = writer.device { true } else { false }
    }
    guard case .open(let format, let ring) = writer.device else { return }
    var index: Int64 = 0
    let heard = try writer.shared.withLock { _ -> Int64 in
      for round in 0..<100 {
        ring.slots.fill { slot in
          slot.index = index
          slot.frameCount = ring.slotFrames
        }
        index += Int64(ring.slotFrames)
        writer.setLevels(DeviceSampleConverter.Levels(volume: Float(round % 3), pan: 0.5))
        writer.notifyFilled()
        try wait(until: "the writer has taken the slot") { ring.slots.first == nil }
      }
      return index
    }
    #expect(heard == 100 * Int64(ring.slotFrames))
    #expect(writer.counts.progress.written == heard)
    #expect(format.channelCount == 2)
  }
}
