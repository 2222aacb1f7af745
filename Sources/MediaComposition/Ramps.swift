import MediaTime

/// A move over a range of time, such as those an envelope holds in order of time.
protocol Ramp {
  var timeRange: TimeRange { get set }
}

extension VolumeRamp: Ramp {}
extension PanRamp: Ramp {}

extension Array where Element: Ramp {
  /// Puts `ramp` among ramps that are in order of time and do not overlap. O(ramps).
  ///
  /// - Throws: `EditError.invalidTime` where its range is not a numeric one, and
  ///   `overlappingRamps` where it overlaps another. The array is then as it was.
  mutating func insertInOrder(_ ramp: Element) throws(EditError) {
    guard ramp.timeRange.isValid, ramp.timeRange.end.isNumeric else {
      throw .invalidTime(ramp.timeRange.start)
    }
    // A step at the place of another step takes its place.
    removeAll { $0.timeRange == ramp.timeRange }
    for other in self
    where other.timeRange.start < ramp.timeRange.end && ramp.timeRange.start < other.timeRange.end {
      throw .overlappingRamps(other.timeRange, ramp.timeRange)
    }
    insert(ramp, at: firstIndex { $0.timeRange.start >= ramp.timeRange.end } ?? count)
  }

  /// Moves every ramp to where `map` has its range. O(ramps).
  mutating func mapTimes(_ map: (TimeRange) -> TimeRange) {
    for index in indices { self[index].timeRange = map(self[index].timeRange) }
  }
}
