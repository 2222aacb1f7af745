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
      sink.marks.loopMarkers = heard.compactMap { loop in
        loop.names.first.map {
          .init(
            frames: loop.frames, isRelease: loop.isRelease, begin: .init(label: $0), end: .init())
        }
      }
      if heard.contains(where: \.hasMore) { lose(Self.loopWords, Self.placeReason) }
    default:
      if heard.contains(where: { !$0.names.isEmpty || $0.hasMore }) {
        lose(Self.loopWords, Self.placeReason)
      }
    }
  }

  private static let loopWords = "names and comments of loops"

  /// The markers of a loop that is heard; backwards the last one comes first. The only name of a loop of CAF
  /// is that of the whole loop, and stays at its start.
  private func moved(
    _ loop: MediaMarks.LoopMarkers, to frames: Range<Int64>, of asset: Asset
  ) -> MediaMarks.LoopMarkers {
    let range = TimeRange(
      start: Time(frames: loop.frames.lowerBound, rate: asset.sampleRate),
      end: Time(frames: loop.frames.upperBound, rate: asset.sampleRate))
    let isReversed = map.parts.contains { part in
      part.isReversed && part.asset.isSameSound(as: asset) && part.source.contains(range)
    }
    let isOfWhole = asset.container == "caf" && loop.names.count == 1
    let (begin, end) = isReversed && !isOfWhole ? (loop.end, loop.begin) : (loop.begin, loop.end)
    return MediaMarks.LoopMarkers(
      frames: frames, isRelease: loop.isRelease, begin: begin, end: end)
  }
}

extension MediaMarks.LoopMarkers {
  /// The names of its ends, the first one's first.
  fileprivate var names: [String] { [begin, end].compactMap(\.label).filter { !$0.isEmpty } }
  /// Whether there are texts beside one name.
  fileprivate var hasMore: Bool { begin.note != nil || end.note != nil || names.count > 1 }
}
