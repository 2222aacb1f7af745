/// A half-open range of time: `start ..< end` (`CMTimeRange`).
///
/// A range is *valid* where both its times are and it does not run backwards; only such a range
/// contains anything.
public struct TimeRange: Sendable, Hashable {
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

  /// No time at 0.
  public static let zero = TimeRange(start: .zero, duration: .zero)
  /// Not a range.
  public static let invalid = TimeRange(start: .invalid, duration: .invalid)

  /// The first moment after the range (`CMTimeRangeGetEnd`).
  public var end: Time { start + duration }

  /// Whether start and duration are valid and the duration is not negative (`CMTIMERANGE_IS_VALID`).
  public var isValid: Bool { start.isValid && duration.isValid && duration.sign >= 0 }

  /// Whether the range is valid and lasts no time (`CMTIMERANGE_IS_EMPTY`).
  public var isEmpty: Bool { isValid && duration == .zero }
}

extension TimeRange {
  /// Whether `start <= time < end` (`CMTimeRangeContainsTime`).
  public func contains(_ time: Time) -> Bool {
    isValid && time.isValid && start <= time && time < end
  }

  /// Whether all of `other` lies in this range (`CMTimeRangeContainsTimeRange`); an empty range
  /// lies in every range that its start is in or at the end of.
  public func contains(_ other: TimeRange) -> Bool {
    isValid && other.isValid && start <= other.start && other.end <= end
  }

  /// What both ranges have in common (`CMTimeRangeGetIntersection`): an empty range at the later
  /// start where there is nothing, invalid where one of them is.
  public func intersection(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid else { return .invalid }
    let later = max(start, other.start)
    return TimeRange(start: later, end: max(later, min(end, other.end)))
  }

  /// The shortest range that holds both (`CMTimeRangeGetUnion`), with what lies between them;
  /// invalid where one of them is.
  public func union(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid else { return .invalid }
    return TimeRange(start: min(start, other.start), end: max(end, other.end))
  }

  /// The moment between start and end, both included, that is nearest to `time`
  /// (`CMTimeClampToRange`).
  public func clamp(_ time: Time) -> Time {
    guard isValid, time.isValid else { return .invalid }
    return max(start, min(time, end))
  }

  /// `time` moved into the range by whole durations, as if the range were a loop
  /// (`CMTimeFoldIntoRange`): the start where the range is empty, invalid where one of the times
  /// is no number.
  public func fold(_ time: Time) -> Time {
    guard isValid, start.isNumeric, duration.isNumeric, time.isNumeric else { return .invalid }
    guard !isEmpty else { return start }
    let offset = time - start
    guard offset.isNumeric else { return offset }
    // Both on one grid, where the remainder is exact.
    let a = Int128(offset.value) * Int128(duration.timescale)
    let b = Int128(duration.value) * Int128(offset.timescale)
    let rest = a % b
    let positive = rest < 0 ? rest + b : rest
    let scale = Int64(offset.timescale) * Int64(duration.timescale)
    return start
      + Time(
        Fraction(positive.magnitude, over: UInt128(scale)), isNegative: false,
        timescale: offset.timescale,
        roundingTimescale: Int32(clamping: scale), flags: offset.flags.union(duration.flags))
  }

  /// The moment of `target` that stands where `time` stands in this range, at a constant rate
  /// (`CMTimeMapTimeFromRangeToRange`); times outside are carried on at that rate.
  ///
  /// Invalid where this range is empty or one of the times is no number.
  public func map(_ time: Time, to target: TimeRange) -> Time {
    target.start + map(duration: time - start, to: target)
  }

  /// How long `duration` of this range lasts in `target`
  /// (`CMTimeMapDurationFromRangeToRange`).
  ///
  /// Invalid where this range is empty or one of the times is no number.
  public func map(duration length: Time, to target: TimeRange) -> Time {
    guard isValid, !isEmpty, target.isValid, duration.isNumeric, target.duration.isNumeric,
      length.isNumeric
    else { return .invalid }
    return length.multiplied(by: target.duration, over: duration)
  }
}

/// A stretch of a source and where it is placed, at a constant rate (`CMTimeMapping`).
public struct TimeMapping: Sendable, Hashable {
  /// In the source's own time.
  public var source: TimeRange
  /// In the time of the track that the source is placed on.
  public var target: TimeRange

  /// `source`, placed at `target` (`CMTimeMappingMake`).
  public init(source: TimeRange, target: TimeRange) {
    self.source = source
    self.target = target
  }

  /// Where on the track a moment of the source is heard.
  public func target(of sourceTime: Time) -> Time { source.map(sourceTime, to: target) }

  /// Which moment of the source is heard at a moment of the track.
  public func source(of targetTime: Time) -> Time { target.map(targetTime, to: source) }
}
