import LibAV

/// Sound as the integers that a lossless codec holds: floats that encoders of any part turn into the
/// same integers, whatever dither was added.
final class IntegerSamples {
  private var dithering: Dithering
  private let bitDepth: Int
  /// The timeline's first frame.
  private let firstFrame: Int64
  private var frameCount: Int64 = 0
  /// Of FLAC, which has the digest of its sound.
  private var digest: MD5?
  private let rounded: AudioBuffer
  private var bytes: [UInt8]

  private static let blockLength = 4096

  /// Nil for a codec whose encoders make the same of the floats as they are.
  init?(_ recipe: LibAVRecipe, channelCount: Int) throws(LibAVError) {
    switch recipe.codec {
    case .flac(let bitDepth):
      self.bitDepth = bitDepth
      digest = try MD5()
    case .alac(let bitDepth) where bitDepth <= 16:
      self.bitDepth = bitDepth
      digest = nil
    // Of 24 bits nothing is dithered.
    case .alac, .pcm, .muLaw, .aLaw, .aac, .vorbis, .opus: return nil
    }
    dithering = Dithering(recipe)
    firstFrame = recipe.firstFrame
    rounded = AudioBuffer(channelCount: channelCount, capacity: Self.blockLength)
    bytes = [UInt8](repeating: 0, count: Self.blockLength * channelCount * (bitDepth <= 16 ? 2 : 4))
  }

  /// Gives the frames of a block to `take`, rounded, some at a time.
  func round<Problem: Error>(
    _ block: AudioBuffer,
    _ take: (UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int) throws(Problem) -> Void
  ) throws(Problem) {
    var done = 0
    while done < block.frameCount {
      let count = min(
        Self.blockLength, block.frameCount - done, dithering.begin(at: frameCount))
      if bitDepth <= 16 { roundTo16(block, done, count) } else { roundTo24(block, done, count) }
      try take(rounded.planes, count)
      done += count
      frameCount += Int64(count)
    }
  }

  private func roundTo16(_ block: AudioBuffer, _ start: Int, _ count: Int) {
    let channels = block.channelCount
    bytes.withUnsafeMutableBytes { bytes in
      let samples = bytes.bindMemory(to: Int16.self)
      guard let first = samples.baseAddress else { return }
      for channel in 0..<channels {
        dithering.quantizer.convert(
          block.planes[channel] + start, count: count, frame: firstFrame + frameCount,
          channel: channel, to: first + channel, stride: channels)
        let plane = rounded.planes[channel]
        for index in 0..<count {
          plane[index] = Float(samples[index * channels + channel]) * 0x1p-15
        }
      }
      digest?.update(UnsafeRawBufferPointer(rebasing: bytes[..<(count * channels * 2)]))
    }
  }

  private func roundTo24(_ block: AudioBuffer, _ start: Int, _ count: Int) {
    let channels = block.channelCount
    bytes.withUnsafeMutableBytes { bytes in
      let samples = bytes.bindMemory(to: Int32.self)
      guard let first = samples.baseAddress else { return }
      for channel in 0..<channels {
        dithering.quantizer.convert(
          block.planes[channel] + start, count: count, to: first + channel, stride: channels)
        let plane = rounded.planes[channel]
        for index in 0..<count {
          plane[index] = Float(samples[index * channels + channel]) * 0x1p-31
        }
      }
      // Three bytes of each sample, the lowest first (RFC 9639, 8.2), in place.
      for index in 0..<count * channels {
        let sample = UInt32(bitPattern: samples[index]) >> 8
        for place in 0..<3 {
          bytes[3 * index + place] = UInt8(truncatingIfNeeded: sample >> UInt32(8 * place))
        }
      }
      digest?.update(UnsafeRawBufferPointer(rebasing: bytes[..<(count * channels * 3)]))
    }
  }

  /// The digest of all sound; nil where the codec needs none. Nothing may be rounded after it.
  func finish() -> [UInt8]? {
    digest.take()?.finish()
  }
}
