import ExportEngine

/// Converts a device's samples to planar float: exact but for the lowest bits of 32-bit integers.
enum SampleReader {
  /// Fills a block with a slot's frames.
  ///
  /// NaN and infinity of a float device become silence: a recording does not fail for them.
  static func convert(_ slot: CaptureRing.Slot, to block: AudioBuffer) {
    block.frameCount = slot.frameCount
    for channel in 0..<block.channelCount {
      convert(
        slot.bytes, slot.encoding, channel: channel, of: block.channelCount,
        count: slot.frameCount, to: block.planes[channel])
    }
  }

  private static func convert(
    _ bytes: UnsafeMutableRawPointer, _ encoding: SampleEncoding, channel: Int, of stride: Int,
    count: Int, to plane: UnsafeMutablePointer<Float>
  ) {
    switch encoding {
    case .float32:
      let samples = bytes.assumingMemoryBound(to: Float.self) + channel
      for index in 0..<count {
        let sample = samples[index * stride]
        plane[index] = sample.isFinite ? sample : 0
      }
    case .int32:
      let samples = bytes.assumingMemoryBound(to: Int32.self) + channel
      for index in 0..<count { plane[index] = Float(samples[index * stride]) * 0x1p-31 }
    case .int24:
      let samples = bytes.assumingMemoryBound(to: Int32.self) + channel
      // The byte above the 24 bits is not their sign on all devices.
      for index in 0..<count { plane[index] = Float(samples[index * stride] << 8) * 0x1p-31 }
    case .packedInt24:
      let samples = bytes.assumingMemoryBound(to: UInt8.self) + channel * 3
      for index in 0..<count {
        let place = samples + index * stride * 3
        let bits = UInt32(place[0]) << 8 | UInt32(place[1]) << 16 | UInt32(place[2]) << 24
        plane[index] = Float(Int32(bitPattern: bits)) * 0x1p-31
      }
    case .int16:
      let samples = bytes.assumingMemoryBound(to: Int16.self) + channel
      for index in 0..<count {
        plane[index] = Float(Int32(samples[index * stride])) * 0x1p-15
      }
    }
  }
}
