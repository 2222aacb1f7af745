import MediaTime

extension Track {
  /// Inserts a part of an asset's sound, or of its picture into a track of pictures, at its own speed;
  /// what is at `startTime` and later is pushed back
  /// (`AVMutableCompositionTrack.insertTimeRange(_:of:at:)`).
  ///
  /// A segment that holds `startTime` is split. A time that is later than the end leaves a gap
  /// before it; `Time.invalid` means the end, as in AVFoundation. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range is not within the asset, which lasts as long
  ///   as its sound, `missingMedia` where it has no picture for a track of pictures, `invalidTime`
  ///   where `startTime` is before zero or no number, `tooLong`. The track is then as it was.
  public mutating func insertTimeRange(
    _ timeRange: TimeRange, of asset: Asset, at startTime: Time
  ) throws(EditError) {
    try timeRange.requireWithin(asset.duration)
    try requireMedia(in: asset)
    let start = try insertionTime(startTime, lasting: timeRange.duration)
    let whole = Segment(.asset(asset), source: timeRange, at: .zero)
    insert(Excerpt(whole), at: start)
  }

  /// Inserts what another track plays during a range; what is at `startTime` and later is pushed
  /// back.
  ///
  /// Segments are copied, and what they hold sounds as it does there. Where that would need the
  /// other track's mix, preferred volume or time-pitch algorithm, one segment is inserted, which
  /// holds the other track as a composition. It need not be enabled. Its ducking stays behind: key
  /// tracks belong to a composition. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range is not within the track, `missingMedia` where
  ///   one of both is a track of pictures, `invalidTime` where `startTime` is before zero or no
  ///   number, `tooLong`. The track is then as it was.
  public mutating func insertTimeRange(
    _ timeRange: TimeRange, of track: Track, at startTime: Time
  ) throws(EditError) {
    try timeRange.requireWithin(track.end)
    guard mediaType == track.mediaType else { throw .missingMedia(mediaType) }
    let start = try insertionTime(startTime, lasting: timeRange.duration)
    insert(track.excerpt(timeRange, for: self), at: start)
  }

  /// Inserts a part of a composition as one segment, in which the composition keeps its own time;
  /// what is at `startTime` and later is pushed back. To insert tracks into tracks, see
  /// `Composition.insertTimeRange(_:of:at:)`. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range is not within the composition,
  ///   `missingMedia` where it has no picture for a track of pictures, `invalidTime` where
  ///   `startTime` is before zero or no number, `tooLong`. The track is then as it was.
  public mutating func insertTimeRange(
    _ timeRange: TimeRange, of composition: Composition, at startTime: Time
  ) throws(EditError) {
    try timeRange.requireWithin(composition.duration)
    try requireMedia(in: composition)
    let start = try insertionTime(startTime, lasting: timeRange.duration)
    insert(Excerpt(Segment(.composition(composition), source: timeRange, at: .zero)), at: start)
  }

  /// Inserts silence, or in a track of pictures a time without one, over which the last one stays;
  /// what is at the range's start and later is pushed back by its duration
  /// (`insertEmptyTimeRange(_:)`).
  ///
  /// Unlike AVFoundation's, silence at the end counts: the track lasts so much longer. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range lasts no time or begins before zero,
  ///   `tooLong`. The track is then as it was.
  public mutating func insertEmptyTimeRange(_ timeRange: TimeRange) throws(EditError) {
    try timeRange.requireWithin(.positiveInfinity)
    let start = try insertionTime(timeRange.start, lasting: timeRange.duration)
    insert(Excerpt(.silence(lasting: timeRange.duration)), at: start)
  }

  /// Takes a range out; what is later moves forward by its duration (`removeTimeRange(_:)`).
  ///
  /// What of the range is after the end is nothing; its duration may be `Time.positiveInfinity`.
  /// The track is then shorter by exactly what was taken: where a gap is left at the end, it
  /// becomes a segment of silence. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range lasts no time or begins before zero. The
  ///   track is then as it was.
  public mutating func removeTimeRange(_ timeRange: TimeRange) throws(EditError) {
    try timeRange.requireOnTimeline()
    remove(timeRange)
  }

  /// Plays a range slower or faster, so that it lasts `duration`; what is later moves
  /// (`scaleTimeRange(_:toDuration:)`). `timePitchAlgorithm` says what happens to the pitch.
  ///
  /// Fades and chapters of the segments in it are scaled along. What of the range is after the end
  /// is nothing. O(segments).
  ///
  /// - Throws: `EditError.invalidRange` where the range lasts no time or begins before zero,
  ///   `invalidTime` where `duration` is not positive, `tooLong`. The track is then as it was.
  public mutating func scaleTimeRange(
    _ timeRange: TimeRange, toDuration duration: Time
  ) throws(EditError) {
    try timeRange.requireScalable(to: duration, end: end)
    scale(timeRange, toDuration: duration)
  }

  /// `time`, where it is one at which something that lasts `duration` may be inserted.
  private func insertionTime(
    _ time: Time, lasting duration: Time
  ) throws(EditError) -> Time {
    try time.requireInsertion(of: duration, into: end)
  }
}

extension Time {
  /// This time, or `end` where it is invalid, where something that lasts `duration` may be inserted
  /// there into what lasts until `end`.
  func requireInsertion(of duration: Time, into end: Time) throws(EditError) -> Time {
    let start = isValid ? self : end
    guard start.isNumeric, start >= .zero else { throw .invalidTime(self) }
    let length = max(start, end) + duration
    guard length.isNumeric, length <= Composition.longestDuration else { throw .tooLong(length) }
    return start
  }
}

extension TimeRange {
  /// Refuses what is not some time within `0 ..< end`, of which it may miss the end by `tolerance`.
  func requireWithin(_ end: Time, tolerance: Time = .zero) throws(EditError) {
    guard isOnTimeline, duration.isNumeric, self.end <= end + tolerance else {
      throw .invalidRange(self, contentDuration: end.isNumeric ? end : nil)
    }
  }

  /// Refuses what is not some time from zero on; it may last for ever.
  func requireOnTimeline() throws(EditError) {
    guard isOnTimeline else { throw .invalidRange(self) }
  }

  /// Whether it is some time from zero on.
  var isOnTimeline: Bool {
    isValid && start.isNumeric && start >= .zero && duration > .zero && !duration.isIndefinite
  }

  /// Refuses to have the range last `duration` on what lasts until `end`.
  func requireScalable(to duration: Time, end: Time) throws(EditError) {
    try requireWithin(.positiveInfinity)
    guard duration.isNumeric, duration > .zero else { throw .invalidTime(duration) }
    let length = start + duration + max(.zero, end - self.end)
    guard start >= end || length.isNumeric && length <= Composition.longestDuration
    else { throw .tooLong(length) }
  }
}
