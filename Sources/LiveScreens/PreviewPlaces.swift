import MediaComposition
import MediaTime

/// The targets of `n` and `p` within an entry: the starts of its chapters or, without chapters, of
/// its segments.
struct PreviewPlaces {
  /// The starts in order, each once, without the entry's own.
  private let moments: [Time]

  /// Within this time after a start `p` goes to the start before it.
  private static let grace = Time(value: 2, timescale: 1)

  /// - Complexity: O(n log n)
  init(chapters: [Time], segments: [Time]) {
    self.init(starts: chapters.isEmpty ? segments : chapters)
  }

  /// Places at some starts, in any order.
  ///
  /// - Complexity: O(n log n)
  init(starts: [Time]) { moments = Set(starts).filter { $0 > .zero }.sorted() }

  /// The first start after a time; nil if there is none. O(log n).
  func next(after time: Time) -> Time? {
    let index = moments.partitioningIndex { $0 > time }
    return index < moments.count ? moments[index] : nil
  }

  /// The target of `p` at a time; nil if that is the previous entry. O(log n).
  func previous(before time: Time) -> Time? {
    guard time > Self.grace else { return nil }
    let index = moments.partitioningIndex { $0 > time - Self.grace }
    return index > 0 ? moments[index - 1] : .zero
  }
}

/// The values of ranges at a time, for repeated questions as time passes.
struct PreviewTimeline<Value: Equatable> {
  private let entries: [(range: TimeRange, value: Value)]
  /// The last answer, and its range of validity.
  private var values: [Value] = []
  private var validity: (start: Time, end: Time)?

  /// At most this many values are given.
  private let mostValues = 8

  /// A timeline of ranges in order of their starts.
  init(_ entries: [(range: TimeRange, value: Value)]) { self.entries = entries }

  /// The values at a time, in order of their starts, each once.
  ///
  /// - Complexity: O(1) while the answer stays the same, else O(n)
  mutating func values(at time: Time) -> [Value] {
    if let validity, validity.start <= time, time < validity.end { return values }
    var (start, end) = (Time.zero, Time.positiveInfinity)
    values = []
    for (range, value) in entries {
      if range.start > time {
        end = min(end, range.start)
        break
      }
      if range.end <= time {
        start = max(start, range.end)
        continue
      }
      (start, end) = (max(start, range.start), min(end, range.end))
      if values.count < mostValues, !values.contains(value) { values.append(value) }
    }
    validity = (start, end)
    return values
  }
}
