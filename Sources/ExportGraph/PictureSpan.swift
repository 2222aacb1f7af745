import MediaComposition
import MediaTime

/// A range of a source's picture, and when it is shown.
///
/// It falls on pictures: it has those whose start is nearest to its own start, and from there on all
/// up to its end, of two that are as near the later one. The first one is shown from the very start of
/// the target, the others as long behind it as in the source.
///
/// Fades do not change which pictures there are, nor when: each picture is changed as they are in the
/// middle of its time.
package struct PictureSpan: Sendable, Hashable, Encodable {
  /// Which of the plan's sources.
  package var asset: Int
  /// In the source's own time, which begins with its sound.
  package var source: TimeRange
  /// In the output's time.
  package var target: TimeRange
  /// Its moves from and to black, one on top of the other.
  package var fades: [PictureFade] = []
  /// What comes in over it, in order of time; each stays until the next one comes, or the span ends.
  package var entering: [EnteringPicture] = []
  /// What of it is copied and what is encoded, in order; nil: nobody has looked.
  package var parts: [PicturePart]?

  /// Whether some of its pictures may be changed.
  package var isFaded: Bool { !fades.isEmpty || !entering.isEmpty }
}

/// A picture that comes in over another one, as in a cross-fade.
package struct EnteringPicture: Sendable, Hashable, Encodable {
  /// What is seen of it meanwhile; nothing comes in over it.
  package var span: PictureSpan
  /// How it comes in; what is left of its share is that of the picture below.
  package var fade: PictureFade
}

/// A picture's move from or to nothing, straight in the numbers of its samples.
package struct PictureFade: Sendable, Hashable, Encodable {
  /// In the output's time. It may reach beyond what is seen of the picture.
  package var range: TimeRange
  /// Whether the picture comes.
  package var isIn: Bool

  /// A move over `range`.
  package init(_ range: TimeRange, isIn: Bool) { (self.range, self.isIn) = (range, isIn) }

  /// The key of the job language for it, where it is from or to black.
  package var key: String { isIn ? "fade_in" : "fade_out" }

  /// The picture's share of the light at a moment, 0 … 1; beyond the range it is that of its nearer end.
  package func share(at time: Time) -> Double {
    let gone: Double
    if time <= range.start {
      gone = 0
    } else if time >= range.end {
      gone = 1
    } else {
      gone = (time - range.start).seconds / range.duration.seconds
    }
    return isIn ? gone : 1 - gone
  }

  /// The same move later.
  package func delayed(by delay: Time) -> PictureFade {
    PictureFade(TimeRange(start: range.start + delay, duration: range.duration), isIn: isIn)
  }
}

extension PicturePlan {
  /// Whether a span begins with its source, at its own speed, and with the output: then what is shown of
  /// the source before its sound is there, too.
  package func isFromStart(_ place: Int) -> Bool {
    let span = spans[place]
    return place == 0 && span.source.start == .zero && span.target.start == .zero
      && span.source.duration == span.target.duration
  }

  /// Whether a span is the last one and ends with its source: then what is shown of the source behind its
  /// sound is there, too.
  package func isToEnd(_ place: Int) -> Bool {
    let span = spans[place]
    return place == spans.count - 1 && span.source.end == assets[span.asset].duration
  }

  /// Whether pictures around cuts and in fades may be encoded, of a picture that is not encoded throughout.
  package var mayEncode: Bool {
    guard encoding == nil, !isStrict, !isEdited else { return false }
    return spans.indices.contains { place in
      !isFromStart(place) || !isToEnd(place) || spans[place].isFaded
    }
  }
}

/// The sources of a plan, each once, in the order of their first use.
struct PictureSources {
  private(set) var assets: [Asset] = []
  private var places: [Asset: Int] = [:]

  /// A span of what is shown.
  mutating func span(of segment: ShownSegment) -> PictureSpan {
    let place = places[segment.asset] ?? assets.count
    if place == assets.count {
      places[segment.asset] = place
      assets.append(segment.asset)
    }
    var span = PictureSpan(
      asset: place, source: segment.source, target: segment.target, fades: segment.fades)
    for coming in segment.entering {
      span.entering.append(
        EnteringPicture(span: self.span(of: coming.segment), fade: coming.fade))
    }
    return span
  }
}

extension PicturePlan {
  /// The spans with pictures that may be changed; nil: none.
  package var fadedSpans: [PictureSpan]? {
    let faded = spans.filter(\.isFaded)
    return faded.isEmpty ? nil : faded
  }

  /// Its fades in order, for people: `0:00.000 – 0:02.000  from black`.
  var fadeTexts: [String] {
    var texts: [String] = []
    var known: Set<String> = []
    func add(_ fade: PictureFade, _ text: String) {
      let (start, end) = (max(.zero, fade.range.start), min(duration, fade.range.end))
      let line = "\(start.clockText(decimals: 3)) – \(end.clockText(decimals: 3))  \(text)"
      // A fade over several spans is one.
      if known.insert(line).inserted { texts.append(line) }
    }
    for span in spans {
      let moves =
        span.fades.map { ($0, $0.isIn ? "from black" : "to black") }
        + span.entering.map { ($0.fade, "into '\(assets[$0.span.asset].location)'") }
      for (fade, text) in moves.sorted(by: { $0.0.range.start < $1.0.range.start }) {
        add(fade, text)
      }
    }
    return texts
  }
}
