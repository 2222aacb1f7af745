import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// An item that is ready to be placed: a segment without its place.
struct LoweredItem {
  var content: Segment.Content
  var channels: ChannelSelection?
  var source: TimeRange
  var isReversed = false
  var duration: Time
  /// How it is stretched, where `duration` differs from that of `source`.
  var algorithm = TimePitchAlgorithm.spectral
  var effects: [Effect] = []
  /// At most one; an array is smaller.
  var loudness: [LoudnessTarget] = []
  var mix = AudioMix.unity
  var chapters: [Chapter] = []
  /// What is said in it. At most one, as `loudness`.
  var speech: [SegmentSpeech] = []
  var origin: Origin
  var name: Name
  /// The rate for times in samples.
  var rate: Int?

  /// Its name in messages, made only for a message.
  enum Name: CustomStringConvertible {
    case text(String)
    case medium(MediaLocation)

    var description: String {
      switch self {
      case .text(let text): text
      case .medium(let location): "'\(location.lastName ?? "\(location)")'"
      }
    }
  }

  init(
    _ content: Segment.Content, duration: Time, rate: Int?, name: Name, origin: Origin
  ) {
    self.content = content
    source = TimeRange(start: .zero, duration: duration)
    self.duration = duration
    self.rate = rate
    self.name = name
    self.origin = origin
  }

  var isScaled: Bool { duration != source.duration }

  func segment(at start: Time) -> Segment {
    let target = TimeRange(start: start, duration: duration)
    var segment = Segment(
      content, TimeMapping(source: source, target: target), channels: channels,
      isReversed: isReversed, effects: effects, mix: mix, chapters: chapters, origin: origin)
    segment.loudness = loudness.first
    segment.speech = speech.first
    return segment
  }

  /// A segment of a track, with the tracks' usual stretching.
  func placed(at start: Time) -> Segment {
    guard isScaled, algorithm != .spectral else { return segment(at: start) }
    var inner = self
    (inner.mix, inner.chapters) = (.unity, [])
    inner.speech = speech.compactMap(\.ofContent)
    var segment = Segment(
      .composition(inner.composition), source: TimeRange(start: .zero, duration: duration),
      at: start, mix: mix, chapters: chapters, origin: origin)
    segment.speech = speech.first?.ofPlace
    return segment
  }

  var composition: Composition {
    Composition(tracks: [
      Track(segments: [segment(at: .zero)], timePitchAlgorithm: algorithm, origin: origin)
    ])
  }

  /// The same sound as the content of a new item, for further changes: segments that sound
  /// together, each list in order of time.
  mutating func nest(as lanes: [[Segment]]) {
    let tracks = lanes.filter { !$0.isEmpty }.map {
      Track(segments: $0, timePitchAlgorithm: algorithm, origin: origin)
    }
    let composition = Composition(tracks: tracks)
    let chapters = self.chapters
    self = LoweredItem(
      .composition(composition), duration: composition.duration, rate: rate, name: name,
      origin: origin)
    self.chapters = chapters
  }
}
