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
      digest?.append(
        UnsafePointer(rounded.planes), count: count, channels: rounded.channelCount, bits: bitDepth)
      try take(rounded.planes, count)
      done += count
      frameCount += Int64(count)
    }
  }

  func finish() -> [UInt8]? { digest?.finish() }
}
