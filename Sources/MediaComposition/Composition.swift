import MediaTime

/// Tracks that sound together, each a sequence of segments in exact rational time.
///
/// The counterpart of `AVMutableComposition`; like it, a composition is an asset: a segment may
/// hold another composition, which keeps its own time.
public struct Composition: Sendable, Hashable {
  /// All of them sound together.
  public var tracks: [Track]
  /// A composition of `tracks`.
  public init(tracks: [Track] = []) { self.tracks = tracks }

  /// The end of the track that ends last.
  public var duration: Time { tracks.map(\.end).max() ?? .zero }
}

/// A sequence of segments (`AVMutableCompositionTrack`).
public struct Track: Sendable, Hashable {
  /// A name that users gave it.
  public var name: String?
  /// In order of target time; they do not overlap.
  public var segments: [Segment]
  /// Whether the track sounds at all.
  public var isEnabled: Bool
  /// Over the track's segments, in the time of the composition.
  public var mix: AudioMix
  /// Where it was written.
  public var origin: Origin

  /// A track of `segments`.
  public init(
    name: String? = nil, segments: [Segment] = [], isEnabled: Bool = true, mix: AudioMix = .unity,
    origin: Origin = .unknown
  ) {
    self.name = name
    self.segments = segments
    self.isEnabled = isEnabled
    self.mix = mix
    self.origin = origin
  }

  /// The end of the last segment.
  public var end: Time { segments.last?.target.end ?? .zero }
}

/// A stretch of a track: a range of a source, placed (`AVCompositionTrackSegment`).
public struct Segment: Sendable, Hashable {
  /// What sounds in a segment.
  public indirect enum Content: Sendable, Hashable {
    case silence
    case asset(Asset)
    case composition(Composition)
  }

  /// What sounds.
  public var content: Content
  /// Which part of the content, in the content's own time.
  public var source: TimeRange
  /// Where on the track, in the time of the composition that holds the track. Of the same
  /// duration as `source`.
  public var target: TimeRange
  /// In the segment's own time: zero is `target.start`.
  public var mix: AudioMix
  /// In the segment's own time.
  public var chapters: [Chapter]
  /// Where it was written.
  public var origin: Origin

  /// A segment that plays `source` from `start` on.
  public init(
    _ content: Content, source: TimeRange, at start: Time, mix: AudioMix = .unity,
    chapters: [Chapter] = [], origin: Origin = .unknown
  ) {
    self.content = content
    self.source = source
    target = TimeRange(start: start, duration: source.duration)
    self.mix = mix
    self.chapters = chapters
    self.origin = origin
  }
}
