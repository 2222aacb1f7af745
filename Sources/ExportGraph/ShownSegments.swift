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
      }
    }
    return copy
  }

  /// Its cross-fade that is under way in a range.
  fileprivate func crossfade(isIn: Bool, in range: TimeRange) -> PictureFade? {
    crossfades.first { $0.isIn == isIn && $0.isUnderWay(in: range) }
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
  /// cross-fade the second comes in over the first, and where two overlap otherwise, the second replaces
  /// the first in the middle. `mix` is that of the whole composition.
  func shownSegments(
    in range: TimeRange, under mix: AudioMix
  ) throws(PictureProblem) -> [ShownSegment] {
    let moves = mix.pictureMoves(from: .zero)
    var all: [ShownSegment] = []
    for next in try shownSegments().sorted(by: { $0.target.start < $1.target.start })
    where next.limited(to: range) != nil {
      guard !next.isReversed else {
        throw PictureProblem(
          message: "the picture of '\(next.asset.location)' would be reversed, which is not built")
      }
      try all.add(next.following(moves))
    }
    let shown = all.compactMap { $0.limited(to: range) }.map { segment in
      segment.moved { TimeRange(start: $0.start - range.start, duration: $0.duration) }
    }
    if let first = shown.first, first.target.start > .zero {
      throw PictureProblem(
        message: "no picture is shown before \(first.target.start.readableText), where that of "
          + "'\(first.asset.location)' begins: a video begins with one")
    }
    return shown
  }

  /// The ranges of all tracks that are shown, nested ones too, in no order.
  ///
  /// - Throws: Where a track of pictures shows something at a moment at which another one does, or holds
  ///   an asset without a picture.
  fileprivate func shownSegments() throws(PictureProblem) -> [ShownSegment] {
    var shown: [[ShownSegment]] = []
    for track in shownTracks { shown.append(try track.shownSegments()) }
    if !videoTracks.isEmpty { try Self.requireApart(shown) }
    return shown.flatMap(\.self)
  }

  /// Refuses what two tracks of pictures show at one moment, but for a cross-fade that their mixes ask
  /// for. O(n log n) in the number of segments, for each track.
  private static func requireApart(_ tracks: [[ShownSegment]]) throws(PictureProblem) {
    let all = tracks.enumerated().flatMap { track, shown in shown.map { (track: track, $0) } }
      .sorted { $0.1.target.start < $1.1.target.start }
    // Of each track the range that ends last.
    var last: [ShownSegment?] = tracks.map { _ in nil }
    for (track, next) in all {
      for case (let other, let before?) in last.enumerated()
      where other != track && next.target.start < before.target.end && !before.blends(with: next) {
        throw PictureProblem(
          before, and: next, help: "take that time out of one of the two tracks, or disable one")
      }
      if last[track].map({ $0.target.end < next.target.end }) ?? true { last[track] = next }
    }
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
  /// Adds a segment to others that began before it.
  fileprivate mutating func add(_ next: ShownSegment) throws(PictureProblem) {
    guard let last, next.target.start < last.target.end else { return append(next) }
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
    guard last.target.end < next.target.end, last.target.start < next.target.start else {
      throw Self.problem(last, next)
    }
    let middle = overlap.start + overlap.duration.multiplied(by: 1, over: 2)
    self[count - 1] =
      last.limited(to: TimeRange(start: last.target.start, end: middle)) ?? last
    append(next.limited(to: TimeRange(start: middle, end: next.target.end)) ?? next)
  }

  /// Lets `next` come in over the last one; it is shown alone behind the overlap.
  private mutating func blend(
    _ next: ShownSegment, by fade: PictureFade, over last: ShownSegment, in overlap: TimeRange
  ) throws(PictureProblem) {
    guard last.isFree(in: overlap), let entering = next.limited(to: overlap) else {
      throw Self.problem(last, next)
    }
    self[count - 1].entering.append(ShownSegment.Entering(segment: entering, fade: fade))
    if let rest = next.limited(to: TimeRange(start: overlap.end, end: next.target.end)) {
      append(rest)
    }
  }

  /// Puts `next` below the last one, which comes in over it; that is shown alone before and behind it.
  private mutating func blend(
    _ last: ShownSegment, by fade: PictureFade, below next: ShownSegment, in overlap: TimeRange
  ) throws(PictureProblem) {
    guard last.isFree(in: overlap), let entering = last.limited(to: overlap) else {
      throw Self.problem(last, next)
    }
    removeLast()
    if let before = last.limited(to: TimeRange(start: last.target.start, end: overlap.start)) {
      append(before)
    }
    var below = next
    below.entering.append(ShownSegment.Entering(segment: entering, fade: fade))
    append(below)
    if let rest = last.limited(to: TimeRange(start: overlap.end, end: last.target.end)) {
      append(rest)
    }
  }

  private static func problem(_ last: ShownSegment, _ next: ShownSegment) -> PictureProblem {
    PictureProblem(
      last, and: next,
      help: "write the sound of one of them into a file of its own first, and take that")
  }
}

extension ShownSegment {
  /// Whether one of both comes in over the other while they are shown together.
  fileprivate func blends(with other: ShownSegment) -> Bool {
    let overlap = target.intersection(other.target)
    return [true, false].contains { isIn in
      crossfade(isIn: isIn, in: overlap) != nil && other.crossfade(isIn: !isIn, in: overlap) != nil
    }
  }

  /// Whether nothing comes in over it in a range that it began before.
  fileprivate func isFree(in range: TimeRange) -> Bool {
    target.start <= range.start && entering.allSatisfy { $0.segment.target.end <= range.start }
  }
}
