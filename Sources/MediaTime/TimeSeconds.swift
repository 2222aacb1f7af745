extension Time {
  /// `seconds` at `preferredTimescale` units a second (`CMTimeMakeWithSeconds`), rounded half away
  /// from zero by default; CoreMedia itself was seen to truncate (`.towardZero`).
  ///
  /// The Double is taken exactly. Where the value does not fit, the timescale is halved until it
  /// does; where whole seconds do not fit either, the time is infinite, and so is that of an
  /// infinite number. Invalid where `seconds` is NaN or the timescale not positive.
  /// `hasBeenRounded` is set where ``seconds`` of the result is another Double than `seconds`, as
  /// CoreMedia has it: 0.1 at 600 is 60/600 and not marked.
  public init(
    seconds: Double, preferredTimescale: Int32, rounding: RoundingMethod = .default
  ) {
    guard preferredTimescale > 0, !seconds.isNaN else {
      self = .invalid
      return
    }
    var scale = preferredTimescale
    while scale > 0 {
      if let value = Time.ticks(of: seconds, timescale: scale, rounding: rounding) {
        let time = Time(value: value, timescale: scale, flags: .valid)
        self =
          time.seconds == seconds
          ? time : Time(value: value, timescale: scale, flags: [.valid, .hasBeenRounded])
        return
      }
      scale /= 2
    }
    self = seconds < 0 ? .negativeInfinity : .positiveInfinity
  }

  /// `seconds` × `timescale`, rounded to a whole number; nil where it does not fit.
  private static func ticks(
    of seconds: Double, timescale: Int32, rounding: RoundingMethod
  ) -> Int64? {
    let (digits, exponent) = binaryParts(of: seconds.magnitude)
    // At least 2⁵² · 2¹² seconds.
    guard exponent < 12 else { return nil }
    let product = digits * UInt128(timescale.magnitude) << UInt128(max(0, exponent))
    // Below 2⁵³ · 2³¹ · 2⁻¹⁰⁰ ticks there is nothing but rounding: finer is as good as this.
    let bits = UInt128(max(0, min(100, -exponent)))
    let (quotient, rest) = (product >> bits, product & ((1 << bits) - 1))
    let isAway = rounding.leavesZero(
      from: quotient, isHalf: bits > 0 && rest >> (bits - 1) != 0, isNegative: seconds < 0,
      isFiner: false)
    let magnitude = Int128(quotient) + (rest != 0 && isAway ? 1 : 0)
    return Int64(exactly: seconds < 0 ? -magnitude : magnitude)
  }
}
