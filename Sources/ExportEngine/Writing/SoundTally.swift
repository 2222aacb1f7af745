import Diagnosis
import MediaComposition

/// A writer's counts: frames against the announced number, peaks, samples over full scale. Refuses
/// samples that no encoder may get.
struct SoundTally {
  /// Nil for an unknown number: a recording.
  let expectedFrames: Int64?
  let channelCount: Int
  private(set) var frameCount: Int64 = 0
  private(set) var clippedSamples: Int64 = 0
  /// A magnitude's bit pattern: these have the order of the values, NaN above infinity.
  private var largest: UInt32 = 0

  init(expectedFrames: Int64?, channelCount: Int) {
    self.expectedFrames = expectedFrames
    self.channelCount = channelCount
  }

  var peak: Float { Float(bitPattern: largest) }

  /// Counts a block before it is encoded.
  mutating func add(_ block: AudioBuffer) throws(Failure) {
    guard block.channelCount == channelCount else {
      throw Failure(
        .reportBug, "was given \(block.channelCount) channels of sound instead of \(channelCount)")
    }
    for channel in 0..<channelCount {
      let (clipped, largest) = Self.scan(block.samples(channel))
      clippedSamples += Int64(clipped)
      self.largest = max(self.largest, largest)
    }
    guard largest < Float.infinity.bitPattern else {
      throw Failure(.reportBug, "was given \(firstBadSample(in: block)), which is no finite number")
    }
    frameCount += Int64(block.frameCount)
    if let expectedFrames, frameCount > expectedFrames { throw mismatch(expectedFrames) }
  }

  /// Counts frames that are not rendered.
  mutating func skip(_ frameCount: Int64) { self.frameCount += frameCount }

  func requireComplete() throws(Failure) {
    if let expectedFrames, frameCount != expectedFrames { throw mismatch(expectedFrames) }
  }

  private func mismatch(_ expectedFrames: Int64) -> Failure {
    Failure(.reportBug, "was given \(frameCount) frames of sound instead of \(expectedFrames)")
  }

  /// Integers only, so that the loop vectorises.
  private static func scan(_ samples: UnsafeMutableBufferPointer<Float>) -> (UInt32, UInt32) {
    var clipped: UInt32 = 0
    var largest: UInt32 = 0
    for sample in samples {
      let magnitude = sample.bitPattern & 0x7FFF_FFFF
      largest = max(largest, magnitude)
      clipped &+= magnitude > 0x3F80_0000 ? 1 : 0
    }
    return (clipped, largest)
  }

  private func firstBadSample(in block: AudioBuffer) -> String {
    for index in 0..<block.frameCount {
      for channel in 0..<channelCount where !block.samples(channel)[index].isFinite {
        let value = block.samples(channel)[index]
        return "\(value) in channel \(channel + 1) of frame \(frameCount + Int64(index))"
      }
    }
    return "a sample"
  }
}
