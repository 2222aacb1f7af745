import MediaTime

extension Composition {
  /// Refuses what no edit leaves behind but what can be written by hand: see `Track.validate()`,
  /// and duckings that are out of bounds, under tracks that are not there, or in a circle.
  /// A composition that passes compiles. O(segments + ramps), nested ones too.
  ///
  /// - Throws: The first `EditError`, in order of tracks.
  package func validate() throws(EditError) {
    for track in tracks { try track.validate() }
    do throws(DuckingProblem) { _ = try duckings() } catch { throw error.error }
  }
}

extension Track {
  /// Refuses segments that are out of order or overlap, last no time, begin before zero, end after
  /// `Composition.longestDuration`, or play what is not in their content; assets without a picture in
  /// a track of pictures; times that are no numbers; and ramps that are out of order or overlap. Contents are validated too.
  ///
  /// A source's range may end after its asset by less than half a frame: it is rounded to frames.
  /// O(segments + ramps).
  ///
  /// - Throws: The first `EditError`, in order of segments.
  package func validate() throws(EditError) {
    try mix.validate()
    var end = TimeRange.zero
    for segment in segments {
      let target = segment.target
      try target.requireOnTimeline()
      guard end.end <= target.start else { throw .overlappingSegments(end, target) }
      guard target.end <= Composition.longestDuration else { throw .tooLong(target.end) }
      try segment.validateContent()
      if case .asset(let asset) = segment.content { try requireMedia(in: asset) }
      try segment.mix.validate()
      for chapter in segment.chapters where !chapter.start.isNumeric {
        throw .invalidTime(chapter.start)
      }
      end = target
    }
  }
}

extension Segment {
  fileprivate func validateContent() throws(EditError) {
    switch content {
    case .silence:
      return
    case .asset(let asset):
      guard source.isOnTimeline,
        source.end.frames(atRate: asset.sampleRate) <= asset.frameCount
      else { throw .invalidRange(source, contentDuration: asset.duration) }
    case .composition(let inner):
      try inner.validate()
      // What could not be written down exactly may be off by a tick of the finest timescale.
      let rounding = Time(value: source.end.hasBeenRounded ? 1 : 0, timescale: 1_000_000)
      try source.requireWithin(inner.duration, tolerance: rounding)
    }
  }
}

extension AudioMix {
  /// Refuses ramps that are out of order or overlap, and times that are no numbers. O(ramps).
  fileprivate func validate() throws(EditError) {
    for envelope in [volume] + envelopes {
      try Self.validate(envelope.ramps.map(\.timeRange))
    }
    try Self.validate(pan.ramps.map(\.timeRange))
  }

  private static func validate(_ ranges: [TimeRange]) throws(EditError) {
    for range in ranges where !range.isValid || !range.end.isNumeric { throw .invalidRange(range) }
    for (first, second) in zip(ranges, ranges.dropFirst()) where second.start < first.end {
      throw .overlappingRamps(first, second)
    }
  }
}
