/// The power of a sound in short steps of a fixed grid: for each, the mean square of its loudest
/// channel.
///
/// A step's power depends on its samples alone, in whatever blocks they come. Only the last steps
/// are kept.
package struct StepPowers: Sendable {
  /// Frames of a step.
  private let length: Int64
  /// A frame on which a step begins.
  private let zero: Int64
  /// Steps that are kept at least.
  private let kept: Int
  /// Kept powers, and the step that the first of them is of.
  private var powers: [Float] = []
  private var firstStep: Int64 = 0
  /// The next frame to be added.
  package private(set) var end: Int64 = 0
  /// The step that `end` lies in: for each channel its sum of squares, in eight parts by frame.
  private var sums: [SIMD8<Float>]
  /// Whether all frames of that step before `end` are in `sums`.
  private var isWhole = false

  /// No powers yet of a sound of `channelCount` channels; the powers of `kept` frames will be kept.
  package init(channelCount: Int, step length: Int64, zero: Int64, kept: Int64) {
    (self.length, self.zero) = (max(1, length), zero)
    self.kept = Int(kept / max(1, length)) + 2
    sums = Array(repeating: .zero, count: channelCount)
  }

  /// The step that holds a frame.
  package func step(of frame: Int64) -> Int64 {
    let (quotient, rest) = (frame - zero).quotientAndRemainder(dividingBy: length)
    return rest < 0 ? quotient - 1 : quotient
  }

  /// The first frame of a step.
  package func start(of step: Int64) -> Int64 { zero + step * length }

  /// The steps whose powers are known.
  package var known: Range<Int64> { firstStep..<firstStep + Int64(powers.count) }

  /// The power of a step; 0 of one that is not known.
  package func power(of step: Int64) -> Float {
    known.contains(step) ? powers[Int(step - firstStep)] : 0
  }

  /// The first step that begins at `frame` or later.
  package func firstStep(from frame: Int64) -> Int64 { step(of: frame + length - 1) }

  /// Forgets everything; the next frame to be added is `frame`, before which is silence or what is
  /// not known.
  package mutating func restart(at frame: Int64, afterSilence: Bool) {
    powers.removeAll(keepingCapacity: true)
    end = frame
    isWhole = afterSilence || start(of: step(of: frame)) == frame
    firstStep = step(of: frame) + (isWhole ? 0 : 1)
    clear()
  }

  /// Adds `count` frames of all channels, the first of which is `end`. O(count).
  package mutating func add(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int
  ) {
    var done = 0
    while done < count {
      let step = step(of: end)
      let index = Int(end - start(of: step))
      let taken = min(count - done, Int(length) - index)
      for channel in sums.indices {
        sums[channel].addSquares(planes[channel] + done, count: taken, at: index)
      }
      done += taken
      end += Int64(taken)
      if end == start(of: step + 1) { finish() }
    }
  }

  /// Completes the step that `end` lies in with silence, after the sound's last frame.
  package mutating func addSilence() {
    guard end != start(of: step(of: end)) else { return }
    end = start(of: step(of: end) + 1)
    finish()
  }

  private mutating func finish() {
    if isWhole {
      powers.append((sums.map { $0.sum() }.max() ?? 0) / Float(length))
      // Now and then, so that a frame costs the same however many are kept.
      if powers.count >= 2 * kept {
        firstStep += Int64(powers.count - kept)
        powers.removeFirst(powers.count - kept)
      }
    }
    isWhole = true
    clear()
  }

  private mutating func clear() {
    for channel in sums.indices { sums[channel] = .zero }
  }
}

extension SIMD8<Float> {
  /// Adds the squares of samples, the one at `index` and each eighth after it to one part: the sum
  /// is the same in whatever pieces the samples come.
  fileprivate mutating func addSquares(
    _ samples: UnsafeMutablePointer<Float>, count: Int, at index: Int
  ) {
    var done = 0
    while done < count, (index + done) % 8 != 0 {
      self[(index + done) % 8] += samples[done] * samples[done]
      done += 1
    }
    while done + 8 <= count {
      let eight = UnsafeRawPointer(samples + done).loadUnaligned(as: SIMD8<Float>.self)
      self += eight * eight
      done += 8
    }
    while done < count {
      self[(index + done) % 8] += samples[done] * samples[done]
      done += 1
    }
  }
}
