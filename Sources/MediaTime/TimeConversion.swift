/// How a time that falls between two ticks finds one of them (`CMTimeRoundingMethod`).
public enum RoundingMethod: Sendable, Hashable, CaseIterable {
  /// To the nearest tick, and from the middle away from zero.
  case halfAwayFromZero
  /// To the tick nearer to zero.
  case towardZero
  /// To the tick farther from zero.
  case awayFromZero
  /// Toward zero where the target timescale is coarser, away from zero where it is finer; never
  /// from a negative time to zero.
  case quickTime
  /// To the later tick.
  case towardPositiveInfinity
  /// To the earlier tick.
  case towardNegativeInfinity
}

extension Time {
  /// The index of the frame that this time falls on at `rate` frames a second.
  ///
  /// This is the one place where time becomes samples. The default rounds half away from zero.
  /// What no index can hold becomes the nearest that can; invalid and indefinite times become 0.
  public func frames(atRate rate: Int, rounding: RoundingMethod = .halfAwayFromZero) -> Int64 {
    switch kind {
    case .number: Int64(clamping: ticks(per: rate, rounding: rounding).count)
    case .positiveInfinity: .max
    case .negativeInfinity: .min
    case .indefinite, .invalid: 0
    }
  }

  /// This time in units of `1 / timescale` seconds (`CMTimeConvertScale`).
  ///
  /// `hasBeenRounded` is set where it had to be. A time too large for `timescale` becomes an
  /// infinity; one that is no number stays what it is; with a `timescale` that is not positive the
  /// result is invalid.
  public func converted(toTimescale timescale: Int32, rounding: RoundingMethod) -> Time {
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
    let denominator = Int128(timescale)
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    guard remainder != 0 else { return (quotient, true) }
    let away: Int128 = numerator < 0 ? -1 : 1
    let step: Int128 =
      switch rounding {
      case .halfAwayFromZero: remainder.magnitude * 2 >= denominator.magnitude ? away : 0
      case .towardZero: 0
      case .awayFromZero: away
      case .quickTime: rate > Int(timescale) || (quotient == 0 && numerator < 0) ? away : 0
      case .towardPositiveInfinity: numerator > 0 ? 1 : 0
      case .towardNegativeInfinity: numerator < 0 ? -1 : 0
      }
    return (quotient + step, false)
  }
}
