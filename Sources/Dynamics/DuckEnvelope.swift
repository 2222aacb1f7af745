/// The gain of a track that is lowered while other ones sound: one, a depth, and ramps between the
/// two that are straight in decibels.
///
/// The gain of a frame is a function of the times at which others sound, as far as these times lie
/// within `hold` and `release` before the frame, and within `attack` after it.
package struct DuckEnvelope: Sendable, Hashable {
  /// Frames of the fall, which ends where another sound begins.
  private let attack: Int64
  /// Frames after another sound during which the gain stays down.
  private let hold: Int64
  /// Frames of the rise after that.
  private let release: Int64
  /// The binary logarithm of the gain at full depth.
  private let slope: Float
  /// The gain at full depth.
  package let deepest: Float

  /// An envelope of `depth` decibels, 0 … 100, with times in frames, less than 2³¹.
  package init(depth: Double, attack: Int64, hold: Int64, release: Int64) {
    (self.attack, self.hold, self.release) = (attack, hold, release)
    // 20 dB are a factor of 10.
    slope = Float(-depth / 20 * 3.321928094887362)
    deepest = powerOfTwo(slope)
  }

  /// The gain over all of `frames`; nil where it moves. `sounding` has the times at which others
  /// sound, in order of their starts; they may touch and overlap, and those that cannot matter may
  /// be left out. O(ranges).
  package func steadyGain(over frames: Range<Int64>, sounding: [Range<Int64>]) -> Float? {
    var isNear = false
    for range in sounding {
      let low = range.lowerBound..<range.upperBound + hold
      if low.lowerBound <= frames.lowerBound, frames.upperBound <= low.upperBound { return deepest }
      isNear =
        isNear || (low.lowerBound - attack..<low.upperBound + release).overlaps(frames)
    }
    return isNear ? nil : 1
  }

  /// Writes the gains of `frames`, the first at `gains[0]`. O(frames + ranges).
  package func write(
    _ gains: UnsafeMutablePointer<Float>, over frames: Range<Int64>, sounding: [Range<Int64>]
  ) {
    var done = frames.lowerBound
    var lastEnd: Int64?
    func fill(to end: Int64, with gain: Float) {
      guard done < end else { return }
      (gains + Int(done - frames.lowerBound)).update(repeating: gain, count: Int(end - done))
      done = end
    }
    func ramp(to end: Int64, before next: Int64?) {
      guard done < end else { return }
      write(gains + Int(done - frames.lowerBound), over: done..<end, after: lastEnd, before: next)
      done = end
    }
    for range in sounding {
      let low = range.lowerBound..<range.upperBound + hold
      if done < low.lowerBound {
        let end = min(low.lowerBound, frames.upperBound)
        ramp(to: min(lastEnd.map { $0 + release } ?? done, end), before: low.lowerBound)
        fill(to: min(low.lowerBound - attack, end), with: 1)
        ramp(to: end, before: low.lowerBound)
      }
      fill(to: min(low.upperBound, frames.upperBound), with: deepest)
      lastEnd = max(lastEnd ?? .min, low.upperBound)
    }
    ramp(to: min(lastEnd.map { $0 + release } ?? done, frames.upperBound), before: nil)
    fill(to: frames.upperBound, with: 1)
  }

  /// Writes gains between two times of full depth; those of ramps that do not touch `frames` do not
  /// matter.
  private func write(
    _ gains: UnsafeMutablePointer<Float>, over frames: Range<Int64>, after lastEnd: Int64?,
    before next: Int64?
  ) {
    let count = Int32(truncatingIfNeeded: frames.count)
    // A ramp that is over, or none, is one whose share is 1 from the first frame on.
    var (first, rise) = (1 as Int32, 1 as Float)
    if let lastEnd, frames.lowerBound - lastEnd < release {
      first = Int32(truncatingIfNeeded: frames.lowerBound - lastEnd)
      rise = 1 / Float(release)
    }
    var (left, fall) = (count, 1 as Float)
    if let next, next - frames.upperBound < attack {
      left = Int32(truncatingIfNeeded: next - frames.lowerBound)
      fall = 1 / Float(attack)
    }
    // Loops over 32-bit integers vectorise.
    for index in 0..<count {
      let share = min(min(Float(first &+ index) * rise, Float(left &- index) * fall), 1)
      gains[Int(index)] = powerOfTwo(slope * (1 - share))
    }
  }
}

/// 2 to the power of a number from −100 to 100, to 3e-7 of the result, and exact for whole numbers.
///
/// By a polynomial and nothing that processors do in different ways, as libm's functions may: the
/// result is the same on each one.
@inline(__always)
private func powerOfTwo(_ exponent: Float) -> Float {
  // Adding 1.5 · 2²³ rounds to a whole number, which the sum's last bits are.
  let rounding: Float = 12_582_912
  let sum = exponent + rounding
  let rest = exponent - (sum - rounding)
  // The series of 2ˣ, |x| ≤ 1/2.
  var power: Float = 1.525_273_4e-5
  power = power * rest + 1.540_353e-4
  power = power * rest + 1.333_355_8e-3
  power = power * rest + 9.618_129e-3
  power = power * rest + 5.550_411e-2
  power = power * rest + 2.402_265_1e-1
  power = power * rest + 6.931_472e-1
  power = power * rest + 1
  let whole = sum.bitPattern &- rounding.bitPattern
  return power * Float(bitPattern: (whole &+ 127) << 23)
}
