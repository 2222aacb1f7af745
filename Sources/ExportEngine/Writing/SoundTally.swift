import Diagnosis
import MediaComposition

/// A writer's counts: frames against the announced number, and of those that are encoded peaks and
/// samples over full scale. Refuses samples that no encoder may get.
struct SoundTally {
  /// Nil for an unknown number: a recording.
  let expectedFrames: Int64?
  let channelCount: Int
  private(set) var frameCount: Int64 = 0
  private(set) var clippedSamples: Int64 = 0
  /// A magnitude's bit pattern: these have the order of the values, NaN above infinity.
  private var largest: UInt32 = 0
  /// The parts that are still to come, of an output whose copied ones are not rendered for it.
  private var parts: ArraySlice<CopiedPart>
  private let isCopied: Bool

  init(expectedFrames: Int64?, channelCount: Int, copied: [CopiedPart]? = nil) {
    self.expectedFrames = expectedFrames
    self.channelCount = channelCount
    parts = (copied ?? [])[...]
    isCopied = copied.map { $0.allSatisfy { $0.source != nil } } ?? false
  }

  /// Nil where all is copied.
  var peak: Float? { isCopied ? nil : Float(bitPattern: largest) }

  /// Counts a block before it is encoded.
  mutating func add(_ block: AudioBuffer) throws(Failure) {
    guard block.channelCount == channelCount else {
      throw Failure(
        .reportBug, "was given \(block.channelCount) channels of sound instead of \(channelCount)")
    }
    var start = 0
    while start < block.frameCount {
      let (end, isEncoded) = part(of: block, from: start)
      for channel in 0..<channelCount {
        let (clipped, largest) = Self.scan(block.samples(channel)[start..<end])
        guard largest < Float.infinity.bitPattern else {
          throw Failure(
            .reportBug, "was given \(firstBadSample(in: block)), which is no finite number")
        }
        guard isEncoded else { continue }
        clippedSamples += Int64(clipped)
        self.largest = max(self.largest, largest)
      }
      start = end
    }
    frameCount += Int64(block.frameCount)
    if let expectedFrames, frameCount > expectedFrames { throw mismatch(expectedFrames) }
  }

  /// The end of the part that a block's frame lies in, at most the block's, and whether the part is
  /// encoded.
  private mutating func part(of block: AudioBuffer, from start: Int) -> (end: Int, isEncoded: Bool)
  {
    let frame = frameCount + Int64(start)
    while let part = parts.first, part.frames.upperBound <= frame { parts = parts.dropFirst() }
    guard let part = parts.first else { return (block.frameCount, true) }
    return (min(block.frameCount, Int(part.frames.upperBound - frameCount)), part.source == nil)
  }

  /// Counts frames that are not rendered.
  mutating func skip(_ frameCount: Int64) { self.frameCount += frameCount }

  func requireComplete() throws(Failure) {
    if let expectedFrames, frameCount != expectedFrames { throw mismatch(expectedFrames) }
  }

  private func mismatch(_ expectedFrames: Int64) -> Failure {
    Failure(.reportBug, "was given \(frameCount) frames of sound instead of \(expectedFrames)")
  }

  /// Integers only, so that the loop vectorises, and signed ones, which SSE2 can compare. Few blocks
  /// reach beyond full scale: only their samples are looked at twice.
  private static func scan(_ samples: Slice<UnsafeMutableBufferPointer<Float>>) -> (UInt32, UInt32)
  {
    let samples = UnsafeMutableBufferPointer(rebasing: samples)
    let fullScale: Int32 = 0x3F80_0000
    func magnitude(_ sample: Float) -> Int32 {
      Int32(truncatingIfNeeded: sample.bitPattern & 0x7FFF_FFFF)
    }
    var largest: Int32 = 0
    for sample in samples { largest = max(largest, magnitude(sample)) }
    var clipped: UInt32 = 0
    if largest > fullScale {
      for sample in samples { clipped &+= magnitude(sample) > fullScale ? 1 : 0 }
    }
    return (clipped, UInt32(largest))
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
