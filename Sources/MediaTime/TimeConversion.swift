/// How a time that falls between two ticks finds one of them (`CMTimeRoundingMethod`).
public enum RoundingMethod: Sendable, Hashable, CaseIterable {
  /// To the nearest tick, and from the middle away from zero
  /// (`kCMTimeRoundingMethod_RoundHalfAwayFromZero`).
  case halfAwayFromZero
  /// To the tick nearer to zero (`kCMTimeRoundingMethod_RoundTowardZero`).
  case towardZero
  /// To the tick farther from zero (`kCMTimeRoundingMethod_RoundAwayFromZero`).
  case awayFromZero
  /// Toward zero where the target timescale is coarser, away from zero where it is finer; never
  /// from a negative time to zero (`kCMTimeRoundingMethod_QuickTime`).
  case quickTime
  /// To the later tick (`kCMTimeRoundingMethod_RoundTowardPositiveInfinity`).
  case towardPositiveInfinity
  /// To the earlier tick (`kCMTimeRoundingMethod_RoundTowardNegativeInfinity`).
  case towardNegativeInfinity

  /// Half away from zero (`kCMTimeRoundingMethod_Default`).
  public static let `default` = RoundingMethod.halfAwayFromZero
}

extension Time {
  /// The index of the frame that this time falls on at `rate` frames a second.
  ///
  /// This is the one place where time becomes samples. The default rounds half away from zero.
  /// What no index can hold becomes the nearest that can; invalid and indefinite times become 0.
  public func frames(atRate rate: Int, rounding: RoundingMethod = .default) -> Int64 {
    switch kind {
    case .number: Int64(clamping: ticks(per: rate, rounding: rounding).count)
    case .positiveInfinity: .max
    case .negativeInfinity: .min
    case .indefinite, .invalid: 0
    }
  }

  /// This time in units of `1 / timescale` seconds (`CMTimeConvertScale`), rounded half away from
  /// zero by default.
  ///
  /// `hasBeenRounded` is set where it had to be. A time too large for `timescale` becomes an
  /// infinity; one that is no number stays what it is; with a `timescale` that is not positive the
  /// result is invalid.
  public func converted(
    toTimescale timescale: Int32, rounding: RoundingMethod = .default
  ) -> Time {
    guard timescale > 0 else { return .invalid }
    guard isNumeric else { return self }
    let (count, isExact) = ticks(per: Int(timescale), rounding: rounding)
    guard let value = Int64(exactly: count) else {
      return count > 0 ? .positiveInfinity : .negativeInfinity
    }
    return Time(
      value: value, timescale: timescale, flags: isExact ? flags : flags.union(.hasBeenRounded))
  }

  /// `self` × `rate`, rounded to a whole number. `self` is numeric.
  private func ticks(per rate: Int, rounding: RoundingMethod) -> (count: Int128, isExact: Bool) {
    let numerator = Int128(value) * Int128(rate)
    let denominator = UInt128(timescale.magnitude)
    let (quotient, remainder) = numerator.magnitude.quotientAndRemainder(dividingBy: denominator)
    let isAway = rounding.leavesZero(
      from: quotient, isHalf: remainder * 2 >= denominator, isNegative: numerator < 0,
      isFiner: rate > Int(timescale))
    let magnitude = Int128(quotient) + (remainder != 0 && isAway ? 1 : 0)
    return (numerator < 0 ? -magnitude : magnitude, remainder == 0)
  }
}

extension RoundingMethod {
  /// Whether a number between two ticks becomes the one farther from zero. Its magnitude is
  /// `ticks` and more; `isHalf` where the rest is half a tick or more, `isFiner` where the ticks
  /// are finer than those that the number comes from.
  func leavesZero(from ticks: UInt128, isHalf: Bool, isNegative: Bool, isFiner: Bool) -> Bool {
    switch self {
    case .halfAwayFromZero: isHalf
    case .towardZero: false
    case .awayFromZero: true
    case .quickTime: isFiner || (ticks == 0 && isNegative)
    case .towardPositiveInfinity: !isNegative
    case .towardNegativeInfinity: isNegative
    }
  }
}
