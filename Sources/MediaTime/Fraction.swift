/// An exact magnitude that may be too large or too fine for a `Time`, on its way to become one.
///
/// Both parts together stay below what `scaled(by:)` can round: 2²²² over 2¹⁸⁷ is the widest, from
/// a time that is mapped from range to range.
struct Fraction {
  var numerator: WideNatural
  /// Greater than 0.
  var denominator: WideNatural

  init(_ numerator: WideNatural, over denominator: WideNatural) {
    self.numerator = numerator
    self.denominator = denominator
  }

  init(_ numerator: UInt128, over denominator: UInt128) {
    self.init(WideNatural(numerator), over: WideNatural(denominator))
  }

  /// In lowest terms. Takes time that grows with the number of bits.
  var reduced: Fraction {
    let divisor = greatestCommonDivisor(numerator, denominator)
    guard divisor != WideNatural(1) else { return self }
    return Fraction(
      numerator.quotientAndRemainder(dividingBy: divisor).quotient,
      over: denominator.quotientAndRemainder(dividingBy: divisor).quotient)
  }

  /// `self · scale`, rounded half up. `scale` is positive.
  func scaled(by scale: Int32) -> WideNatural {
    // (2 · n · scale + d) / 2d is n · scale / d + ½.
    let doubled = numerator * (UInt128(scale.magnitude) * 2)
    return (doubled + denominator).quotientAndRemainder(dividingBy: denominator * 2).quotient
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
    func signed(_ magnitude: WideNatural) -> Int64? {
      guard magnitude.bitCount <= 64 else { return nil }
      let number = Int128(magnitude.low)
      return Int64(exactly: isNegative ? -number : number)
    }
    let exact = fraction.reduced
    if exact.denominator.bitCount < 32 {
      let scale = Int32(exact.denominator.low)
      let factor = timescale % scale == 0 ? timescale / scale : 0
      if factor > 0, let value = signed(exact.numerator * UInt128(factor.magnitude)) {
        self.init(value: value, timescale: timescale, flags: flags)
        return
      }
      if let value = signed(exact.numerator) {
        self.init(value: value, timescale: scale, flags: flags)
        return
      }
    }
    var scale = roundingTimescale
    while scale > 0 {
      let magnitude = exact.scaled(by: scale)
      if let value = signed(magnitude) {
        self.init(value: value, timescale: scale, flags: flags.union(.hasBeenRounded))
        return
      }
      // Each halving takes a bit away, and never two: all but the last ones would not fit either.
      scale >>= Int32(max(1, min(31, magnitude.bitCount - 65)))
    }
    self = isNegative ? .negativeInfinity : .positiveInfinity
  }
}
