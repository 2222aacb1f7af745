import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// Turns a job's items into a composition, with every time made exact.
///
/// Lengths are known here, so here is where ranges past the end, fades that are too long and items
/// that overlap are found. An item with such a fault becomes nil, and the others are still looked
/// at: everything is told in one pass. What a time depends on is lowered before it, in whatever
/// order it was written.
struct Lowering {
  let assets: [MediaReference: Asset]
  /// The content of all clips of one medium, which share it.
  private let contents: [MediaReference: Segment.Content]
  /// The job's own, at which a number of samples counts where no file has a rate.
  let sampleRate: Int?
  private(set) var diagnostics = Diagnostics()
  /// Every sequence that was met so far, by its number.
  var sequences: [SequenceState] = []
  /// What is being lowered, from the outermost to the innermost.
  var path: [Step] = []
  /// What names stand for below a job's item, or below an inserted one, by its sequence's number.
  var names: [Int: [String: [NamedPlace]]] = [:]

  init(assets: [MediaReference: Asset], sampleRate: Int?) {
    self.assets = assets
    contents = assets.mapValues { .asset($0) }
    self.sampleRate = sampleRate
  }

  /// An item that is ready to be placed: what a segment holds, but for its place.
  struct Voice {
    var content: Segment.Content
    var channels: ChannelSelection?
    /// Which part of the content.
    var source: TimeRange
    var isReversed = false
    /// How long it sounds.
    var duration: Time
    /// How it is stretched, where `duration` is not that of `source`.
    var algorithm = TimePitchAlgorithm.spectral
    var effects: [Effect] = []
    var mix = AudioMix.unity
    var chapters: [Chapter] = []
    var origin: Origin
    var name: Name
    /// At which a number of samples counts.
    var rate: Int?

    /// What messages call it: text only where there is something to say.
    enum Name: CustomStringConvertible {
      case text(String)
      case file(FilePath)

      var description: String {
        switch self {
        case .text(let text): text
        case .file(let path): "'\(path.lastComponent?.string ?? path.string)'"
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
      return Segment(
        content, TimeMapping(source: source, target: target), channels: channels,
        isReversed: isReversed, effects: effects, mix: mix, chapters: chapters, origin: origin)
    }

    /// A segment of a track that stretches as tracks do unless they are told otherwise.
    func placed(at start: Time) -> Segment {
      guard isScaled, algorithm != .spectral else { return segment(at: start) }
      var inner = self
      (inner.mix, inner.chapters) = (.unity, [])
      return Segment(
        .composition(inner.composition), source: TimeRange(start: .zero, duration: duration),
        at: start, mix: mix, chapters: chapters, origin: origin)
    }

    /// The voice alone on a timeline.
    var composition: Composition {
      Composition(tracks: [
        Track(segments: [segment(at: .zero)], timePitchAlgorithm: algorithm, origin: origin)
      ])
    }

    /// The same sound as a content of its own, to which more can be done.
    mutating func nest(as segments: [Segment]) {
      let track = Track(segments: segments, timePitchAlgorithm: algorithm, origin: origin)
      let composition = Composition(tracks: [track])
      let chapters = self.chapters
      self = Voice(
        .composition(composition), duration: composition.duration, rate: rate, name: name,
        origin: origin)
      self.chapters = chapters
    }
  }

  /// A job's item.
  mutating func voice(ofJob item: Item) -> Voice? {
    voice(at: addRoot(item))
  }

