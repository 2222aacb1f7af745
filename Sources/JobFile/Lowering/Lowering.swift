import MediaComposition
import MediaTime

/// Turns an item into what a segment holds, with every time made exact.
///
/// Lengths are known here, so here is where ranges past the end, fades that are too long and items
/// that overlap are found. An item with such a fault becomes nil, and the others are still looked
/// at: everything is told in one pass.
struct Lowering {
  let assets: [MediaReference: Asset]
  /// The job's own, at which a number of samples counts where no file has a rate.
  let sampleRate: Int?
  private(set) var diagnostics = Diagnostics()

  init(assets: [MediaReference: Asset], sampleRate: Int?) {
    self.assets = assets
    self.sampleRate = sampleRate
  }

  /// An item that is ready to be placed.
  struct Voice {
    var content: Segment.Content
    /// Which part of the content.
    var source: TimeRange
    var mix: AudioMix
    var chapters: [Chapter]
    var origin: Origin
    /// For messages.
    var name: String

    var duration: Time { source.duration }

    func segment(at start: Time) -> Segment {
      Segment(content, source: source, at: start, mix: mix, chapters: chapters, origin: origin)
    }
  }

  /// What an item holds, whole.
  private struct Whole {
    var content: Segment.Content
    var duration: Time
    /// At which a number of samples counts.
    var rate: Int?
    var name: String
  }

  mutating func voice(_ item: Item) -> Voice? {
    guard let whole = whole(item) else { return nil }
    let source = range(item, of: whole)
    // A range that was refused does not hide what is wrong with the rest.
    let length = source?.duration ?? whole.duration
    let mix = mix(item, length: length, whole)
    let chapters = chapters(item, length: length, whole)
    guard let source else { return nil }
    return Voice(
      content: whole.content, source: source, mix: mix, chapters: chapters, origin: item.origin,
      name: whole.name)
  }

  private mutating func whole(_ item: Item) -> Whole? {
    var whole = content(of: item)
    if let name = item.name { whole?.name = "'\(name)'" }
    return whole
  }

