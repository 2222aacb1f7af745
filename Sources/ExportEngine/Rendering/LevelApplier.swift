import ExportGraph
import Glibc
import MediaComposition

/// Applies a `Level` to blocks. What a frame becomes depends on its index and channel alone.
final class LevelApplier {
  private let level: Level
  private let layout: ChannelLayout
  private let isUnity: Bool
  /// Multiplied with every channel, and with the left or right ones beside that.
  private var factors: [Float] = []
  private var left: [Float] = []
  private var right: [Float] = []

  init(_ level: Level, _ layout: ChannelLayout) {
    self.level = level
    self.layout = layout
    isUnity = level == .unity
  }

  /// Lets go of memory until the next block.
  func close() { (factors, left, right) = ([], [], []) }

  /// Applies the level to the buffer's first frames, which lie at `frames` on the timeline.
  func apply(to buffer: AudioBuffer, frames: Range<Int64>) {
    if isUnity { return }
    let count = frames.count
    if let matrix = level.matrix { weigh(buffer, matrix, count: count) }
    fill(&factors, count: count) { factors in
      factors.update(repeating: level.gain, count: count)
      for envelope in level.envelopes { multiply(factors, with: envelope, over: frames) }
    }
    if let pan = level.pan {
      fill(&left, count: count) { left in
        fill(&right, count: count) { right in
          for (index, frame) in frames.enumerated() {
            let angle = (pan.value(at: frame) + 1) * (.pi / 4)
            // Exact in the centre, where cosine and sine of a Float are not.
            let isCentre = angle == .pi / 4
            left[index] = isCentre ? 1 : max(0, Float(2).squareRoot() * cosf(angle))
            right[index] = isCentre ? 1 : Float(2).squareRoot() * sinf(angle)
          }
        }
      }
    }
    for (channel, place) in layout.channels.enumerated() {
      let plane = buffer.planes[channel]
      multiply(plane, with: factors, count: count)
      guard level.pan != nil, let side = place.side else { continue }
      multiply(plane, with: side == .left ? left : right, count: count)
    }
  }

  private func fill(
    _ values: inout [Float], count: Int, _ body: (UnsafeMutablePointer<Float>) -> Void
  ) {
    if values.count < count { values = Array(repeating: 1, count: count) }
    values.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { body(base) } }
  }

  private func multiply(_ plane: UnsafeMutablePointer<Float>, with values: [Float], count: Int) {
    values.withUnsafeBufferPointer { values in
      guard let values = values.baseAddress else { return }
      for frame in 0..<count { plane[frame] *= values[frame] }
    }
  }

  /// Channels weighted into one another, frame by frame.
  private func weigh(_ buffer: AudioBuffer, _ matrix: ChannelMatrix, count: Int) {
    var frame = [Float](repeating: 0, count: buffer.channelCount)
    for index in 0..<count {
      for channel in frame.indices { frame[channel] = buffer.planes[channel][index] }
      for (channel, row) in matrix.weights.enumerated() {
        buffer.planes[channel][index] = zip(row, frame).reduce(0) { $0 + $1.0 * $1.1 }
      }
    }
  }

  private func multiply(
    _ factors: UnsafeMutablePointer<Float>, with envelope: Level.Envelope,
    over frames: Range<Int64>
  ) {
    var hold = envelope.initial
    var done = frames.lowerBound
    for ramp in envelope.ramps {
      if ramp.frames.lowerBound >= frames.upperBound { break }
      let start = max(done, ramp.frames.lowerBound)
      if start > done { scale(factors, done..<start, in: frames, by: hold) }
      let end = max(start, min(frames.upperBound, ramp.frames.upperBound))
      for frame in start..<end {
        factors[Int(frame - frames.lowerBound)] *= ramp.value(at: frame)
      }
      hold = ramp.end
      done = max(done, end)
    }
    if done < frames.upperBound { scale(factors, done..<frames.upperBound, in: frames, by: hold) }
  }

  private func scale(
    _ factors: UnsafeMutablePointer<Float>, _ range: Range<Int64>, in frames: Range<Int64>,
    by factor: Float
  ) {
    if factor == 1 { return }
    for frame in range { factors[Int(frame - frames.lowerBound)] *= factor }
  }
}

extension Level.Envelope {
  /// The value at a frame. O(ramps).
  fileprivate func value(at frame: Int64) -> Float {
    guard let ramp = ramps.last(where: { $0.frames.lowerBound <= frame }) else { return initial }
    return ramp.frames.contains(frame) ? ramp.value(at: frame) : ramp.end
  }
}

extension Level.Ramp {
  /// The value at a frame inside the ramp.
  fileprivate func value(at frame: Int64) -> Float {
    let x = Float(frame - frames.lowerBound) / Float(frames.count)
    switch curve {
    case .linear:
      return start + (end - start) * x
    case .equalPower:
      // A quarter of a sine up, or of a cosine down: their squares add up to one.
      return end >= start
        ? start + (end - start) * sinf(x * .pi / 2) : end + (start - end) * cosf(x * .pi / 2)
    case .exponential:
      // −100 dB stand for silence.
      let (first, last) = (max(start, 1e-5), max(end, 1e-5))
      return first * powf(last / first, x)
    }
  }
}

extension ChannelLayout.Channel {
  fileprivate enum Side { case left, right }

  /// The side that a pan turns up or down; nil in the middle.
  fileprivate var side: Side? {
    switch self {
    case .frontLeft, .backLeft, .frontLeftOfCenter, .sideLeft: .left
    case .frontRight, .backRight, .frontRightOfCenter, .sideRight: .right
    case .frontCenter, .lowFrequency, .backCenter: nil
    }
  }
}
