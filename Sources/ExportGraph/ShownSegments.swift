import Diagnosis
import MediaComposition
import MediaTime

/// Why pictures cannot be put together.
struct PictureProblem: Error {
  var message: String
  var help: String?

  init(message: String, help: String? = nil) { (self.message, self.help) = (message, help) }

  /// Two pictures at one moment.
  fileprivate init(_ one: ShownSegment, and next: ShownSegment, help: String) {
    message =
      "from \(next.target.start.readableText) on two pictures would be shown at once: of "
      + "'\(one.asset.location)' and of '\(next.asset.location)'"
    self.help = help
  }
}

/// A range of a source that has a moving picture.
struct ShownSegment {
  /// A segment that comes in over another one.
  struct Entering {
    var segment: ShownSegment
    var fade: PictureFade
  }

  var asset: Asset
  var source: TimeRange
  var target: TimeRange
  var isReversed = false
  /// Its moves from and to black, in the target's time.
  var fades: [PictureFade] = []
  /// Its moves from and to other pictures that are shown meanwhile, if there are such.
  var crossfades: [PictureFade] = []
  /// Cross-fades of the sound alone, in the middle of which one picture replaces the other.
  var cuts: [PictureFade] = []
  /// What comes in over it, in order of time.
  var entering: [Entering] = []

  /// Whether it is all of its source, as it is there and at its own time.
  var isWhole: Bool {
    source == TimeRange(start: .zero, duration: asset.duration) && target == source
      && fades.isEmpty && entering.isEmpty
  }

  /// What of it is shown within a range; nil: nothing.
  func limited(to range: TimeRange) -> ShownSegment? {
    let common = target.intersection(range)
    guard common.duration > .zero else { return nil }
    var part = self
    part.source = TimeRange(
      start: target.map(common.start, to: source), end: target.map(common.end, to: source))
    part.target = common
    part.fades.removeAll { !$0.isUnderWay(in: common) }
    part.crossfades.removeAll { !$0.isUnderWay(in: common) }
    part.cuts.removeAll { !$0.isUnderWay(in: common) }
    part.entering = entering.compactMap { coming in
      coming.segment.limited(to: range).map { Entering(segment: $0, fade: coming.fade) }
    }
    return part
  }

  /// The same with other times.
  func moved(_ map: (TimeRange) -> TimeRange) -> ShownSegment {
    func moved(_ fade: PictureFade) -> PictureFade {
      PictureFade(map(fade.range), isIn: fade.isIn)
    }
    var copy = self
    copy.target = map(target)
    copy.fades = fades.map(moved)
    copy.crossfades = crossfades.map(moved)
    copy.cuts = cuts.map(moved)
    copy.entering = entering.map {
      Entering(segment: $0.segment.moved(map), fade: moved($0.fade))
    }
    return copy
  }

  /// The same with the moves of a mix that it is under.
  func following(_ moves: [PictureMove]) -> ShownSegment {
    var copy = self
    for move in moves where move.fade.isUnderWay(in: target) {
      switch move.transition {
      case .black: copy.fades.append(move.fade)
      case .blend: copy.crossfades.append(move.fade)
      case .cut: copy.cuts.append(move.fade)
      }
    }
    return copy
  }

  /// Its cross-fade that is under way in a range.
  fileprivate func crossfade(isIn: Bool, in range: TimeRange) -> PictureFade? {
    crossfades.first { $0.isIn == isIn && $0.isUnderWay(in: range) }
  }

  /// When another one, which it leaves to, replaces it; nil where they are not of one cross-fade that cuts
  /// pictures.
  fileprivate func cut(to next: ShownSegment) -> Time? {
    let overlap = target.intersection(next.target)
    guard let leaving = cuts.first(where: { !$0.isIn && $0.isUnderWay(in: overlap) }),
      next.cuts.contains(where: { $0.isIn && $0.isUnderWay(in: overlap) })
    else { return nil }
    return leaving.range.start + leaving.range.duration.multiplied(by: 1, over: 2)
  }
}

