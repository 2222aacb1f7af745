/// A stretch of a source and where it is placed, at a constant rate (`CMTimeMapping`).
///
/// The rate is `source.duration / target.duration`: above 1 the source sounds faster than it is.
public struct TimeMapping: Sendable, Hashable, Codable {
  /// In the source's own time; ``TimeRange/invalid`` where there is no source, and silence is
  /// placed.
  public var source: TimeRange
  /// In the time of the track that the source is placed on.
  public var target: TimeRange

  /// `source`, placed at `target` (`CMTimeMappingMake`).
  public init(source: TimeRange, target: TimeRange) {
    self.source = source
    self.target = target
  }

  /// Nothing of any source, placed at `target` (`CMTimeMappingMakeEmpty`).
  public static func empty(target: TimeRange) -> TimeMapping {
    TimeMapping(source: .invalid, target: target)
  }

  /// Not a mapping (`kCMTimeMappingInvalid`).
  public static let invalid = TimeMapping(source: .invalid, target: .invalid)

  /// Whether the target is valid (`CMTIMEMAPPING_IS_VALID`).
  public var isValid: Bool { target.isValid }

  /// Whether the mapping is valid and has no source: its start is no number
  /// (`CMTIMEMAPPING_IS_EMPTY`).
  public var isEmpty: Bool { isValid && !source.start.isNumeric }

  /// Where on the track a moment of the source is heard, by the rules of
  /// ``TimeRange/map(_:to:)``.
  public func target(of sourceTime: Time) -> Time { source.map(sourceTime, to: target) }

  /// Which moment of the source is heard at a moment of the track, by the rules of
  /// ``TimeRange/map(_:to:)``.
  public func source(of targetTime: Time) -> Time { target.map(targetTime, to: source) }
}
