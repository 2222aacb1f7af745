/// A natural number of 256 bits, for what two or three times multiply up to before they are
/// reduced. Swift's own integers end at 128.
///
/// Sums and products wrap around; their users prove that they fit.
struct WideNatural: Equatable {
  var high: UInt128
  var low: UInt128

  init(high: UInt128 = 0, _ low: UInt128) {
    self.high = high
    self.low = low
  }

  /// 2 to the power of `exponent`, which is from 0 to 255.
  init(twoToThe exponent: Int) {
    high = exponent < 128 ? 0 : 1 << UInt128(exponent - 128)
    low = exponent < 128 ? 1 << UInt128(exponent) : 0
  }

  static func * (a: WideNatural, b: UInt128) -> WideNatural {
    a.multipliedReportingOverflow(by: b).partialValue
  }

  func multipliedReportingOverflow(
    by b: UInt128
  ) -> (partialValue: WideNatural, overflow: Bool) {
    let bottom = WideNatural(low, times: b)
    let (product, isTooWide) = high.multipliedReportingOverflow(by: b)
    let (top, isTooHigh) = product.addingReportingOverflow(bottom.high)
    return (WideNatural(high: top, bottom.low), isTooWide || isTooHigh)
  }

  /// `a · b`, by halves of 64 bits: the standard library's `multipliedFullWidth(by:)` of 128 bits
  /// is generic code, and many times slower where it is not specialised.
  init(_ a: UInt128, times b: UInt128) {
    let mask = UInt128(UInt64.max)
    let (x, y) = ((a >> 64, a & mask), (b >> 64, b & mask))
    let bottom = x.1 * y.1
    let left = x.0 * y.1 + bottom >> 64
    let right = x.1 * y.0 + left & mask
    self.init(
      high: x.0 * y.0 + left >> 64 + right >> 64, right << 64 | bottom & mask)
  }

  /// How many bits it takes to write this number.
  var bitCount: Int {
    high == 0 ? 128 - low.leadingZeroBitCount : 256 - high.leadingZeroBitCount
  }

  static func + (a: WideNatural, b: WideNatural) -> WideNatural {
    let (bottom, carry) = a.low.addingReportingOverflow(b.low)
    return WideNatural(high: a.high &+ b.high &+ (carry ? 1 : 0), bottom)
  }

  static func - (a: WideNatural, b: WideNatural) -> WideNatural {
    let (bottom, borrow) = a.low.subtractingReportingOverflow(b.low)
    return WideNatural(high: a.high &- b.high &- (borrow ? 1 : 0), bottom)
  }

  static func < (a: WideNatural, b: WideNatural) -> Bool {
    a.high == b.high ? a.low < b.low : a.high < b.high
  }

  /// By schoolbook division with digits of 128 bits. `divisor` is not 0.
  func quotientAndRemainder(
    dividingBy divisor: WideNatural
  ) -> (quotient: WideNatural, remainder: WideNatural) {
    guard divisor.high != 0 else {
      let (top, rest) = high.quotientAndRemainder(dividingBy: divisor.low)
      let (bottom, remainder) = divisor.low.dividingFullWidth((rest, low))
      return (WideNatural(high: top, bottom), WideNatural(remainder))
    }
    // The quotient is one digit. Guessed from the leading digits, with the divisor shifted up to
    // the top, it is never too small and at most 2 too large (Knuth, 4.3.1, theorem B).
    let shift = UInt128(divisor.high.leadingZeroBitCount)
    let leading = divisor.shifted(up: shift).high
    let top = shift == 0 ? 0 : high >> (128 - shift)
    var guess = leading.dividingFullWidth((top, shifted(up: shift).high)).quotient
    var product = divisor.multipliedReportingOverflow(by: guess)
    while product.overflow || self < product.partialValue {
      guess -= 1
      product = divisor.multipliedReportingOverflow(by: guess)
    }
    return (WideNatural(guess), self - product.partialValue)
  }

  private func shifted(up count: UInt128) -> WideNatural {
    count == 0 ? self : WideNatural(high: high << count | low >> (128 - count), low << count)
  }
}

/// Euclid's; `b` may be 0. It takes time that grows with the number of bits.
func greatestCommonDivisor(_ a: WideNatural, _ b: WideNatural) -> WideNatural {
  var (a, b) = (a, b)
  while b.high != 0 { (a, b) = (b, a.quotientAndRemainder(dividingBy: b).remainder) }
  guard b.low != 0 else { return a }
  let rest = a.quotientAndRemainder(dividingBy: b).remainder
  return WideNatural(greatestCommonDivisor(b.low, rest.low))
}

/// Euclid's; `b` may be 0. It takes time that grows with the number of bits.
func greatestCommonDivisor<Number: UnsignedInteger>(_ a: Number, _ b: Number) -> Number {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
