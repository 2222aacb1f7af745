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
  static func fill(
    _ encoder: Encoder, _ count: Int, with planes: UnsafePointer<UnsafeMutablePointer<Self>>,
    from start: Int
  ) throws(LibAVError)
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
    try encoder.fill(count, with: planes, from: start)
  }
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
