import LibAV
import Splicing

/// The samples of a lossless codec: integers, so that all of its encoders get the same ones, whatever
/// dither there is.
final class IntegerSamples: EncodedSamples {
  private var dithering: Dithering
  private let bitDepth: Int
  /// The timeline's first frame.
  private let firstFrame: Int64
  private var frameCount: Int64 = 0
  /// Of FLAC, which has the digest of its sound.
  private var digest: MD5?
  /// The steps of some frames.
  private let rounded: ChunkSound<Int32>
  private var bytes: [UInt8] = []

  private static let blockLength = 4096

  init(_ recipe: LibAVRecipe, bitDepth: Int, channelCount: Int) throws(LibAVError) {
    self.bitDepth = bitDepth
    dithering = Dithering(recipe)
    firstFrame = recipe.firstFrame
    rounded = ChunkSound(channelCount: channelCount, capacity: Self.blockLength)
    guard case .flac = recipe.codec else { return }
    digest = try MD5()
    bytes = [UInt8](repeating: 0, count: Self.blockLength * channelCount * 4)
  }

  func convert<Problem: Error>(
    _ block: AudioBuffer,
    _ take: (UnsafePointer<UnsafeMutablePointer<Int32>>, _ count: Int) throws(Problem) -> Void
  ) throws(Problem) {
    var done = 0
    while done < block.frameCount {
      let count = min(
        Self.blockLength, block.frameCount - done, dithering.begin(at: frameCount))
      for channel in 0..<block.channelCount {
        dithering.quantizer.round(
          block.planes[channel] + done, count: count, frame: firstFrame + frameCount,
          channel: channel, bits: bitDepth, to: rounded.planes[channel])
      }
      if digest != nil { addToDigest(count) }
      try take(rounded.planes, count)
      done += count
      frameCount += Int64(count)
    }
  }

  /// Takes in samples of as few whole bytes as they need, the lowest first (RFC 9639, 8.2).
  private func addToDigest(_ count: Int) {
    let (planes, channels) = (rounded.planes, rounded.channelCount)
    bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      if bitDepth <= 16 {
        interleave(planes, 0, count, channels, to: start) { Int16(truncatingIfNeeded: $0) }
      } else {
        interleave(planes, 0, count, channels, to: start) { $0 }
        // Three of the four bytes of each sample, in place.
        for index in 0..<count * channels {
          for place in 0..<3 { bytes[3 * index + place] = bytes[4 * index + place] }
        }
      }
      let size = count * channels * (bitDepth <= 16 ? 2 : 3)
      digest?.update(UnsafeRawBufferPointer(rebasing: bytes[..<size]))
    }
  }

  func finish() -> [UInt8]? { digest.take()?.finish() }
}
