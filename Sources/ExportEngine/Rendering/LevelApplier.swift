import ExportGraph
import Glibc
import MediaComposition

/// Applies a `Level` to blocks. A frame's result depends on its index and channel alone.
final class LevelApplier {
  private let level: Level
  /// By channel; nil for channels that a pan does not change.
  private let sides: [ChannelLayout.Channel.Side?]
  /// The factors of a block where they change within it: for the middle, the left and the right.
  private var factors: AudioBuffer?
  private var unweighed: AudioBuffer?

  init(_ level: Level, _ layout: ChannelLayout) {
    self.level = level
    sides = layout.channels.map { level.pan == nil ? nil : $0.side }
  }

  func close() { (factors, unweighed) = (nil, nil) }

  /// Applies the level to a buffer from its frame `offset` on, with the sound at `frames` of the
  /// timeline. O(frames + log ramps).
  func apply(to buffer: AudioBuffer, at offset: Int, frames: Range<Int64>) {
    if let matrix = level.matrix { weigh(buffer, matrix, at: offset, count: frames.count) }
    if let factor = steadyGain(over: frames), let pan = steadyPan(over: frames) {
      for (channel, side) in sides.enumerated() {
        let own = factor * (side.map { pan.factor(of: $0) } ?? 1)
        if own != 1 { scale(buffer.planes[channel] + offset, count: frames.count, by: own) }
      }
    } else {
      let factors = movingFactors(over: frames)
      for (channel, side) in sides.enumerated() {
        multiply(
          buffer.planes[channel] + offset,
          with: factors.planes[side.map { $0 == .left ? 1 : 2 } ?? 0],
          count: frames.count)
      }
    }
  }

  // MARK: Where nothing moves

  /// The gain and all envelopes, if none changes over `frames`.
  private func steadyGain(over frames: Range<Int64>) -> Float? {
    var gain = level.gain
    for envelope in level.envelopes {
      guard let value = envelope.steadyValue(over: frames) else { return nil }
      gain *= value
    }
    return gain
  }

  private func steadyPan(over frames: Range<Int64>) -> PanPosition? {
    guard let pan = level.pan else { return PanPosition(value: 0) }
    return pan.steadyValue(over: frames).map(PanPosition.init)
  }

  // MARK: Where something moves

  private func movingFactors(over frames: Range<Int64>) -> AudioBuffer {
    let count = frames.count
    let made =
      factors.flatMap { $0.capacity >= count ? $0 : nil }
      ?? AudioBuffer(channelCount: level.pan == nil ? 1 : 3, capacity: count)
    factors = made
    let middle = made.planes[0]
    middle.update(repeating: level.gain, count: count)
    for envelope in level.envelopes {
      envelope.pieces(over: frames) { offset, length, value in
        if value != 1 { scale(middle + offset, count: length, by: value) }
      } moving: { offset, length, ramp, first in
        ramp.multiply(middle + offset, count: length, from: first)
      }
    }
    guard let pan = level.pan else { return made }
    let (left, right) = (made.planes[1], made.planes[2])
    // The position, before it becomes the factors of both sides.
    pan.pieces(over: frames) { offset, length, value in
      (left + offset).update(repeating: value, count: length)
    } moving: { offset, length, ramp, first in
      (left + offset).update(repeating: 1, count: length)
      ramp.multiply(left + offset, count: length, from: first)
    }
    for frame in 0..<count {
      let position = PanPosition(value: left[frame])
      left[frame] = middle[frame] * position.factor(of: .left)
      right[frame] = middle[frame] * position.factor(of: .right)
    }
    return made
  }

  private func weigh(_ buffer: AudioBuffer, _ matrix: ChannelMatrix, at offset: Int, count: Int) {
    let copy =
      unweighed.flatMap { $0.capacity >= count ? $0 : nil }
      ?? AudioBuffer(channelCount: buffer.channelCount, capacity: count)
    unweighed = copy
    for channel in 0..<buffer.channelCount {
      copy.planes[channel].update(from: buffer.planes[channel] + offset, count: count)
    }
    matrix.weigh(copy, into: buffer, at: offset, count: count)
  }
}

// MARK: - Straight-line kernels

func scale(_ plane: UnsafeMutablePointer<Float>, count: Int, by factor: Float) {
  for frame in 0..<count { plane[frame] *= factor }
}

