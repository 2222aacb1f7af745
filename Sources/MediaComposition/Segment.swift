import Diagnosis
import MediaTime
import Transcripts

/// A stretch of a track: a range of a source, placed (`AVCompositionTrackSegment`).
///
/// What sounds is the source's range, reversed if set, stretched to the target's duration by the
/// track's time-pitch algorithm, filtered by the effects, brought to its loudness, and then mixed.
public struct Segment: Sendable, Hashable, Codable {
  /// What sounds in a segment.
  public indirect enum Content: Sendable, Hashable, Codable {
    /// Nothing: an empty segment.
    case silence
    case asset(Asset)
    /// Another composition, which keeps its own time.
    case composition(Composition)
  }

  /// What sounds.
  public var content: Content
  /// Which channels of the content; nil: all, as they are.
  public var channels: ChannelSelection?
  /// Which part of the content, in the content's own time.
  public var source: TimeRange
  /// Where on the track, in the time of the composition that holds the track. Where it lasts
  /// longer or shorter than `source`, the sound is slower or faster.
  public var target: TimeRange
  /// Whether the source's range is played from its end to its start.
  public var isReversed: Bool
  /// Applied to the whole range in this order.
  public var effects: [Effect]
  /// The level that the range is brought to after the effects and before the mix; nil: as it comes.
  public var loudness: LoudnessTarget? {
    get { targets.first }
    set { targets = newValue.map { [$0] } ?? [] }
  }
  /// At most one, in a list: most segments have none, and there may be millions.
  private var targets: [LoudnessTarget] = []
  /// In the segment's own time: zero is `target.start`.
  public var mix: AudioMix
  /// In the segment's own time.
  public var chapters: [Chapter]
  /// The words of the content, in the content's own time: edits of the segment need not change them.
  /// Where the content is a composition, they count instead of the words of its segments. nil: those,
  /// or none.
  package var transcript: Transcript? {
    get { speech?.transcriptOfContent }
    set {
      var words = speech?.ofPlace ?? SegmentSpeech()
      words.transcript = newValue
      speech = newValue == nil ? words.ofPlace : words
    }
  }
  /// What is said in it; nil: what is said in its content.
  package var speech: SegmentSpeech? {
    get { speeches.first }
    set { speeches = newValue.map { [$0] } ?? [] }
  }
  /// At most one, in a list, as `targets`.
  private var speeches: [SegmentSpeech] = []
  /// Where it was written.
  package var origin: Origin

  /// A segment that plays `mapping.source` over `mapping.target`.
  public init(
    _ content: Content, _ mapping: TimeMapping, channels: ChannelSelection? = nil,
    isReversed: Bool = false, effects: [Effect] = [], mix: AudioMix = .unity,
    chapters: [Chapter] = []
  ) {
    self.init(
      content, mapping, channels: channels, isReversed: isReversed, effects: effects, mix: mix,
      chapters: chapters, origin: .unknown)
  }

  /// A segment that plays `mapping.source` over `mapping.target`, which a job file has at `origin`.
  package init(
    _ content: Content, _ mapping: TimeMapping, channels: ChannelSelection? = nil,
    isReversed: Bool = false, effects: [Effect] = [], mix: AudioMix = .unity,
    chapters: [Chapter] = [], origin: Origin = .unknown
  ) {
    self.content = content
    self.channels = channels
    source = mapping.source
    target = mapping.target
    self.isReversed = isReversed
    self.effects = effects
    self.mix = mix
    self.chapters = chapters
    self.origin = origin
  }

  /// A segment that plays `source` from `start` on, at its own speed.
  public init(
    _ content: Content, source: TimeRange, at start: Time, mix: AudioMix = .unity,
    chapters: [Chapter] = []
  ) {
    self.init(content, source: source, at: start, mix: mix, chapters: chapters, origin: .unknown)
  }

  /// A segment that plays `source` from `start` on, which a job file has at `origin`.
  package init(
    _ content: Content, source: TimeRange, at start: Time, mix: AudioMix = .unity,
    chapters: [Chapter] = [], origin: Origin = .unknown
  ) {
    let target = TimeRange(start: start, duration: source.duration)
    self.init(
      content, TimeMapping(source: source, target: target), mix: mix, chapters: chapters,
      origin: origin)
  }

  /// Source and target (`AVCompositionTrackSegment.timeMapping`).
  public var timeMapping: TimeMapping { TimeMapping(source: source, target: target) }

  /// Whether nothing sounds in it (`AVCompositionTrackSegment.isEmpty`).
  package var isEmpty: Bool { content == .silence }

  /// Whether its sound at a moment depends on its sound at others: a part of it would sound unlike
  /// the same part of the whole.
  package var isFormedAsWhole: Bool { !effects.isEmpty || !targets.isEmpty }

  /// Whether it is played at another speed than its own.
  package var isScaled: Bool { source.duration != target.duration }

  /// The moment of the content that sounds at `time` of the track; nil outside the target.
  public func sourceTime(at time: Time) -> Time? {
    guard target.contains(time), !isEmpty else { return nil }
    let mapped = target.map(time, to: source)
    return isReversed ? source.start + (source.end - mapped) : mapped
  }

  /// The moment of the track at which `sourceTime` of the content sounds; nil outside the source.
  public func trackTime(of sourceTime: Time) -> Time? {
    guard !isEmpty else { return nil }
    guard isReversed else {
      return source.contains(sourceTime) ? source.map(sourceTime, to: target) : nil
    }
    // What is half-open at its end is then half-open at its start.
    guard source.start < sourceTime, sourceTime <= source.end else { return nil }
    return source.map(source.start + (source.end - sourceTime), to: target)
  }
}
