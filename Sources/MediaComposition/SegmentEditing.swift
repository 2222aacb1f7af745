import MediaTime

extension Segment {
  /// What is shorter, 4 ns, is what rounding left: a thousandth of a frame of any sample rate.
  static let shortestPart = Time(value: 8, timescale: Time.maximumTimescale)

  /// The parts before and after `time`, a moment inside the target: together they sound as the
  /// whole did.
  ///
  /// The mix keeps its place, so fades stay where they were, and each chapter goes with the part
  /// that it begins in. Where the sound of a part depends on the rest of the segment, both parts
  /// are ranges of a composition that holds the whole.
  ///
  /// Where no timescale can hold the parts exactly, the seam is moved by less than a nanosecond to
  /// where one can (see `cleanLength(_:)`), and the second part begins where the first ends: parts
  /// never gape or overlap. O(ramps + chapters).
  func split(at time: Time, algorithm: TimePitchAlgorithm) -> (Segment, Segment) {
    if isIndivisible { return nested(with: algorithm).split(at: time, algorithm: algorithm) }
    var (first, second) = (self, self)
    first.target.duration = cleanLength(time - target.start)
    second.target.start = first.target.end
    second.target.duration = target.duration - first.target.duration

    // Equal durations must stay the same number: any difference would be a speed.
    first.source.duration = first.target.duration
    second.source.duration = second.target.duration
    if isReversed {
      first.source.start = second.source.end
    } else {
      second.source.start = first.source.end
    }
    let length = first.target.duration
    second.mix = mix.delayed(by: -length)
    first.chapters.removeAll { $0.start >= length }
    second.chapters = chapters.filter { $0.start >= length }.map { $0.moved(by: -length) }
    if let speech {
      (first.speech, second.speech) = (speech.first(lasting: length), speech.rest(after: length))
    }
    return (first, second)
  }

  /// Whether a part of the segment, rendered alone, would not be the part of the whole: filters
  /// and stretches depend on what came before, and a speed would have to be the same number in
  /// both.
  private var isIndivisible: Bool { !isEmpty && (isFormedAsWhole || isScaled) }

  /// How long the first part lasts, where it should last `length`: as long as that if all times of
  /// both parts can be held exactly; else rounded on the finest grid on which the segment's own
  /// times fall, where they can.
  private func cleanLength(_ length: Time) -> Time {
    let rest = target.duration - length
    let times = [
      length, rest, target.start + length, source.start + length, source.start + rest,
      target.start + length + rest, source.start + length + rest,
    ]
    guard times.contains(where: \.hasBeenRounded) else { return length }
    var grid = target.duration.timescale
    for scale in isEmpty ? [target.start.timescale] : [source.start, target.start].map(\.timescale)
    {
      if let common = grid.commonMultiple(with: scale) { grid = common }
    }
    let finest = Time.maximumTimescale / grid * grid
    return length.converted(toTimescale: finest, rounding: .halfAwayFromZero)
  }

  /// The same sound as a composition: its mix and chapters stay outside, and what bounds its words.
  private func nested(with algorithm: TimePitchAlgorithm) -> Segment {
    var inner = self
    inner.target.start = .zero
    (inner.mix, inner.chapters, inner.speech) = (.unity, [], speech?.ofContent)
    let track = Track(segments: [inner], timePitchAlgorithm: algorithm, origin: origin)
    var outer = Segment(
      .composition(Composition(tracks: [track])),
      TimeMapping(
        source: TimeRange(start: .zero, duration: target.duration), target: target),
      mix: mix, chapters: chapters, origin: origin)
    outer.speech = speech?.ofPlace
    return outer
  }

  /// Plays the same over `newTarget`, faster or slower, with its mix and chapters. O(ramps +
  /// chapters).
  mutating func stretch(to newTarget: TimeRange) {
    let old = TimeRange(start: .zero, duration: target.duration)
    let new = TimeRange(start: .zero, duration: newTarget.duration)
    target = newTarget
    guard old.duration != new.duration else { return }
    mix = mix.mapped(from: old, to: new)
    for index in chapters.indices {
      chapters[index].start = old.map(chapters[index].start, to: new)
    }
    speech = speech?.stretched(from: old, to: new)
    if isEmpty { source = new }
  }

  /// This segment and `next` as one, where that sounds the same: `next` continues with the same
  /// content where this one ends, with the same mix. Nil where it does not, or where either is
  /// scaled or filtered. O(ramps + chapters).
  func joined(with next: Segment) -> Segment? {
    guard target.end == next.target.start, isReversed == next.isReversed,
      channels == next.channels, !isFormedAsWhole, !next.isFormedAsWhole, origin == next.origin,
      isEmpty == next.isEmpty, isEmpty || !isScaled && !next.isScaled
    else { return nil }
    var whole = self
    whole.target.duration = target.duration + next.target.duration
    whole.source.duration = whole.target.duration
    if isReversed { whole.source.start = next.source.start }
    guard whole.target.end == next.target.end,
      isEmpty || source.joins(next.source, isReversed: isReversed, as: whole.source),
      content == next.content, mix.delayed(by: -target.duration) == next.mix,
      let speech = speech.joined(with: next.speech, after: target.duration)
    else { return nil }
    whole.speech = speech
    whole.chapters += next.chapters.map { $0.moved(by: target.duration) }
    return whole
  }
}

extension TimeRange {
  /// Whether this range and then the next, or the other way round, are `whole`.
  fileprivate func joins(_ next: TimeRange, isReversed: Bool, as whole: TimeRange) -> Bool {
    isReversed
      ? next.end == start && whole.end == end : end == next.start && whole.end == next.end
  }
}

extension Int32 {
  /// The least common multiple of two positive timescales; nil where it is none.
  func commonMultiple(with other: Int32) -> Int32? {
    var (a, b) = (self, other)
    while b != 0 { (a, b) = (b, a % b) }
    let (multiple, overflow) = (self / a).multipliedReportingOverflow(by: other)
    return overflow ? nil : multiple
  }
}
