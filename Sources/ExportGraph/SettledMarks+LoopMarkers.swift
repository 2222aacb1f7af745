import MediaComposition
import MediaTime
import Tagging

/// Names and comments of the markers at the ends of loops.
extension MarkSettler {
  /// They stay with their loops in AIFF, whose loops are markers, and of CAF a loop has one name. Else they
  /// are named.
  mutating func settleLoopMarkers() {
    guard let base, let marks = base.marks, marks.givenLoops == nil else { return }
    let heard = marks.loopMarkers.compactMap { loop in
      map.loop(loop.frames).map { moved(loop, to: $0.frames, of: base) }
    }
    let kind = places.contains(.loops) ? sink.format.kind : nil
    switch kind {
    case .aiff: sink.marks.loopMarkers = heard
    case .caf:
      sink.marks.loopMarkers = heard.filter(\.isNamed).map {
        .init(
          frames: $0.frames, isRelease: $0.isRelease, begin: .init(label: $0.begin.label),
          end: .init())
      }
      if heard.contains(where: \.hasMore) { lose(Self.loopWords, Self.placeReason) }
    default:
      if heard.contains(where: { $0.isNamed || $0.hasMore }) {
        lose(Self.loopWords, Self.placeReason)
      }
    }
  }

  private static let loopWords = "names and comments of loops"

  /// The markers of a loop that is heard; backwards the last one comes first.
  private func moved(
    _ loop: MediaMarks.LoopMarkers, to frames: Range<Int64>, of asset: Asset
  ) -> MediaMarks.LoopMarkers {
    let range = TimeRange(
      start: Time(frames: loop.frames.lowerBound, rate: asset.sampleRate),
      end: Time(frames: loop.frames.upperBound, rate: asset.sampleRate))
    let isReversed = map.parts.contains { part in
      part.isReversed && part.asset.isSameSound(as: asset) && part.source.contains(range)
    }
    let (begin, end) = isReversed ? (loop.end, loop.begin) : (loop.begin, loop.end)
    return MediaMarks.LoopMarkers(
      frames: frames, isRelease: loop.isRelease, begin: begin, end: end)
  }
}

extension MediaMarks.LoopMarkers {
  /// Whether its first marker has a name.
  fileprivate var isNamed: Bool { begin.label?.isEmpty == false }
  /// Whether there are other texts.
  fileprivate var hasMore: Bool {
    begin.note != nil || end.note != nil || end.label?.isEmpty == false
  }
}
