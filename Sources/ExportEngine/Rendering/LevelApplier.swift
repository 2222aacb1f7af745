import ExportGraph
import Glibc
import MediaComposition

/// Multiplies blocks with a `Level`. A frame's factor depends on its index alone.
final class LevelApplier {
  private let level: Level
  private let isUnity: Bool
  private var factors: [Float] = []

  init(_ level: Level) {
    self.level = level
    isUnity = level == .unity
  }

  /// Lets go of memory until the next block.
  func close() { factors = [] }

  /// Applies the level to the buffer's first frames, which lie at `frames` on the timeline.
  func apply(to buffer: AudioBuffer, frames: Range<Int64>) {
    if isUnity { return }
    let count = frames.count
    if factors.count < count { factors = Array(repeating: 1, count: count) }
    factors.withUnsafeMutableBufferPointer { factors in
      guard let factors = factors.baseAddress else { return }
      factors.update(repeating: level.gain, count: count)
      for envelope in level.envelopes { multiply(factors, with: envelope, over: frames) }
      for channel in 0..<buffer.channelCount {
        let plane = buffer.planes[channel]
        for frame in 0..<count { plane[frame] *= factors[frame] }
      }
    }
  }

  private func multiply(
    _ factors: UnsafeMutablePointer<Float>, with envelope: [Level.Ramp], over frames: Range<Int64>
  ) {
    guard var hold = envelope.first?.start else { return }
    var done = frames.lowerBound
    for ramp in envelope {
      if ramp.frames.lowerBound >= frames.upperBound { break }
      let start = max(done, ramp.frames.lowerBound)
      if start > done { scale(factors, done..<start, in: frames, by: hold) }
      let end = max(start, min(frames.upperBound, ramp.frames.upperBound))
      for frame in start..<end {
        factors[Int(frame - frames.lowerBound)] *= ramp.factor(at: frame)
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

extension Level.Ramp {
  /// The factor at a frame inside the ramp.
  fileprivate func factor(at frame: Int64) -> Float {
    let x = Float(frame - frames.lowerBound) / Float(frames.count)
    switch curve {
    case .linear:
      return start + (end - start) * x
    case .equalPower:
      // A quarter of a sine up, or of a cosine down: their squares add up to one.
      return end >= start
        ? start + (end - start) * sinf(x * .pi / 2) : end + (start - end) * cosf(x * .pi / 2)
    }
  }
}