func multiply(
  _ plane: UnsafeMutablePointer<Float>, with factors: UnsafeMutablePointer<Float>, count: Int
) {
  for frame in 0..<count { plane[frame] *= factors[frame] }
}

// MARK: - Values over time

extension Level.Envelope {
  /// The first ramp that ends after `frame`. O(log ramps).
  private func firstRamp(after frame: Int64) -> Int {
    ramps.partitioningIndex { $0.frames.upperBound > frame }
  }

  /// The value over all of `frames`; nil where a ramp or a step lies within them.
  fileprivate func steadyValue(over frames: Range<Int64>) -> Float? {
    if ramps.isEmpty { return initial }
    let next = firstRamp(after: frames.lowerBound)
    if next < ramps.count, ramps[next].frames.lowerBound < frames.upperBound { return nil }
    return next > 0 ? ramps[next - 1].end : initial
  }

  /// Cuts `frames` where ramps begin and end: calls one of the two for each piece in order, with
  /// its offset and length, and for a part of a ramp the ramp and the part's first frame in it.
  fileprivate func pieces(
    over frames: Range<Int64>, steady: (Int, Int, Float) -> Void,
    moving: (Int, Int, Level.Ramp, Int64) -> Void
  ) {
    var next = firstRamp(after: frames.lowerBound)
    var value = next > 0 ? ramps[next - 1].end : initial
    var done = frames.lowerBound
    while done < frames.upperBound {
      guard next < ramps.count, ramps[next].frames.lowerBound < frames.upperBound else { break }
      let ramp = ramps[next]
      let part = ramp.frames.clamped(to: done..<frames.upperBound)
      if part.lowerBound > done {
        steady(Int(done - frames.lowerBound), Int(part.lowerBound - done), value)
      }
      if !part.isEmpty {
        moving(
          Int(part.lowerBound - frames.lowerBound), part.count, ramp,
          part.lowerBound - ramp.frames.lowerBound)
      }
      done = max(done, part.upperBound)
      value = ramp.end
      next += 1
    }
    if done < frames.upperBound {
      steady(Int(done - frames.lowerBound), Int(frames.upperBound - done), value)
    }
  }
}

extension Level.Ramp {
  /// Multiplies with `count` values of the ramp, from its frame `first` on.
  fileprivate func multiply(
    _ values: UnsafeMutablePointer<Float>, count: Int, from first: Int64
  ) {
    let length = Float(frames.count)
    // Loops over 32-bit integers vectorise.
    guard first + Int64(count) < Int64(Int32.max) else {
      for index in 0..<count { values[index] *= value(at: Float(first + Int64(index)) / length) }
      return
    }
    let first = Int32(truncatingIfNeeded: first)
    guard curve == .linear else {
      for index in 0..<Int32(truncatingIfNeeded: count) {
        values[Int(index)] *= value(at: Float(first &+ index) / length)
      }
      return
    }
    let rise = end - start
    for index in 0..<Int32(truncatingIfNeeded: count) {
      values[Int(index)] *= start + rise * (Float(first &+ index) / length)
    }
  }

  /// The value after the share `x` of the ramp, 0 ≤ x < 1.
  private func value(at x: Float) -> Float {
    switch curve {
    case .linear:
      return start + (end - start) * x
    case .equalPower:
      // A quarter of a sine up, or of a cosine down: their squares add up to one.
      return end >= start
        ? start + (end - start) * sinf(x * .pi / 2) : end + (start - end) * cosf(x * .pi / 2)
    case .exponential:
      if start == end { return start }
      // −100 dB stands for silence.
      let (first, last) = (max(start, 1e-5), max(end, 1e-5))
      return first * powf(last / first, x)
    }
  }
}

/// A position between left and right, −1 … 1, with the law of `Pan`.
private struct PanPosition {
  var value: Float

  func factor(of side: ChannelLayout.Channel.Side) -> Float {
    // Exact in the centre and at the sides, where cosine and sine of a Float are not.
    if value == 0 { return 1 }
    let towards = side == .left ? -value : value
    if towards <= -1 { return 0 }
    return Float(2).squareRoot() * sinf((towards + 1) * (.pi / 4))
  }
}
