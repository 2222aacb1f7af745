extension Time: AdditiveArithmetic {
  /// The sum (`CMTimeAdd`), at the least common multiple of both timescales.
  ///
  /// Exact if any timescale can hold the sum exactly, else rounded half away from zero at the
  /// finest that holds it; an infinity where not even whole seconds do. Invalid wins over
  /// everything, one infinity over everything else; opposite infinities make an invalid time, an
  /// indefinite one and a number an indefinite one.
  public static func + (a: Time, b: Time) -> Time {
    guard a.isNumeric, b.isNumeric else { return sumOfKinds(a, b) }
    let (total, overflow) = a.value.addingReportingOverflow(b.value)
    if a.timescale == b.timescale, !overflow {
      return Time(value: total, timescale: a.timescale, flags: a.flags.union(b.flags))
    }
    return sum(a, b, sign: 1)
  }

  /// The difference (`CMTimeSubtract`), by the rules of the sum.
  public static func - (a: Time, b: Time) -> Time {
    guard a.isNumeric, b.isNumeric else { return sumOfKinds(a, -b) }
    let (difference, overflow) = a.value.subtractingReportingOverflow(b.value)
    if a.timescale == b.timescale, !overflow {
      return Time(value: difference, timescale: a.timescale, flags: a.flags.union(b.flags))
    }
    return sum(a, b, sign: -1)
  }

  private static func sum(_ a: Time, _ b: Time, sign: Int128) -> Time {
    let divisor = greatestCommonDivisor(a.timescale.magnitude, b.timescale.magnitude)
    let multiple = Int64(a.timescale) / Int64(divisor) * Int64(b.timescale)
    let sum =
      Int128(a.value) * Int128(multiple / Int64(a.timescale))
      + sign * Int128(b.value) * Int128(multiple / Int64(b.timescale))
    let flags = a.flags.union(b.flags)
    if let value = Int64(exactly: sum), let timescale = Int32(exactly: multiple) {
      return Time(value: value, timescale: timescale, flags: flags)
    }
    let timescale = Int32(clamping: multiple)
    return Time(
      Fraction(sum.magnitude, over: UInt128(multiple)), isNegative: sum < 0, timescale: timescale,
      roundingTimescale: timescale, flags: flags)
  }

  /// The same distance on the other side of zero.
  public static prefix func - (a: Time) -> Time {
    switch a.kind {
    case .number:
      // Int64.min has no counterpart at its own timescale.
      a.value == .min
        ? a.multiplied(by: -1, over: 1)
        : Time(value: -a.value, timescale: a.timescale, flags: a.flags)
    case .positiveInfinity: .negativeInfinity
    case .negativeInfinity: .positiveInfinity
    case .indefinite, .invalid: a
    }
  }

  private static func sumOfKinds(_ a: Time, _ b: Time) -> Time {
    if !a.isValid || !b.isValid { return .invalid }
    if a.isInfinite, b.isInfinite { return a.kind == b.kind ? a : .invalid }
    if a.isInfinite { return a }
    return b.isInfinite ? b : .indefinite
  }
}

extension Time {
  /// `a` taken `factor` times (`CMTimeMultiply`), at its own timescale if the result fits, else
  /// by the rules of the sum. An infinity stays one, turned round by a negative factor.
  public static func * (a: Time, factor: Int) -> Time { a.multiplied(by: Int64(factor), over: 1) }

  /// `a` taken `factor` times.
  public static func * (factor: Int, a: Time) -> Time { a * factor }