  private mutating func content(of item: Item) -> Whole? {
    switch item.content {
    case .clip(let reference):
      guard let asset = assets[reference] else { return nil }
      return Whole(
        content: .asset(asset), duration: asset.duration, rate: asset.sampleRate,
        name: "'\(reference.path.lastComponent?.string ?? reference.path.string)'")
    case .silence(let duration):
      guard let duration = time(duration, rate: sampleRate) else { return nil }
      return Whole(content: .silence, duration: duration, rate: sampleRate, name: "the silence")
    case .concat(let sequence):
      return composition(of: sequence, origin: item.origin).map {
        Whole(
          content: .composition($0), duration: $0.duration, rate: sampleRate, name: "the sequence")
      }
    case .tracks(let tracks):
      return composition(of: tracks).map {
        Whole(content: .composition($0), duration: $0.duration, rate: sampleRate, name: "the mix")
      }
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

  private mutating func time(_ moment: Located<Moment>, length: Time, rate: Int?) -> Time? {
    guard let offset = time(Located(moment.value.offset, at: moment.origin), rate: rate) else {
      return nil
    }
    return moment.value.anchor == .start ? offset : length - offset
  }

  /// The part of `whole` that the item's range names.
  private mutating func range(_ item: Item, of whole: Whole) -> TimeRange? {
    let range = item.range ?? ItemRange()
    guard let start = start(range, of: whole), let end = end(range, start: start, of: whole) else {
      return nil
    }
    guard start < end else {
      let origin = range.origin ?? item.origin
      let isEmpty = start == end
      let span = lengths(start, end)
      error(
        isEmpty
          ? "the range of \(whole.name) is empty"
          : "the range ends at \(span.b), before it starts at \(span.a)",
        at: origin)
      return nil
    }
    return TimeRange(start: start, end: end)
  }

  private mutating func start(_ range: ItemRange, of whole: Whole) -> Time? {
    guard let from = range.from else { return .zero }
    guard let start = time(from, length: whole.duration, rate: whole.rate) else { return nil }
    guard start >= .zero else {
      let lengths = lengths(whole.duration - start, whole.duration)
      error(
        "the range starts \(lengths.a) before the end, but \(whole.name) lasts \(lengths.b)",
        at: from.origin)
      return nil
    }
    guard start <= whole.duration else {
      let lengths = lengths(start, whole.duration)
      error(
        "the range starts at \(lengths.a), but \(whole.name) lasts \(lengths.b)", at: from.origin)
      return nil
    }
    return start
  }

  private mutating func end(_ range: ItemRange, start: Time, of whole: Whole) -> Time? {
    let end: Time?
    let origin: Origin
    switch range.end {
    case nil: return whole.duration
    case .moment(let moment):
      end = time(moment, length: whole.duration, rate: whole.rate)
      origin = moment.origin
    case .duration(let duration):
      end = time(duration, rate: whole.rate).map { start + $0 }
      origin = duration.origin
    }
    guard let end else { return nil }
    guard end <= whole.duration else {
      let lengths = lengths(end, whole.duration)
      error(
        "the range ends at \(lengths.a), but \(whole.name) lasts \(lengths.b)", at: origin,
        help: "leave the end out, or write 'end'")
      return nil
    }
    return end
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

// MARK: - Level and chapters

extension Lowering {
  private mutating func mix(_ item: Item, length: Time, _ whole: Whole) -> AudioMix {
    var mix = AudioMix(gain: item.gain?.value ?? .unity)
    curve(item, length: length, whole, into: &mix)
    if let fade = item.fadeIn, let duration = self.duration(of: fade, "fade-in", length, whole) {
      let range = TimeRange(start: .zero, duration: duration)
      mix.envelopes.append(
        VolumeEnvelope([
          VolumeRamp(from: .silence, to: .unity, over: range, curve: fade.value.curve ?? .linear)
        ]))
    }
    if let fade = item.fadeOut, let duration = self.duration(of: fade, "fade-out", length, whole) {
      let range = TimeRange(start: length - duration, duration: duration)
      mix.envelopes.append(
        VolumeEnvelope([
          VolumeRamp(from: .unity, to: .silence, over: range, curve: fade.value.curve ?? .linear)
        ]))
    }
    return mix
  }

  private mutating func duration(
    of fade: Located<Fade>, _ kind: String, _ length: Time, _ whole: Whole
  ) -> Time? {
    let text = Located(fade.value.duration, at: fade.origin)
    guard let duration = time(text, rate: whole.rate), duration > .zero else { return nil }
    guard duration <= length else {
      let lengths = lengths(duration, length)
      error("the \(kind) lasts \(lengths.a), but \(whole.name) only \(lengths.b)", at: fade.origin)
      return nil
    }
    return duration
  }

  /// A volume curve: ramps from point to point. One point is a gain.
  private mutating func curve(
    _ item: Item, length: Time, _ whole: Whole, into mix: inout AudioMix
  ) {
    var points: [(time: Time, point: VolumePoint)] = []
    for point in item.volume {
      guard let time = time(point.moment, length: length, rate: whole.rate) else { continue }
      guard time >= .zero else {
        error("this point is before the start of \(whole.name)", at: point.moment.origin)
        continue
      }
      points.append((time, point))
    }
    points.sort { $0.time < $1.time }
    for (a, b) in zip(points, points.dropFirst()) where a.time == b.time {
      error(
        "two points of the volume at one time", at: b.point.moment.origin,
        notes: [.init("the other one is here", at: a.point.moment.origin)])
    }
    guard points.count > 1 else {
      mix.gain = mix.gain * (points.first?.point.gain ?? .unity)
      return
    }
    mix.envelopes.append(
      VolumeEnvelope(
        zip(points, points.dropFirst()).map { a, b in
          VolumeRamp(
            from: a.point.gain, to: b.point.gain, over: TimeRange(start: a.time, end: b.time))
        }))
  }

  private mutating func chapters(_ item: Item, length: Time, _ whole: Whole) -> [Chapter] {
    var chapters: [Chapter] = []
    for chapter in item.chapters {
      guard let start = time(chapter.start, length: length, rate: whole.rate) else { continue }
      guard start >= .zero, start < length else {
        let lengths = lengths(start, length)
        error(
          "the chapter begins at \(lengths.a), but \(whole.name) lasts \(lengths.b)",
          at: chapter.start.origin)
        continue
      }
      chapters.append(
        Chapter(
          start: start, title: chapter.title, url: chapter.url, image: chapter.image,
          origin: chapter.start.origin))
    }
    return chapters.sorted { $0.start < $1.start }
  }
}
