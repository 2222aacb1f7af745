import LibAV
import Splicing

/// What the encoders of a codec take, made of a mix.
protocol EncodedSamples {
  associatedtype Sample: EncoderSample

  /// Gives the samples of a block to `take`, some frames at a time.
  mutating func convert<Problem: Error>(
    _ block: AudioBuffer,
    _ take: (UnsafePointer<UnsafeMutablePointer<Sample>>, _ count: Int) throws(Problem) -> Void
  ) throws(Problem)

  /// The digest of all samples; nil where the codec needs none. Nothing may be converted after it.
  mutating func finish() -> [UInt8]?
}

/// A sample as one of FFmpeg's encoders takes it.
protocol EncoderSample: BitwiseCopyable, Numeric {
  /// Fills in `count` frames from `start` of the planes on, at most the encoder's `room`.
  ///
  /// - Parameters:
  ///   - encoder: The encoder.
  ///   - count: PCM frames.
  ///   - planes: One pointer for each channel, to samples where ±1 is full scale, or steps of as many
  ///     bits as the codec has.
  ///   - start: The first frame's place in them.
  /// - Throws: FFmpeg's error.
  static func fill(
    _ encoder: Encoder, _ count: Int, with planes: UnsafePointer<UnsafeMutablePointer<Self>>,
    from start: Int
  ) throws(LibAVError)
}

/// The samples of a lossy codec: those of the mix.
struct FloatSamples: EncodedSamples {
  func convert<Problem: Error>(
    _ block: AudioBuffer,
    _ take: (UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int) throws(Problem) -> Void
  ) throws(Problem) {
    try take(block.planes, block.frameCount)
  }

  func finish() -> [UInt8]? { nil }
}