  /// The item at `place` with all its modifiers, in the order in which the language applies them.
  mutating func makeVoice(at place: ItemPlace) -> Voice? {
    let item = item(at: place)
    guard var voice = content(of: item, at: place) else { return nil }
    if let name = item.name?.value { voice.name = .text("'\(name)'") }
    var isWhole = select(item.channels, in: &voice)
    // A range that was refused does not hide what is wrong with the rest.
    isWhole = takeRange(of: item, at: place, in: &voice) && isWhole
    isWhole = edit(&voice, by: item, at: place) && isWhole
    reverse(&voice, by: item)
    isWhole = changeSpeed(of: &voice, by: item) && isWhole
    isWhole = loop(&voice, by: item, at: place) && isWhole
    voice.effects = item.effects
    voice.mix = mix(item, voice, at: place)
    if let chapter = item.chapter {
      voice.chapters.insert(Chapter(chapter, start: .zero), at: 0)
    }
    return isWhole ? voice : nil
  }

  private mutating func content(of item: Item, at place: ItemPlace) -> Voice? {
    func voice(
      _ content: Segment.Content, _ duration: Time, rate: Int?, _ name: Voice.Name
    ) -> Voice {
      Voice(content, duration: duration, rate: rate, name: name, origin: item.origin)
    }
    switch item.content {
    case .clip(let reference):
      guard let content = contents[reference], case .asset(let asset) = content else { return nil }
      var clip = voice(content, asset.duration, rate: asset.sampleRate, .file(reference.path))
      if keepsChapters(at: place) { clip.chapters = asset.chapters }
      return clip
    case .silence(let duration):
      let origin = duration.origin
      guard let duration = time(duration, rate: sampleRate), checkLimit(of: duration, at: origin)
      else { return nil }
      return voice(.silence, duration, rate: sampleRate, .text("the silence"))
    case .concat, .tracks:
      var name = "the sequence"
      if case .tracks = item.content { name = "the mix" }
      var tracks: [Track] = []
      var isWhole = true
      for id in children(of: place) {
        let lowered = self.tracks(of: id)
        tracks += lowered ?? []
        isWhole = isWhole && lowered != nil
      }
      guard isWhole else { return nil }
      let composition = Composition(tracks: tracks)
      return voice(.composition(composition), composition.duration, rate: sampleRate, .text(name))
    }
  }

  mutating func error(
    _ message: String, at origin: Origin, help: String? = nil, notes: [Diagnostic.Note] = []
  ) {
    diagnostics.append(Diagnostic(message, at: origin, help: help, notes: notes))
  }
}

// MARK: - Times

extension Lowering {
  /// The time that is meant; nil, and an error, where it is a number of samples at no rate.
  mutating func time(_ text: Located<TimeText>, rate: Int?) -> Time? {
    if case .frames = text.value, rate == nil {
      error(
        "'\(text.value)' needs a sample rate", at: text.origin,
        help: "write seconds, or give the job a 'sample_rate'")
      return nil
    }
    return text.value.time(atRate: rate ?? 1)
  }

  /// A moment of the voice at `place`, as long as `voice` is now.
  mutating func time(
    _ moment: Located<Moment>, of voice: Voice, at place: ItemPlace, _ stage: Stage
  ) -> Time? {
    guard
      let offset = time(Located(moment.value.offset, at: moment.origin), rate: voice.rate)
    else { return nil }
    let anchor: Time
    switch moment.value.anchor {
    case .start: anchor = .zero
    case .end: anchor = voice.duration
    case .item:
      guard let time = self.time(of: moment, for: place, stage) else { return nil }
      anchor = time
    }
    return moment.value.isEarlier ? anchor - offset : anchor + offset
  }

  /// Two times for the eye, with as many decimals as it takes to tell them apart.
  func lengths(_ a: Time, _ b: Time) -> (a: String, b: String) {
    for decimals in [3, 6] {
      let texts = (Self.text(a, decimals: decimals), Self.text(b, decimals: decimals))
      if texts.0 != texts.1 || a == b { return texts }
    }
    return (Self.text(a, decimals: 9), Self.text(b, decimals: 9))
  }

  /// `5.25s`, `1:02:03.25` or, where that would be a fraction, a rounded `0:53.266`.
  static func text(_ time: Time, decimals: Int = 3) -> String {
    let text = time.description
    return text.contains("/") ? time.clockText(decimals: decimals) : text
  }
}
