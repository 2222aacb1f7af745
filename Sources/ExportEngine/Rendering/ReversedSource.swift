import Diagnosis
import MediaComposition

/// A source's frames, the last one first.
///
/// Sources are cheap in their own order only, so the sound is read forwards in stretches, the last
/// stretch first, and each is copied out backwards.
final class ReversedSource: DerivedSound {
  let input: any Sound
  private let frameCount: Int64
  private let stretch: Int64
  private var buffer: AudioBuffer?
  private var start: Int64 = -1

  /// Frames in a stretch: a seek in a lossy stream decodes up to 2¹⁷ frames for nothing.
  private static let shortStretch = 1 << 18
  /// Bytes in a stretch of a source that begins anew whenever it goes back.
  private static let longStretchSize = 32 << 20

  /// `startsAnew`: whether going back in `input` begins at its first frame.
  init(_ input: any Sound, frameCount: Int64, startsAnew: Bool) {
    self.input = input
    self.frameCount = frameCount
    stretch = Int64(
      startsAnew
        ? max(Self.shortStretch, Self.longStretchSize / 4 / max(1, input.channelCount))
        : Self.shortStretch)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let wanted = max(0, Int(min(frames.upperBound, frameCount) - frames.lowerBound))
    var filled = 0
    while filled < wanted {
      let last = frameCount - 1 - frames.lowerBound - Int64(filled)
      let held = try load(stretchWith: last)
      let index = Int(last - start)
      let taken = min(wanted - filled, index + 1)
      for channel in 0..<channelCount {
        let source = held.planes[channel] + index
        let target = buffer.planes[channel] + offset + filled
        for frame in 0..<taken { target[frame] = source[-frame] }
      }
      filled += taken
    }
    return filled
  }

  private func load(stretchWith frame: Int64) throws(Failure) -> AudioBuffer {
    let buffer =
      self.buffer
      ?? AudioBuffer(channelCount: channelCount, capacity: Int(min(stretch, frameCount)))
    self.buffer = buffer
    let first = frame / stretch * stretch
    if first != start {
      start = -1
      var rest = first..<min(first + stretch, frameCount)
      while !rest.isEmpty {
        let next = rest.prefix(Renderer.blockSize)
        let place = Int(next.lowerBound - first)
        guard try input.read(next, into: buffer, at: place) == next.count else {
          throw Failure(.reportBug, "a sound to be reversed ended early")
        }
        rest = next.upperBound..<rest.upperBound
      }
      start = first
    }
    return buffer
  }
}
