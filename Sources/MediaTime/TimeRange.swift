/// A half-open range of time: `start ..< end` (`CMTimeRange`).
///
/// A range is *valid* where both its times are and it does not run backwards; only such a range
/// contains anything. Where no timescale can hold ``end`` exactly, moments are compared with the
/// rounded one, which is never in the range, and ranges with the exact one.
public struct TimeRange: Sendable, Hashable, Codable {
  /// The first moment of the range.
  public var start: Time
  /// How long it lasts.
  public var duration: Time

  /// The range of `duration` from `start` on (`CMTimeRangeMake`).
  public init(start: Time, duration: Time) {
    self.start = start
    self.duration = duration
  }

  /// `start ..< end` (`CMTimeRangeFromTimeToTime`).
  public init(start: Time, end: Time) {
    self.init(start: start, duration: end - start)
  }

  /// No time at 0 (`kCMTimeRangeZero`).
  public static let zero = TimeRange(start: .zero, duration: .zero)
  /// Not a range (`kCMTimeRangeInvalid`).
  public static let invalid = TimeRange(start: .invalid, duration: .invalid)

  /// The first moment after the range (`CMTimeRangeGetEnd`), by the rules of the sum.
  public var end: Time { start + duration }

  /// Whether start and duration are valid and the duration is not negative
  /// (`CMTIMERANGE_IS_VALID`).
  public var isValid: Bool { start.isValid && duration.isValid && duration.sign >= 0 }

  /// Whether the range is valid and its start or its duration is not known
  /// (`CMTIMERANGE_IS_INDEFINITE`).
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

  /// Whether the range is valid and lasts no time (`CMTIMERANGE_IS_EMPTY`).
  public var isEmpty: Bool { isValid && duration == .zero }

  private var exactEnd: ExactSum { ExactSum(start, duration) }
}

extension TimeRange {
  /// Whether `start <= time < end` (`CMTimeRangeContainsTime`).
  public func contains(_ time: Time) -> Bool {
    isValid && time.isValid && start <= time && time < end
  }

  /// Whether all of `other` lies in this range (`CMTimeRangeContainsTimeRange`); an empty range
  /// lies in every range that its start is in or at the end of.
  public func contains(_ other: TimeRange) -> Bool {
    isValid && other.isValid && start <= other.start && !(exactEnd < other.exactEnd)
  }

  /// What both ranges have in common (`CMTimeRangeGetIntersection`): an empty range at the later
  /// start where there is nothing, invalid where one of them is.
  public func intersection(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid else { return .invalid }
    let later = max(start, other.start)
    let result = TimeRange(from: later, toEndOf: other.exactEnd < exactEnd ? other : self)
    return result.duration.sign < 0 ? TimeRange(start: later, duration: .zero) : result
  }

  /// The shortest range that holds both (`CMTimeRangeGetUnion`), with what lies between them;
  /// invalid where one of them is.
  public func union(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid else { return .invalid }
    return TimeRange(
      from: min(start, other.start), toEndOf: exactEnd < other.exactEnd ? other : self)
  }

  /// From `start` to where `range` ends, whether or not a time can hold that end.
  private init(from start: Time, toEndOf range: TimeRange) {
    let duration =
      start == range.start
      ? range.duration : ExactSum(range.start, range.duration, minus: start).time
    self.init(start: start, duration: duration)
  }

  /// The moment between start and end, both included, that is nearest to `time`
  /// (`CMTimeClampToRange`): a moment inside is returned as it is. Invalid where the range or the
  /// time is, or the range is empty.
  public func clamp(_ time: Time) -> Time {
    guard isValid, !isEmpty, time.isValid else { return .invalid }
    // An end that had to be rounded may stand before the start.
    return max(start, min(time, end))
  }

