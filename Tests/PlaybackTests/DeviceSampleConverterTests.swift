import Testing

@testable import Playback

@Suite struct DeviceSampleConverterTests {
  /// What a device of two channels of floats gets of full-scale sound, in calls of `frames`.
  private func converted(
    rate: Int, _ steps: [(volume: Float, frames: Int)]
  ) -> [(left: Float, right: Float)] {
    let capacity = 2048
    let format = SinkFormat(
      sampleRate: rate, channelCount: 2, encoding: .float32, periodFrames: 1024,
      bufferFrames: 8192)
    let converter = DeviceSampleConverter(format, capacity: capacity)
    let plane = UnsafeMutablePointer<Float>.allocate(capacity: 2 * capacity)
    plane.initialize(repeating: 1, count: 2 * capacity)
    let bytes = UnsafeMutablePointer<Float>.allocate(capacity: 2 * capacity)
    bytes.initialize(repeating: 0, count: 2 * capacity)
    defer {
      plane.deallocate()
      bytes.deallocate()
    }
    var slot = SlotRing.Slot(samples: plane)
    (slot.frameCount, slot.channelCount) = (capacity, 2)
    return steps.flatMap { volume, frames in
      converter.convert(
        slot, planeCapacity: capacity, from: 0, count: frames,
        levels: DeviceSampleConverter.Levels(volume: volume, pan: 0), to: bytes)
      return (0..<frames).map { (bytes[$0 * 2], bytes[$0 * 2 + 1]) }
    }
  }

  @Test(
    "a change of the volume is there after 10 ms, exactly, at any rate and in any pieces",
    arguments: [44_100, 192_000, 384_000], [Float(0), 1.5, 4])
  func ramp(rate: Int, volume: Float) {
    for length in [7, 1024] {
      let ramp = rate / 100
      let count = (ramp + 100 + length - 1) / length
      let there = converted(rate: rate, Array(repeating: (volume, length), count: count))
      let largest = there.map { abs($0.left - $0.right) }.max()
      #expect(largest == 0)
      // In equal steps, but for what rounding makes of them.
      let step = (volume - 1) / Float(ramp)
      var last: Float = 1
      for sample in there.prefix(ramp) {
        guard abs(sample.left - last - step) > 1e-5 else {
          last = sample.left
          continue
        }
        Issue.record("from \(last) to \(sample.left)")
        return
      }
      #expect(there.dropFirst(ramp - 1).allSatisfy { $0.left == volume })
      #expect(there.prefix(ramp - 1).allSatisfy { $0.left != volume })
    }
  }

  @Test("at volume 1 again, samples are the sound's own, also where the way there was changed")
  func back() {
    let there = converted(
      rate: 192_000,
      [(0.5, 500), (3, 500), (0.2, 1000)] + Array(repeating: (1, 1000), count: 4))
    #expect(there.dropFirst(2000 + 1919).allSatisfy { $0.left == 1 && $0.right == 1 })
    #expect(there.prefix(2000 + 1919).filter { $0.left == 1 }.count < 10)
    let steps = zip(there.dropFirst(), there).map { abs($0.left - $1.left) }
    #expect((steps.max() ?? 0) < 2.5 / 1000)
  }
}
