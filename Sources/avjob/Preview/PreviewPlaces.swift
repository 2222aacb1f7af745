import MediaTime

/// Where `n` and `p` lead within an entry of the queue: to the starts of its chapters or, where it has
/// none, of its segments.
struct PreviewPlaces {
  /// In order, each once; none at the entry's start.
  private let moments: [Time]

  /// `p` soon after a start leads to the one before it, and later to this one.
  private static let grace = Time(value: 2, timescale: 1)

  /// - Complexity: O(n log n)
  init(chapters: [Time], segments: [Time]) {
    let starts = Set(chapters.isEmpty ? segments : chapters)
    moments = starts.filter { $0 > .zero }.sorted()
  }

  /// The first start after a moment; nil: there is none, on with the next entry. O(log n).
  func next(after time: Time) -> Time? {
    let index = moments.partitioned { $0 > time }
    return index < moments.count ? moments[index] : nil
  }

  /// Where `p` leads from a moment; nil: to the entry before. O(log n).
  func previous(before time: Time) -> Time? {
    guard time > Self.grace else { return nil }
    let index = moments.partitioned { $0 > time - Self.grace }
    return index > 0 ? moments[index - 1] : .zero
  }
}

/// What is heard at a moment, of things that begin and end: asked again and again as time goes on.
struct PreviewTimeline {
  private let entries: [(range: TimeRange, name: String)]
  /// The last answer, and when it holds.
  private var names: [String] = []
  private var validity: (start: Time, end: Time)?

  /// Of so many at once, no more are named.
  private static let mostNames = 8

  /// Entries in order of their starts.
  init(_ entries: [(range: TimeRange, name: String)]) { self.entries = entries }

  /// The names of what sounds at a moment, in order of their starts, each once.
  ///
  /// - Complexity: O(1) while it stays the same, else O(n)
  mutating func names(at time: Time) -> [String] {
    if let validity, validity.start <= time, time < validity.end { return names }
    var (start, end) = (Time.zero, Time.positiveInfinity)
    names = []
    for (range, name) in entries {
      if range.start > time {
        end = min(end, range.start)
        break
      }
      if range.end <= time {
        start = max(start, range.end)
        continue
      }
      (start, end) = (max(start, range.start), min(end, range.end))
      if names.count < Self.mostNames, !names.contains(name) { names.append(name) }
    }
    validity = (start, end)
    return names
  }
}

extension Array {
  /// The first index whose element satisfies a condition that all later ones satisfy, too. O(log n).
  fileprivate func partitioned(by condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