  /// `time` moved into the range by whole durations, as if the range were a loop
  /// (`CMTimeFoldIntoRange`): a moment inside is returned as it is.
  ///
  /// Exact if any timescale can hold the result, else rounded half away from zero. Invalid where
  /// the range or the time is, where the
  /// range is empty, and where there is no number to fold by.
  public func fold(_ time: Time) -> Time {
    guard isValid, !isEmpty, time.isValid else { return .invalid }
    if start <= time, ExactSum(time) < exactEnd { return time }
    guard start.isNumeric, duration.isNumeric, time.isNumeric else { return .invalid }
    // All three on one grid, where the remainder is exact: each is below 2⁶³ · 2⁶².
    let (x, y, z) = (Int128(time.timescale), Int128(start.timescale), Int128(duration.timescale))
    let first = Int128(start.value) * x * z
    let length = Int128(duration.value) * x * y
    let rest = (Int128(time.value) * y * z - first) % length
    let folded = first + (rest < 0 ? rest + length : rest)
    return Time(
      Fraction(folded.magnitude, over: (x * y * z).magnitude), isNegative: folded < 0,
      timescale: time.timescale, roundingTimescale: Time.maximumTimescale,
      flags: start.flags.union(duration.flags).union(time.flags))
  }
}

extension TimeRange {
  /// The moment of `target` that stands where `time` stands in this range, at a constant rate
  /// (`CMTimeMapTimeFromRangeToRange`); times outside are carried on at that rate.
  ///
  /// Exact if any timescale can hold the result, so that mapping it back gives `time`; else rounded
  /// half away from zero. Where both ranges last for ever the time is shifted. Invalid where one
  /// of the ranges is invalid or empty, or there is no number to reckon with.
  public func map(_ time: Time, to target: TimeRange) -> Time {
    guard isMapped(to: target), !target.isEmpty, start.isNumeric, target.start.isNumeric else {
      return .invalid
    }
    guard time.isNumeric else { return time }
    guard duration.isNumeric else { return ExactSum(target.start, time, minus: start).time }
    let flags = time.flags.union(start.flags).union(duration.flags)
      .union(target.start.flags).union(target.duration.flags)
    let offset = time.unmarked - start.unmarked
    if offset.isNumeric {
      // Nearly all that is mapped sounds at its own speed.
      let (length, new) = (duration.unmarked, target.duration.unmarked)
      let scaled = length == new ? offset : offset.multiplied(by: new, over: length)
      let plain = target.start.unmarked + scaled
      if plain.isNumeric, !plain.hasBeenRounded { return plain.marked(flags) }
    }
    return mapExactly(time, to: target, flags: flags)
  }

  /// How long `duration` of this range lasts in `target`
  /// (`CMTimeMapDurationFromRangeToRange`).
  ///
  /// Exact if any timescale can hold the result; else rounded half away from zero. Where both
  /// ranges last for ever it is `duration` itself. Invalid where one of the ranges is, where this
  /// one is empty, or where there is no number to reckon with.
  public func map(duration length: Time, to target: TimeRange) -> Time {
    guard isMapped(to: target) else { return .invalid }
    guard length.isNumeric, duration.isNumeric else { return length }
    return length.multiplied(by: target.duration, over: duration)
  }

  /// Whether a rate leads from this range to `target`.
  private func isMapped(to target: TimeRange) -> Bool {
    guard isValid, !isEmpty, target.isValid else { return false }
    return duration.isNumeric
      ? target.duration.isNumeric
      : duration == .positiveInfinity && target.duration == .positiveInfinity
  }

  /// `target.start + (time - start) · target.duration / duration`, rounded once. All are numeric,
  /// and no duration is 0.
  private func mapExactly(_ time: Time, to target: TimeRange, flags: Time.Flags) -> Time {
    let offset =
      Int128(time.value) * Int128(start.timescale) - Int128(start.value) * Int128(time.timescale)
    // 2⁹⁵ · 2⁶³ · 2³¹ over 2⁶² · 2³¹ · 2⁶³, both by 2³¹ to meet the start of the target.
    let length =
      WideNatural(offset.magnitude) * UInt128(target.duration.value.magnitude)
      * UInt128(duration.timescale.magnitude) * UInt128(target.start.timescale.magnitude)
    let unit =
      WideNatural(UInt128(time.timescale.magnitude) * UInt128(start.timescale.magnitude))
      * UInt128(target.duration.timescale.magnitude) * UInt128(duration.value.magnitude)
    let first = unit * UInt128(target.start.value.magnitude)
    let (isBack, isBelow) = (offset < 0, target.start.value < 0)
    let isLonger = first < length
    let sum =
      isBack == isBelow ? first + length : isLonger ? length - first : first - length
    return Time(
      Fraction(sum, over: unit * UInt128(target.start.timescale.magnitude)),
      isNegative: isLonger ? isBack : isBelow, timescale: target.start.timescale,
      roundingTimescale: Time.maximumTimescale, flags: flags)
  }
}