/// A move of a picture that a mix has.
struct PictureMove {
  var fade: PictureFade
  var transition: PictureTransition
}

extension PictureFade {
  fileprivate func isUnderWay(in other: TimeRange) -> Bool {
    range.intersection(other).duration > .zero
  }
}

extension AudioMix {
  /// The moves of what is shown under it, whose own zero lies at `start`.
  fileprivate func pictureMoves(from start: Time) -> [PictureMove] {
    ([volume] + envelopes).flatMap(\.ramps).compactMap { ramp in
      guard let transition = ramp.picture, ramp.timeRange.duration > .zero else { return nil }
      let range = TimeRange(
        start: start + ramp.timeRange.start, duration: ramp.timeRange.duration)
      let isIn = ramp.startVolume.factor < ramp.endVolume.factor
      return PictureMove(fade: PictureFade(range, isIn: isIn), transition: transition)
    }
  }
}

extension Composition {
  /// What is shown in a range, whose start is 0 then, in order of time and without overlaps: in a
  /// cross-fade the second comes in over the first, or replaces it in the middle where the fade cuts
  /// pictures. `mix` is that of the whole composition.
  ///
  /// - Throws: Where two are shown at one moment and no cross-fade of a list joins them.
  func shownSegments(
    in range: TimeRange, under mix: AudioMix
  ) throws(PictureProblem) -> [ShownSegment] {
    let moves = mix.pictureMoves(from: .zero)
    var all = OrderedPictures(help: overlapHelp)
    for next in try shownSegments().beginningInOrder.cutInCrossfades
    where next.limited(to: range) != nil {
      guard !next.isReversed else {
        throw PictureProblem(
          message: "the picture of '\(next.asset.location)' would be reversed, which is not built")
      }
      try all.add(next.following(moves))
    }
    let shown = all.segments.compactMap { $0.limited(to: range) }.map { segment in
      segment.moved { TimeRange(start: $0.start - range.start, duration: $0.duration) }
    }
    if let first = shown.first, first.target.start > .zero {
      throw PictureProblem(
        message: "no picture is shown before \(first.target.start.readableText), where that of "
          + "'\(first.asset.location)' begins: a video begins with one")
    }
    return shown
  }

  /// What to do about two pictures at one moment.
  private var overlapHelp: String {
    videoTracks.isEmpty
      ? "write the sound of one of them into a file of its own first, and take that"
      : "take that time out of one of the two tracks, or disable one"
  }

  /// The ranges of all tracks that are shown, nested ones too, in no order.
  ///
  /// - Throws: Where a track of pictures holds an asset without one.
  fileprivate func shownSegments() throws(PictureProblem) -> [ShownSegment] {
    var shown: [ShownSegment] = []
    for track in shownTracks { shown += try track.shownSegments() }
    return shown
  }
}

extension Track {
  /// The ranges of its sources that are shown, those of nested compositions too, in no order.
  func shownSegments() throws(PictureProblem) -> [ShownSegment] {
    let moves = mix.pictureMoves(from: .zero)
    var found: [ShownSegment] = []
    for segment in segments {
      let shown = try segment.shownSegments()
      if shown.isEmpty, mediaType == .video, case .asset(let asset) = segment.content {
        throw PictureProblem(
          message: "'\(asset.location)' has no moving picture, and is in a track of pictures",
          help: "insert it into a track of sound")
      }
      guard !shown.isEmpty else { continue }
      let all = segment.mix.pictureMoves(from: segment.target.start) + moves
      found += shown.map { $0.following(all) }
    }
    return found
  }
}

extension Segment {
  /// What it shows, on its track, without the moves of its own mix.
  fileprivate func shownSegments() throws(PictureProblem) -> [ShownSegment] {
    switch content {
    case .silence: return []
    case .asset(let asset):
      guard asset.videoCodec != nil else { return [] }
      return [
        ShownSegment(asset: asset, source: source, target: target, isReversed: isReversed)
      ]
    case .composition(let inner):
      return try inner.shownSegments().compactMap { $0.limited(to: source) }.map { shown in
        var moved = shown.moved { range in
          TimeRange(
            start: source.map(range.start, to: target), end: source.map(range.end, to: target))
        }
        if isReversed { moved.isReversed = true }
        return moved
      }
    }
  }
}

