import Diagnosis
import MediaComposition
import MediaTime

/// Why pictures cannot be put together.
struct PictureProblem: Error {
  var message: String
  var help: String?
}

/// A range of a source that has a moving picture.
struct ShownSegment {
  var asset: Asset
  var source: TimeRange
  var target: TimeRange
  var isReversed = false

  /// Whether it is all of its source, at its own time.
  var isWhole: Bool {
    source == TimeRange(start: .zero, duration: asset.duration) && target == source
  }

  /// What of it is shown within a range; nil: nothing.
  func limited(to range: TimeRange) -> ShownSegment? {
    let common = target.intersection(range)
    guard common.duration > .zero else { return nil }
    var part = self
    part.source = TimeRange(
      start: target.map(common.start, to: source), end: target.map(common.end, to: source))
    part.target = common
    return part
  }
}

extension Composition {
  /// What is shown in a range, whose start is 0 then, in order of time: where two overlap, as in a
  /// cross-fade, the second replaces the first in the middle.
  func shownSegments(
    in range: TimeRange
  ) throws(PictureProblem) -> [ShownSegment] {
    var shown: [ShownSegment] = []
    for next in shownSegments.sorted(by: { $0.target.start < $1.target.start }) {
      guard var next = next.limited(to: range) else { continue }
      next.target.start = next.target.start - range.start
      guard !next.isReversed else {
        throw PictureProblem(
          message: "the picture of '\(next.asset.location)' would be reversed, which is not built")
      }
      if let last = shown.last, next.target.start < last.target.end {
        guard last.target.end < next.target.end, last.target.start < next.target.start else {
          throw PictureProblem(
            message:
              "from \(next.target.start.readableText) on two pictures would be shown at once: of "
              + "'\(last.asset.location)' and of '\(next.asset.location)'",
            help: "write the sound of one of them into a file of its own first, and take that")
        }
        let overlap = last.target.end - next.target.start
        let middle = next.target.start + overlap.multiplied(by: 1, over: 2)
        shown[shown.count - 1] =
          last.limited(to: TimeRange(start: last.target.start, end: middle)) ?? last
        next = next.limited(to: TimeRange(start: middle, end: next.target.end)) ?? next
      }
      shown.append(next)
    }
    if let first = shown.first, first.target.start > .zero {
      throw PictureProblem(
        message: "no picture is shown before \(first.target.start.readableText), where that of "
          + "'\(first.asset.location)' begins: a video begins with one")
    }
    return shown
  }

  /// The ranges of all tracks, nested ones too, whose sources have moving pictures, in no order.
  private var shownSegments: [ShownSegment] {
    tracks.flatMap { track in
      track.segments.flatMap { segment -> [ShownSegment] in
        switch segment.content {
        case .silence: return []
        case .asset(let asset):
          guard asset.videoCodec != nil else { return [] }
          return [
            ShownSegment(
              asset: asset, source: segment.source, target: segment.target,
              isReversed: segment.isReversed)
          ]
        case .composition(let inner):
          return inner.shownSegments.compactMap { $0.limited(to: segment.source) }.map { shown in
            var moved = shown
            moved.target = TimeRange(
              start: segment.source.map(shown.target.start, to: segment.target),
              end: segment.source.map(shown.target.end, to: segment.target))
            if segment.isReversed { moved.isReversed = true }
            return moved
          }
        }
      }
    }
  }
}
