import LibAV
import Splicing
import Threads

/// The samples of a lossless codec: integers, so that all of its encoders get the same ones, whatever
/// dither there is.
final class IntegerSamples: EncodedSamples {
  private var dithering: Dithering
  private let bitDepth: Int
  /// The timeline's first frame.
  private let firstFrame: Int64
  private var frameCount: Int64 = 0
  /// Of FLAC, which has the digest of its sound.
  private var digest: DigestQueue?
  /// The steps of some frames.
  private let rounded: ChunkSound<Int32>

  private static let blockLength = 4096

  init(
    _ recipe: LibAVRecipe, bitDepth: Int, channelCount: Int, crew: Crew
  ) throws(LibAVError) {
    self.bitDepth = bitDepth
    dithering = Dithering(recipe)
    firstFrame = recipe.firstFrame
    rounded = ChunkSound(channelCount: channelCount, capacity: Self.blockLength)
    guard case .flac = recipe.codec else { return }
    digest = try DigestQueue(crew)
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
      if let digest { add(count, to: digest) }
      try take(rounded.planes, count)
      done += count
      frameCount += Int64(count)
    }
  }

  /// Takes in samples of as few whole bytes as they need, the lowest first (RFC 9639, 8.2).
  private func add(_ count: Int, to digest: DigestQueue) {
    let (planes, channels) = (rounded.planes, rounded.channelCount)
    let samples = count * channels
    guard bitDepth > 16 else {
      return digest.append(count: 2 * samples, room: 2 * samples) { start in
        interleave(planes, 0, count, channels, to: start) { Int16(truncatingIfNeeded: $0) }
      }
    }
    digest.append(count: 3 * samples, room: 4 * samples) { start in
      // Three of the four bytes of each sample, the next one's over the fourth.
      for index in 0..<count {
        for channel in 0..<channels {
          (start + 3 * (index * channels + channel))
            .storeBytes(of: planes[channel][index], as: Int32.self)
        }
      }
    }
  }

  func finish() -> [UInt8]? { digest?.finish() }
}
