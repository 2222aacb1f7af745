import MediaComposition
import MediaTime

/// A segment's frames on a grid, and the frames of its content there.
struct Placement {
  let target: Time
  /// Where the zero of the content's own time lies.
  let zero: Time
  /// From the segment's first frame to the one after its last.
  let frames: Range<Int64>
  /// As many frames of the content, at the grid's rate and the segment's speed. Rounding may place
  /// the first or the last outside the content.
  let source: Range<Int64>
  /// The placed segment; nil for a grid that begins with a segment.
  private let stretch: Stretch?

  /// A placement of the content's frames on a grid of its own.
  init(source: Range<Int64>, rate: Int) {
    target = .zero
    zero = Time(frames: -source.lowerBound, rate: rate)
    frames = 0..<Int64(source.count)
    self.source = source
    stretch = nil
  }

  /// `segment` at `target` of a timeline, after one that was placed at `before`.
  ///
  /// A segment begins with the frame that its range begins on, and a reversed one with the frame
  /// that its range ends on. A segment that continues `before` starts with the next frame: a seam
  /// is not rounded again.
  init(of segment: Segment, at target: Time, after before: Placement?, rate: Int) {
    let touching = before?.stretch?.touches(segment, rate: rate) == true ? before : nil
    let first = touching?.frames.upperBound ?? target.frame(atRate: rate)
    let end = max(first, (target + segment.target.duration).frame(atRate: rate))
    self.target = target
    frames = first..<end
    stretch = Stretch(segment)
    let seam = touching?.stretch?.continues(with: segment, rate: rate) == true ? touching : nil
    zero = seam?.zero ?? target - segment.source.start
    if segment.isReversed {
      let last =
        seam?.source.lowerBound ?? segment.contentFrame(at: segment.source.end, rate: rate)
      source = last - (end - first)..<last
    } else {
      let next =
        seam?.source.upperBound ?? segment.contentFrame(at: segment.source.start, rate: rate)
      source = next..<next + (end - first)
    }
  }
}

/// The properties of a segment that decide how the next one continues.
private struct Stretch {
  let content: Segment.Content
  let source: TimeRange
  let target: TimeRange
  let isReversed: Bool

  init(_ segment: Segment) {
    content = segment.content
    source = segment.source
    target = segment.target
    isReversed = segment.isReversed
  }

  func touches(_ next: Segment, rate: Int) -> Bool {
    target.end.isSame(as: next.target.start, rate: rate)
  }

  /// Whether `next`, which starts where this ends, continues the same content.
  func continues(with next: Segment, rate: Int) -> Bool {
    guard source.duration == target.duration, !next.isScaled, isReversed == next.isReversed else {
      return false
    }
    let (end, start) =
      isReversed ? (next.source.end, source.start) : (source.end, next.source.start)
    return end.isSame(as: start, rate: rate) && content == next.content
  }
}

extension Segment {
  /// The frame that a moment of the content falls on, at `rate` and the segment's speed.
  fileprivate func contentFrame(at time: Time, rate: Int) -> Int64 {
    guard isScaled, !isEmpty else { return time.frame(atRate: rate) }
    return source.map(duration: time, to: target).frame(atRate: rate)
  }
}

extension Time {
  /// Whether two times are equal within a thousandth of a frame, which no timescale could hold.
  fileprivate func isSame(as other: Time, rate: Int) -> Bool {
    if self == other { return true }
    guard hasBeenRounded || other.hasBeenRounded else { return false }
    return (self - other).frames(atRate: rate * 1000) == 0
  }

  /// The frame of this time at `rate`, rounded half up: as `frames(atRate:)` on every timeline, and
  /// before its zero in the same steps, so that a shift by whole frames keeps the frames. Times
  /// beyond `Limits.farthestFrame` become that.
  func frame(atRate rate: Int) -> Int64 {
    let halves = frames(atRate: rate * 2, rounding: .towardNegativeInfinity)
    let frame = halves >> 1 + (halves & 1)
    return max(-Limits.farthestFrame, min(Limits.farthestFrame, frame))
  }
}
