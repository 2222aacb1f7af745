import MediaComposition
import MediaTime

/// Cues where a source ends.
extension MarkSettler {
  /// The cues at the very end of sources, where no chapter lasts: each stays with the sound before it, if
  /// chapters of its source stay. Those that lie behind the end are named.
  mutating func endCues(of sources: [Asset]) -> [MediaMarks.Cue] {
    let isAlone = sink.chapters.isEmpty && export.composition.assets.count == 1 && isPlayedOnce
    guard sink.output.chapters.inFile, sink.chapters.contains(where: \.isInherited) || isAlone
    else { return [] }
    let rate = sampleRate
    let starts = Set(
      sink.chapters.lazy.filter(\.isInherited).map { $0.start.frames(atRate: rate) })
    var found: [MediaMarks.Cue] = []
    for source in sources where !leavesChaptersOut(of: source, besides: starts) {
      let own = source.marks?.cues ?? []
      if own.contains(where: { $0.frame > source.frameCount }) {
        lose("cues behind the end of the sound", Self.momentReason)
      }
      let last = own.filter { $0.frame == source.frameCount }
      guard !last.isEmpty else { continue }
      let end = Time(frames: source.frameCount, rate: source.sampleRate)
      for part in map.parts
      where !part.isReversed && part.asset.isSameSound(as: source) && part.source.end >= end {
        let frame = min(part.target.end.frames(atRate: sampleRate), Int64(sink.frames.count))
        found += last.map { MediaMarks.Cue(frame: frame, label: $0.label, note: $0.note) }
      }
    }
    return found
  }

  /// Whether what is heard of the only source is heard once, in its order, as of a clip: items that follow
  /// one another leave their chapters out unless these are kept.
  private var isPlayedOnce: Bool {
    zip(map.parts, map.parts.dropFirst()).allSatisfy { one, next in
      one.source.end <= next.source.start
    }
  }

  /// Whether cues of a source are heard of which none is a chapter of the output, of which `starts` are the
  /// frames of those that come from sources.
  private func leavesChaptersOut(of source: Asset, besides starts: Set<Int64>) -> Bool {
    let heard = map.cues(of: source).filter { !$0.isContinued }.map(\.cue.frame)
      .filter { $0 < Int64(sink.frames.count) }
    // Both were rounded on ways of their own.
    return !heard.isEmpty
      && !heard.contains { frame in [0, -1, 1].contains { starts.contains(frame + $0) } }
  }
}
