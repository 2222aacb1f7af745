/// An exact magnitude that may be too large or too fine for a `Time`, on its way to become one.
///
/// `high · 2¹²⁸ + low` over `denominator`: wide enough for a product of two times over a third,
/// which takes 157 bits over 125.
struct Fraction {
  var high: UInt128
  var low: UInt128
  /// Greater than 0 and less than 2¹²⁷, so that its double still fits.
  var denominator: UInt128

  init(_ numerator: UInt128, over denominator: UInt128) {
    high = 0
    low = numerator
    self.denominator = denominator
  }

  /// `a · b / denominator`.
  init(_ a: UInt128, times b: UInt128, over denominator: UInt128) {
    (high, low) = a.multipliedFullWidth(by: b)
    self.denominator = denominator
  }

  /// In lowest terms. Takes time that grows with the number of bits.
  var reduced: Fraction {
    let remainder = denominator.dividingFullWidth((high % denominator, low)).remainder
    let divisor = greatestCommonDivisor(denominator, remainder)
    var result = self
    result.high = high / divisor
    result.low = divisor.dividingFullWidth((high % divisor, low)).quotient
    result.denominator = denominator / divisor
    return result
  }

  /// `self · scale`, rounded half up; nil where it does not fit.
  func scaled(by scale: Int32) -> UInt64? {
    // (2 · n · scale + d) / 2d is n · scale / d + ½.
    let factor = UInt128(scale.magnitude) * 2
    var (carry, bottom) = low.multipliedFullWidth(by: factor)
    let (top, isTooWide) = high.multipliedReportingOverflow(by: factor)
    guard !isTooWide else { return nil }
    let (sum, overflow) = bottom.addingReportingOverflow(denominator)
    bottom = sum
    carry += overflow ? 1 : 0
    let (total, isTooHigh) = carry.addingReportingOverflow(top)
    guard !isTooHigh, total < denominator * 2 else { return nil }
    return UInt64(exactly: (denominator * 2).dividingFullWidth((total, bottom)).quotient)
  }
}

extension Time {
  /// `fraction`, negated if asked, as a time: exact if that is possible at all, and then at
  /// `timescale` if that is possible; else rounded at `roundingTimescale`, which is halved until
  /// the value fits; an infinity where not even whole seconds do (the rules of `CMTimeAdd`).
  ///
  /// It takes time that grows with the number of bits; the operators try the common cases first.
  init(
    _ fraction: Fraction, isNegative: Bool, timescale: Int32, roundingTimescale: Int32,
    flags: Flags
  ) {
    func signed(_ magnitude: UInt64) -> Int64? {
      isNegative ? Int64(exactly: -Int128(magnitude)) : Int64(exactly: magnitude)
    }
    let exact = fraction.reduced
    if exact.high == 0, let magnitude = UInt64(exactly: exact.low),
      let scale = Int32(exactly: exact.denominator)
    {
      let (factor, rest) = timescale.quotientAndRemainder(dividingBy: scale)
      let (scaled, overflow) = magnitude.multipliedReportingOverflow(by: UInt64(factor.magnitude))
      if rest == 0, factor > 0, !overflow, let value = signed(scaled) {
        self.init(value: value, timescale: timescale, flags: flags)
        return
      }
      if let value = signed(magnitude) {
        self.init(value: value, timescale: scale, flags: flags)
        return
      }
    }
    var scale = roundingTimescale
    while scale > 0 {
      if let magnitude = exact.scaled(by: scale), let value = signed(magnitude) {
        self.init(value: value, timescale: scale, flags: flags.union(.hasBeenRounded))
        return
      }
      scale /= 2
    }
    self = isNegative ? .negativeInfinity : .positiveInfinity
  }
}

/// Euclid's; `b` may be 0.
func greatestCommonDivisor<Number: UnsignedInteger>(_ a: Number, _ b: Number) -> Number {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
