import MediaTime
import TestSupport

/// Numbers with many of those that break things.
extension Dice {
  /// Zero, the ends of the range, powers of two and their neighbours, and numbers of every length.
  mutating func value() -> Int64 {
    let near = Int64.random(in: -3...3, using: &self)
    switch Int.random(in: 0..<10, using: &self) {
    case 0: return near
    case 1: return near < 0 ? .max + near : .min + near
    case 2:
      let power = Int64(1) << Int64.random(in: 1..<63, using: &self)
      return Bool.random(using: &self) ? power &+ near : -power &+ near
    case 3...6: return Int64.random(in: -1_000_000_000...1_000_000_000, using: &self)
    default:
      return Int64.random(in: .min ... .max, using: &self)
        >> Int64.random(in: 0..<63, using: &self)
    }
  }

  /// Those that media have, the ends of the range, primes, and numbers of every length.
  mutating func timescale() -> Int32 {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: Int32.random(in: 1 ... .max, using: &self) >> Int32.random(in: 0..<20, using: &self) | 1
    case 1: pick([1, 600, 1000, 24000, 30000, 90000, 1_000_000, .max, .max - 1, 1 << 30])
    case 2: pick([2, 3, 7, 1009, 65537, 999_983, 1_000_003, 500_000_003, 2_147_483_629])
    default: pick([8000, 11025, 22050, 32000, 44100, 48000, 88200, 96000, 192_000])
    }
  }

  /// A numeric time; one in eight has been rounded.
  mutating func time() -> Time {
    let time = Time(value: value(), timescale: timescale())
    return Int.random(in: 0..<8, using: &self) == 0 ? time.rounded : time
  }

  /// Any time, now and then one that is no number.
  mutating func anyTime() -> Time {
    guard Int.random(in: 0..<8, using: &self) == 0 else { return time() }
    return pick([.invalid, .indefinite, .positiveInfinity, .negativeInfinity])
  }

  /// A valid range of numeric times that is not empty.
  mutating func range() -> TimeRange {
    let duration = time().absoluteValue
    let isUsable = duration.isNumeric && duration > .zero
    return TimeRange(
      start: time(), duration: isUsable ? duration : Time(value: 1, timescale: timescale()))
  }

  /// Of any sign and size, seldom one that is no finite number.
  mutating func double() -> Double {
    switch Int.random(in: 0..<10, using: &self) {
    case 0: pick([0, -0.0, 1, -1, 0.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    case 1: Double(bitPattern: next())
    case 2: Double(value())
    case 3...5: Double(Int64.random(in: -1_000_000...1_000_000, using: &self)) / 1000
    default:
      Double.random(in: -1...1, using: &self) * pick([1e-9, 1, 2, 1000, 1e9, 1e18])
    }
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}

extension Time {
  /// The same time, marked as rounded: by what was added to it, and is nothing.
  var rounded: Time {
    let nothing = Time(value: 1, timescale: 2).converted(toTimescale: 1, rounding: .towardZero)
    return self + nothing
  }
}

/// Whether `result` is `exact`, or the nearest to it that its timescale has, and says which;
/// infinite only where not even whole seconds hold it. `operands` says whether what it was
/// computed from had been rounded.
func isBest(_ result: Time, for exact: SlowRational, rounded operands: Bool) -> Bool {
  guard result.isNumeric else {
    // From 2⁶³ - ½ up, or -2⁶³ - ½ down.
    let limit = SlowRational(exact.isNegative ? 1 << 64 + 1 : 1 << 64 - 1, 2)
    return result.isInfinite && (result == .negativeInfinity) == exact.isNegative
      && exact.magnitude >= limit
  }
  let error = SlowRational(result) - exact
  if error == SlowRational(0) { return result.hasBeenRounded == operands }
  // Where a tick as fine as can be, or a value as large as can be, did not suffice.
  guard result.hasBeenRounded, result.timescale >= 1 << 30 || result.value.magnitude >= 1 << 61
  else { return false }
  let half = SlowRational(1, Int128(result.timescale) * 2)
  // From the middle, away from zero.
  return error.magnitude < half
    || (error.magnitude == half && (result.value == 0 || error.isNegative == exact.isNegative))
}

/// As `isBest`, and a result that had to be rounded is one that no time holds. It is slower.
func isBestOfAll(_ result: Time, for exact: SlowRational, rounded operands: Bool) -> Bool {
  isBest(result, for: exact, rounded: operands)
    && (SlowRational(result) == exact || !exact.isTime)
}
