import MediaTime

/// Why an edit of a composition or a mix was refused; the value is then as it was.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum EditError: Error, Sendable, Hashable {
  /// A time that is no number, or before zero.
  case invalidTime(Time)
  /// A range that is no range of numbers, lasts no time, or is not within what it is a range of,
  /// which lasts so long where that is known.
  case invalidRange(TimeRange, contentDuration: Time? = nil)
  /// A timeline that would last so long; `Composition.longestDuration` is the most.
  case tooLong(Time)
  /// A track of this kind is to hold what has nothing for it: an asset without a picture, or a track of
  /// another kind.
  case missingMedia(Track.MediaType)
  /// A segment that starts before another one of its track has ended.
  case overlappingSegments(TimeRange, TimeRange)
  /// A ramp over a time in which another ramp moves.
  case overlappingRamps(TimeRange, TimeRange)
  /// A ducking whose depth, times or threshold are out of bounds, or that names no track.
  case invalidDucking(AudioDucking)
  /// A ducking under a track that the composition has not.
  case unknownTrack(String)
  /// A track of that name whose ducking depends on itself.
  case circularDucking(String)
  /// More than four tracks, each ducked under the next one.
  case tooManyDuckings
}

extension EditError: CustomStringConvertible {
  /// One line, for people: the text to show.
  public var description: String {
    switch self {
    case .invalidTime(let time):
      "\(time.readableText) is no moment of a timeline"
    case .invalidRange(let range, let contentDuration):
      "\(range.start.readableText) for \(range.duration.readableText) is no range of the content"
        + (contentDuration.map { ", which lasts \($0.readableText)" } ?? "")
    case .tooLong(let duration):
      "the timeline would be \(duration.readableText) long; 10,000 hours are the most"
    case .missingMedia(.video):
      "a track of pictures is to hold what has none; insert an asset with a picture"
    case .missingMedia(.audio):
      "a track of sound is to hold a track of pictures; insert it into a track of pictures"
    case .overlappingSegments(let a, let b):
      "a segment starts at \(b.start.readableText), before another ends at \(a.end.readableText)"
    case .overlappingRamps(let a, let b):
      "a ramp from \(b.start.readableText) to \(b.end.readableText) overlaps one from "
        + "\(a.start.readableText) to \(a.end.readableText)"
    case .invalidDucking:
      "a ducking has a key track, 0 to 100 dB, times of 0 to "
        + "\(AudioDucking.longestTime.readableText) and a threshold above -inf dB"
    case .unknownTrack(let name): "there is no track '\(name)' to be ducked under"
    case .circularDucking(let name): "the track '\(name)' is ducked under itself"
    case .tooManyDuckings:
      "more than \(Composition.longestDuckingChain) tracks are ducked under one another in a row"
    }
  }
}
