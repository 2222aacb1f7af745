import MediaComposition
import MediaTime

extension PCMBuffer {
  /// Frames of a block in a format of its channels.
  ///
  /// - Parameters:
  ///   - block: Planar floats.
  ///   - range: Which of its frames.
  ///   - format: The format; its layout has as many channels as the block.
  ///   - time: The moment of the first frame.
  ///   - frame: The first frame's number on the timeline, by which dither is chosen.
  ///   - quantizer: Makes integers.
  init(
    _ block: AudioBuffer, _ range: Range<Int>, as format: PCMFormat, at time: Time,
    frame: Int64 = 0, _ quantizer: Quantizer = Quantizer(isDithered: false)
  ) {
    let samples: Samples
    switch format.sampleType {
    case .float32:
      samples = .float32(
        Self.arranged(block.channelCount, range.count, format.isInterleaved) { channel, plane in
          plane.update(from: block.planes[channel] + range.lowerBound, count: range.count)
        })
    case .int16:
      samples = .int16(
        Self.arranged(block.channelCount, range.count, format.isInterleaved) { channel, plane in
          quantizer.convert(
            block.planes[channel] + range.lowerBound, count: range.count, frame: frame,
            channel: channel, to: plane, stride: 1)
        })
    case .int24, .int32:
      let steps = Self.arranged(block.channelCount, range.count, format.isInterleaved) {
        quantizer.round(
          block.planes[$0] + range.lowerBound, count: range.count, frame: frame, channel: $0,
          bits: format.sampleType.bitDepth, to: $1)
      }
      samples = format.sampleType == .int24 ? .int24(steps) : .int32(steps)
    }
    self.init(samples, format, at: time)
  }

  /// Planes that `fill` writes, one after the other, or frame by frame.
  private static func arranged<Sample>(
    _ channels: Int, _ count: Int, _ isInterleaved: Bool,
    _ fill: (_ channel: Int, UnsafeMutablePointer<Sample>) -> Void
  ) -> [Sample] {
    let planar = [Sample](unsafeUninitializedCapacity: channels * count) { samples, filled in
      if let start = samples.baseAddress {
        for channel in 0..<channels { fill(channel, start + channel * count) }
      }
      filled = channels * count
    }
    guard isInterleaved, channels > 1 else { return planar }
    return planar.withUnsafeBufferPointer { planar in
      [Sample](unsafeUninitializedCapacity: channels * count) { samples, filled in
        for channel in 0..<channels {
          var index = 0
          while index < count {
            samples.initializeElement(
              at: index * channels + channel, to: planar[channel * count + index])
            index += 1
          }
        }
        filled = channels * count
      }
    }
  }
}

extension AudioBuffer {
  /// Takes in frames of a buffer with as many channels, from its frame `first` on, as many as fit.
  func take(_ buffer: PCMBuffer, from first: Int, _ planes: [[Float]]) {
    frameCount = min(capacity, buffer.frameCount - first)
    for channel in 0..<channelCount {
      planes[channel].withUnsafeBufferPointer { plane in
        guard let start = plane.baseAddress else { return }
        self.planes[channel].update(from: start + first, count: frameCount)
      }
    }
  }
}
