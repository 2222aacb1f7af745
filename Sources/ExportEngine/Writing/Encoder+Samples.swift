import LibAV

extension LibAV.Encoder {
  /// Fills in `count` frames from `start` of the planes on, at most `room`, in the codec's sample
  /// format.
  ///
  /// - Parameters:
  ///   - count: PCM frames.
  ///   - planes: One pointer for each channel, to samples where ±1 is full scale.
  ///   - start: The first frame's place in them.
  ///   - frame: Its number, by which dither is chosen.
  ///   - quantizer: Makes integers, where the codec has such.
  /// - Throws: FFmpeg's error.
  func fill(
    _ count: Int, with planes: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int,
    frame: Int64 = 0, _ quantizer: Quantizer = Quantizer(isDithered: false)
  ) throws(LibAVError) {
    let channels = channelCount
    try fill(count) { plane, destination in
      switch sampleFormat {
      case .uint8:
        let samples = destination.assumingMemoryBound(to: UInt8.self)
        for channel in 0..<channels {
          quantizer.convert(
            planes[channel] + start, count: count, frame: frame, channel: channel,
            to: samples + channel, stride: channels)
        }
      case .int16:
        let samples = destination.assumingMemoryBound(to: Int16.self)
        for channel in 0..<channels {
          quantizer.convert(
            planes[channel] + start, count: count, frame: frame, channel: channel,
            to: samples + channel, stride: channels)
        }
      case .int24:
        let samples = destination.assumingMemoryBound(to: Int32.self)
        for channel in 0..<channels {
          quantizer.convert(
            planes[channel] + start, count: count, to: samples + channel, stride: channels)
        }
      case .float: interleave(planes, start, count, channels, to: destination) { $0 }
      case .planarFloat:
        destination.assumingMemoryBound(to: Float.self)
          .update(from: planes[plane] + start, count: count)
      case .planarInt16:
        quantizer.convert(
          planes[plane] + start, count: count, frame: frame, channel: plane,
          to: destination.assumingMemoryBound(to: Int16.self), stride: 1)
      case .planarInt24:
        quantizer.convert(
          planes[plane] + start, count: count, to: destination.assumingMemoryBound(to: Int32.self),
          stride: 1)
      }
    }
  }
}

extension Float: EncoderSample {
  static func fill(
    _ encoder: Encoder, _ count: Int, with planes: UnsafePointer<UnsafeMutablePointer<Float>>,
    from start: Int
  ) throws(LibAVError) {
    try encoder.fill(count, with: planes, from: start)
  }
}

extension Int32: EncoderSample {
  static func fill(
    _ encoder: Encoder, _ count: Int, with planes: UnsafePointer<UnsafeMutablePointer<Int32>>,
    from start: Int
  ) throws(LibAVError) {
    let (format, channels) = (encoder.sampleFormat, encoder.channelCount)
    try encoder.fill(count) { plane, destination in
      switch format {
      case .int16:
        interleave(planes, start, count, channels, to: destination) {
          Int16(truncatingIfNeeded: $0)
        }
      // At the top of 32 bits.
      case .int24: interleave(planes, start, count, channels, to: destination) { $0 &<< 8 }
      case .planarInt16:
        interleave(planes + plane, start, count, 1, to: destination) {
          Int16(truncatingIfNeeded: $0)
        }
      case .planarInt24:
        interleave(planes + plane, start, count, 1, to: destination) { $0 &<< 8 }
      case .uint8, .float, .planarFloat:
        preconditionFailure("a codec of integers takes 16 or 24 bits")
      }
    }
  }
}

/// Stores the samples of some channels frame by frame, in memory that has room for them.
@inline(__always)
func interleave<Source, Sample>(
  _ planes: UnsafePointer<UnsafeMutablePointer<Source>>, _ start: Int, _ count: Int,
  _ channels: Int, to destination: UnsafeMutableRawPointer, _ sample: (Source) -> Sample
) {
  let samples = destination.bindMemory(to: Sample.self, capacity: count * channels)
  // Both channels of stereo in one pass: the loop vectorises.
  if channels == 2 {
    let (left, right) = (planes[0] + start, planes[1] + start)
    for index in 0..<count {
      samples[2 * index] = sample(left[index])
      samples[2 * index + 1] = sample(right[index])
    }
    return
  }
  for channel in 0..<channels {
    let plane = planes[channel] + start
    for index in 0..<count { samples[index * channels + channel] = sample(plane[index]) }
  }
}