extension [ShownSegment] {
  /// Those that begin earlier come first.
  fileprivate var beginningInOrder: [ShownSegment] {
    sorted { $0.target.start < $1.target.start }
  }

  /// The same where in cross-fades that cut pictures each is shown alone, in the order of their starts, in
  /// which these are. O(n log n), and once more for each two that overlap.
  fileprivate var cutInCrossfades: [ShownSegment] {
    var kept = map { (start: $0.target.start, end: $0.target.end) }
    for index in indices where !self[index].cuts.isEmpty {
      for next in indices[(index + 1)...] {
        guard self[next].target.start < self[index].target.end else { break }
        for (leaving, coming) in [(index, next), (next, index)] {
          guard let middle = self[leaving].cut(to: self[coming]) else { continue }
          kept[leaving].end = Swift.min(kept[leaving].end, middle)
          kept[coming].start = Swift.max(kept[coming].start, middle)
        }
      }
    }
    return zip(self, kept).compactMap { segment, kept in
      kept.start < kept.end
        ? segment.limited(to: TimeRange(start: kept.start, end: kept.end)) : nil
    }.beginningInOrder
  }
}

/// Pictures that are shown one after the other.
private struct OrderedPictures {
  /// In order of time, without overlaps; the last one ends last.
  private(set) var segments: [ShownSegment] = []
  /// What to do about two at one moment.
  let help: String

  init(help: String) { self.help = help }

  /// Adds a segment to others that began before it.
  mutating func add(_ next: ShownSegment) throws(PictureProblem) {
    guard let last = segments.last, next.target.start < last.target.end else {
      return segments.append(next)
    }
    let overlap = last.target.intersection(next.target)
    if last.crossfade(isIn: false, in: overlap) != nil,
      let fade = next.crossfade(isIn: true, in: overlap)
    {
      return try blend(next, by: fade, over: last, in: overlap)
    }
    // The first item of the list that comes in may go on beyond an item of the list that leaves.
    if next.crossfade(isIn: false, in: overlap) != nil,
      let fade = last.crossfade(isIn: true, in: overlap)
    {
      return try blend(last, by: fade, below: next, in: overlap)
    }
    throw PictureProblem(last, and: next, help: help)
  }

  /// Lets `next` come in over the last one; it is shown alone behind the overlap.
  private mutating func blend(
    _ next: ShownSegment, by fade: PictureFade, over last: ShownSegment, in overlap: TimeRange
  ) throws(PictureProblem) {
    guard last.isFree(in: overlap), let entering = next.limited(to: overlap) else {
      throw PictureProblem(last, and: next, help: help)
    }
    segments[segments.count - 1].entering.append(
      ShownSegment.Entering(segment: entering, fade: fade))
    if let rest = next.limited(to: TimeRange(start: overlap.end, end: next.target.end)) {
      segments.append(rest)
    }
  }

  /// Puts `next` below the last one, which comes in over it; that is shown alone before and behind it.
  private mutating func blend(
    _ last: ShownSegment, by fade: PictureFade, below next: ShownSegment, in overlap: TimeRange
  ) throws(PictureProblem) {
    guard last.isFree(in: overlap), let entering = last.limited(to: overlap) else {
      throw PictureProblem(last, and: next, help: help)
    }
    segments.removeLast()
    if let before = last.limited(to: TimeRange(start: last.target.start, end: overlap.start)) {
      segments.append(before)
    }
    var below = next
    below.entering.append(ShownSegment.Entering(segment: entering, fade: fade))
    segments.append(below)
    if let rest = last.limited(to: TimeRange(start: overlap.end, end: last.target.end)) {
      segments.append(rest)
    }
  }
}

extension ShownSegment {
  /// Whether nothing comes in over it in a range that it began before.
  fileprivate func isFree(in range: TimeRange) -> Bool {
    target.start <= range.start && entering.allSatisfy { $0.segment.target.end <= range.start }
  }
}