  /// `self · numerator / denominator` (`CMTimeMultiplyByRatio`).
  ///
  /// Exact if any timescale can hold the product exactly, at the time's own timescale if possible;
  /// else rounded half away from zero. Where only `denominator` is 0 the result is an infinity of
  /// the sign of the others, where it and one of the others are it is invalid. An infinity stays
  /// one, turned round by a negative ratio.
  public func multiplied(by numerator: Int64, over denominator: Int64) -> Time {
    let isTurned = (numerator < 0) != (denominator < 0)
    if denominator == 0, isNumeric || isInfinite {
      guard numerator != 0, sign != 0 else { return .invalid }
      return (sign < 0) == (numerator < 0) ? .positiveInfinity : .negativeInfinity
    }
    guard isNumeric else { return isTurned && numerator != 0 ? -self : self }
    let product = value.multipliedReportingOverflow(by: numerator)
    if denominator == 1, !product.overflow {
      return Time(value: product.partialValue, timescale: timescale, flags: flags)
    }
    let fraction = Fraction(
      UInt128(value.magnitude) * UInt128(numerator.magnitude),
      over: UInt128(timescale.magnitude) * UInt128(denominator.magnitude))
    return Time(
      fraction, isNegative: (value < 0) != isTurned, timescale: timescale,
      roundingTimescale: finestMultiple(isWhole: denominator.magnitude == 1), flags: flags)
  }

  /// `self · a / b`, for three numeric times of which `b` is not zero.
  func multiplied(by a: Time, over b: Time) -> Time {
    let fraction = Fraction(
      WideNatural(UInt128(value.magnitude) * UInt128(a.value.magnitude))
        * UInt128(b.timescale.magnitude),
      over: WideNatural(UInt128(timescale.magnitude) * UInt128(a.timescale.magnitude))
        * UInt128(b.value.magnitude))
    return Time(
      fraction, isNegative: sign * a.sign * b.sign < 0, timescale: timescale,
      roundingTimescale: finestMultiple(isWhole: false),
      flags: flags.union(a.flags).union(b.flags))
  }

  /// `a · factor` (`CMTimeMultiplyByFloat64`), for estimates only: a Double is seldom the number
  /// that was meant.
  ///
  /// The factor is taken exactly, and the product is exact if any timescale can hold it; else it
  /// is rounded half away from zero. Invalid where `factor` is NaN,
  /// and for zero times an infinite factor. An infinity stays one, turned round by a negative
  /// factor.
  public static func * (a: Time, factor: Double) -> Time {
    guard !factor.isNaN else { return .invalid }
    guard a.isNumeric else { return factor < 0 ? -a : a }
    guard factor.isFinite || a.value != 0 else { return .invalid }
    let isNegative = (a.value < 0) != (factor < 0)
    let (digits, exponent) = binaryParts(of: factor.magnitude)
    // At least 2⁵² · 2⁴³ ticks of 2⁻³¹ seconds: past every time.
    guard exponent < 43 || a.value == 0 else {
      return isNegative ? .negativeInfinity : .positiveInfinity
    }
    // Below 2⁶³ · 2⁵³ · 2⁻²⁰¹ seconds there is nothing but rounding: finer is as good as this.
    let divisor = WideNatural(twoToThe: max(0, min(201, -exponent)))
    let fraction = Fraction(
      WideNatural(UInt128(a.value.magnitude) * digits)
        * (1 << UInt128(max(0, min(exponent, 43)))),
      over: divisor * UInt128(a.timescale.magnitude))
    return Time(
      fraction, isNegative: isNegative, timescale: a.timescale,
      roundingTimescale: a.finestMultiple(isWhole: false), flags: a.flags)
  }

  /// The distance from zero (`CMTimeAbsoluteValue`).
  public var absoluteValue: Time { sign < 0 ? -self : self }

  /// Where a product is rounded: on ticks that the time's own ticks are among.
  private func finestMultiple(isWhole: Bool) -> Int32 {
    isWhole ? timescale : Time.maximumTimescale / timescale * timescale
  }
}

/// `number` as `digits · 2^exponent`, for a number that is not negative: digits below 2⁵³, an
/// exponent of -1074 or more. That of an infinity is past every time's.
func binaryParts(of number: Double) -> (digits: UInt128, exponent: Int) {
  guard number != 0 else { return (0, 0) }
  let digits =
    UInt128(number.significandBitPattern)
    | (number.isNormal ? 1 << UInt128(Double.significandBitCount) : 0)
  return (digits, max(1, Int(number.exponentBitPattern)) - 1075)
}
