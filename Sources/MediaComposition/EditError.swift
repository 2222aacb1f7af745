import MediaTime

/// Why an edit of a composition or a mix was refused; the value is then as it was.
public enum EditError: Error, Sendable, Hashable {
  /// A time that is no number, or before zero.
  case invalidTime(Time)
  /// A range that is no range of numbers, lasts no time, or is not within what it is a range of.
  case invalidRange(TimeRange)
  /// A timeline that would last so long; `Composition.longestDuration` is the most.
  case tooLong(Time)
  /// A segment that starts before another one of its track has ended.
  case overlappingSegments(TimeRange, TimeRange)
  /// A ramp over a time in which another ramp moves.
  case overlappingRamps(TimeRange, TimeRange)
}

extension EditError: CustomStringConvertible {
  /// One line, for people.
  public var description: String {
    switch self {
    case .invalidTime(let time):
      "\(time) is no moment of a timeline"
    case .invalidRange(let range):
      "\(range.start) for \(range.duration) is no range of the content"
    case .tooLong(let duration):
      "the timeline would be \(duration) long; 10,000 hours are the most"
    case .overlappingSegments(let a, let b):
      "a segment starts at \(b.start), before another ends at \(a.end)"
    case .overlappingRamps(let a, let b):
      "a ramp from \(b.start) to \(b.end) overlaps one from \(a.start) to \(a.end)"
    }
  }
}
