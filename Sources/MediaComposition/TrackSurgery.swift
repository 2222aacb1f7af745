import MediaTime

/// What a track plays during some time, on its way to another place.
struct Excerpt {
  /// In order, within `range`; what lies between them is silence.
  var segments: [Segment]
  /// The time of the track that they were taken from.
  var range: TimeRange

  /// `segments`, which lie within `range`.
  init(_ segments: [Segment], range: TimeRange) {
    self.segments = segments
    self.range = range
  }

  /// One segment, all of it.
  init(_ segment: Segment) { self.init([segment], range: segment.target) }
}

extension Segment {
  /// A segment at zero in which nothing sounds.
  static func silence(lasting duration: Time) -> Segment {
    Segment(.silence, source: TimeRange(start: .zero, duration: duration), at: .zero)
  }
}

// What follows expects times that were checked, and cannot fail. Segments that touch go on touching
// whatever is rounded: each is placed by the end of the one before it.

extension Track {
  /// What is played during `range`, to be inserted into `receiver`. O(segments in the range + log
  /// segments).
  func excerpt(_ range: TimeRange, for receiver: Track) -> Excerpt {
    let first = index(endingAfter: range.start)
    let last = first..<max(first, index(startingAt: range.end))
    var part = Track(segments: Array(segments[last]), timePitchAlgorithm: timePitchAlgorithm)
    // A track of these segments, but for what the receiver has of its own.
    let bare = Track(
      name: name, mediaType: mediaType, segments: segments, isEnabled: isEnabled, ducking: ducking,
      timePitchAlgorithm: timePitchAlgorithm, origin: origin)
    let isPlain =
      self == bare
      && (timePitchAlgorithm == receiver.timePitchAlgorithm
        || !part.segments.contains { $0.isScaled && !$0.isEmpty })
    if !isPlain {
      var whole = self
      (whole.isEnabled, whole.ducking) = (true, nil)
      return Excerpt(
        Segment(
          .composition(Composition(tracks: [whole])), TimeMapping(source: range, target: range),
          origin: origin))
    }
    let start = part.cut(at: range.start)
    part.segments.removeFirst(start.index)
    let end = part.cut(at: range.end)
    part.segments.removeLast(part.segments.count - end.index)
    return Excerpt(part.segments, range: TimeRange(start: start.time, end: end.time))
  }

  /// Inserts an excerpt; what is at `time` and later is pushed back by its duration.
  mutating func insert(_ excerpt: Excerpt, at time: Time) {
    let cut = cut(at: time)
    var inserted = Track(segments: excerpt.segments)
    var seam = (old: excerpt.range.start, new: cut.time)
    inserted.move(from: 0, by: cut.time - excerpt.range.start, after: &seam)
    if seam.old != excerpt.range.end {
      seam.new = max(seam.new, cut.time + excerpt.range.duration)
      if cut.index == segments.count { inserted.extend(to: seam.new) }
    }
    seam.old = cut.time
    move(from: cut.index, by: excerpt.range.duration, after: &seam)
    segments.insert(contentsOf: inserted.segments, at: cut.index)
    join(at: cut.index + inserted.segments.count)
    join(at: cut.index)
  }

  /// Takes out `range`, which may last longer than the track.
  mutating func remove(_ range: TimeRange) {
    let end = end
    guard range.start < end else { return }
    let first = cut(at: range.start)
    let last = range.end < end ? cut(at: range.end) : (index: segments.count, time: end)
    segments.removeSubrange(first.index..<last.index)
    if first.index == segments.count {
      extend(to: first.time)
    } else {
      var seam = (old: last.time, new: first.time)
      move(from: first.index, by: first.time - last.time, after: &seam)
    }
    join(at: first.index)
  }

  /// Has `range` last `duration`.
  mutating func scale(_ range: TimeRange, toDuration duration: Time) {
    guard range.start < end else { return }
    let first = cut(at: range.start)
    let last = cut(at: range.end)
    let old = TimeRange(start: first.time, end: last.time)
    let new = TimeRange(start: first.time, duration: duration)
    var seam = (old: old.start, new: new.start)
    for index in first.index..<last.index {
      let target = segments[index].target
      let start =
        target.start == seam.old ? seam.new : max(seam.new, old.map(target.start, to: new))
      let end = target.end == old.end ? new.end : old.map(target.end, to: new)
      segments[index].stretch(to: TimeRange(start: start, end: max(start, end)))
      seam = (target.end, segments[index].target.end)
    }
    if seam.old != last.time { seam = (last.time, max(seam.new, new.end)) }
    move(from: last.index, by: duration - old.duration, after: &seam)
    join(at: last.index)
    join(at: first.index)
    // What became shorter than the finest tick is gone.
    segments.removeAll { $0.target.duration == .zero }
  }

  /// Adds silence until `time`, where the track ends before it.
  mutating func extend(to time: Time) {
    let end = end
    guard end < time else { return }
    var silence = Segment.silence(lasting: time - end)
    silence.target.start = end
    segments.append(silence)
    join(at: segments.count - 1)
  }

  /// Splits the segment that `time` is inside of. Gives the index of the first segment from there
  /// on, and the time where that is: `time`, but for less than four nanoseconds where the parts
  /// could not be held exactly, or one of them would be shorter than that.
  private mutating func cut(at time: Time) -> (index: Int, time: Time) {
    let index = index(endingAfter: time)
    guard index < segments.count, segments[index].target.start < time else { return (index, time) }
    let target = segments[index].target
    if time - target.start < Segment.shortestPart { return (index, target.start) }
    if target.end - time < Segment.shortestPart { return (index + 1, target.end) }
    let (first, second) = segments[index].split(at: time, algorithm: timePitchAlgorithm)
    segments[index] = second
    segments.insert(first, at: index)
    return (index + 1, second.target.start)
  }

  /// Moves all segments from an index on by `offset`. One that touched the one before still does:
  /// what ended at `seam.old` ends at `seam.new` now, and afterwards `seam` says that of the last.
  private mutating func move(
    from index: Int, by offset: Time, after seam: inout (old: Time, new: Time)
  ) {
    for index in index..<segments.count {
      let target = segments[index].target
      let start = target.start == seam.old ? seam.new : max(seam.new, target.start + offset)
      segments[index].target.start = start
      seam = (target.end, start + target.duration)
    }
  }

  /// Makes one segment of those before and at an index, where that sounds the same.
  private mutating func join(at index: Int) {
    guard index > 0, index < segments.count,
      let joined = segments[index - 1].joined(with: segments[index])
    else { return }
    segments[index - 1] = joined
    segments.remove(at: index)
  }

  /// The first segment that ends after `time`. O(log segments).
  func index(endingAfter time: Time) -> Int {
    segments.partitioningIndex { $0.target.end > time }
  }

  /// The first segment that starts at `time` or later. O(log segments).
  func index(startingAt time: Time) -> Int {
    segments.partitioningIndex { $0.target.start >= time }
  }
}
