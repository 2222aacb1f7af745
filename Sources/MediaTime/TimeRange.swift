/// A half-open range of time: `start ..< end` (`CMTimeRange`).
public struct TimeRange: Sendable, Hashable {
  public var start: Time
  public var duration: Time

  public init(start: Time, duration: Time) {
    self.start = start
    self.duration = duration
  }

  public init(start: Time, end: Time) {
    self.init(start: start, duration: end - start)
  }

  /// The first moment after the range (`CMTimeRangeGetEnd`).
  public var end: Time { start + duration }
}
