import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime

/// A part of an item whose sound comes from a server, or from a source through the cache.
struct RemoteSpan: Sendable {
  /// The medium, by its address in the cache.
  let url: MediaURL
  /// Bytes of the whole medium.
  let size: Int64
  /// The duration of the whole medium.
  let mediumDuration: Time
  /// The part of the medium.
  let source: TimeRange
  /// Where it sounds, in the item's own time.
  let target: TimeRange
  /// Whether it is played from its end to its start.
  let isReversed: Bool
  /// Whether an exact place of the medium needs every byte before it.
  let isReadFromItsStart: Bool
  /// The medium's bytes of the part: one at least.
  private let bytes: Range<Int64>

  /// A part of a medium of one byte or more.
  init(
    url: MediaURL, size: Int64, mediumDuration: Time, source: TimeRange, target: TimeRange,
    isReversed: Bool, isReadFromItsStart: Bool
  ) {
    (self.url, self.size, self.mediumDuration) = (url, size, mediumDuration)
    (self.source, self.target, self.isReversed) = (source, target, isReversed)
    self.isReadFromItsStart = isReadFromItsStart
    let bytes = Self.bytes(of: source, in: mediumDuration, size)
    let first = min(bytes.lowerBound, size - 1)
    self.bytes = first..<max(bytes.upperBound, first + 1)
  }

  /// The spans of the part of an export that is written, in the order of their starts.
  /// O(n log n) in the segments.
  static func all(of export: Export) -> [RemoteSpan] {
    let range = export.timeRange ?? TimeRange(start: .zero, duration: export.composition.duration)
    let target = TimeRange(start: .zero, duration: range.duration)
    return all(of: export.composition, range, at: target, isReversed: false)
      .sorted { $0.target.start < $1.target.start }
  }

  /// Those of a range of a composition, which sounds at `target` of the item.
  private static func all(
    of composition: Composition, _ range: TimeRange, at target: TimeRange, isReversed: Bool
  ) -> [RemoteSpan] {
    guard !range.isEmpty, !target.isEmpty else { return [] }
    var found: [RemoteSpan] = []
    for track in composition.tracks where track.sounds {
      for segment in track.segments where !segment.isEmpty {
        let part = segment.target.intersection(range)
        guard part.duration > .zero else { continue }
        let place = part.mapped(from: range, to: target, isReversed: isReversed)
        let source = part.mapped(
          from: segment.target, to: segment.source, isReversed: segment.isReversed)
        let isReversed = isReversed != segment.isReversed
        switch segment.content {
        case .asset(let asset):
          guard let url = MediaNetwork.cacheAddress(of: asset.location) else { continue }
          found.append(
            RemoteSpan(
              url: url, size: asset.identity.size, mediumDuration: asset.duration, source: source,
              target: place, isReversed: isReversed, isReadFromItsStart: asset.isReadFromItsStart))
        case .composition(let nested):
          found += all(of: nested, source, at: place, isReversed: isReversed)
        case .silence: break
        }
      }
    }
    return found
  }

  /// The medium's bytes for a part of the item, as if all its seconds had as many.
  func bytes(of part: TimeRange) -> Range<Int64> {
    let part = part.intersection(target)
      .mapped(from: target, to: source, isReversed: isReversed)
    return Self.bytes(of: part, in: mediumDuration, size)
  }

  private static func bytes(of part: TimeRange, in duration: Time, _ size: Int64) -> Range<Int64> {
    let whole = TimeRange(start: .zero, duration: duration)
    let bytes = TimeRange(start: .zero, duration: Time(frames: size, rate: 1))
    let lower = whole.map(part.start, to: bytes).frames(atRate: 1)
    let upper = whole.map(part.end, to: bytes).frames(atRate: 1)
    return max(0, min(lower, size))..<max(0, min(lower, size), min(upper, size))
  }

  /// The parts of the item whose bytes are not here, in order, if `loaded` are the ranges of the
  /// medium's bytes that are here, in order. O(n) in the ranges.
  func missing(of loaded: [Range<Int64>]) -> [TimeRange] {
    // Ranges behind the first gap are of no use yet.
    let usable = isReadFromItsStart ? loaded.prefix { $0.lowerBound == 0 } : loaded[...]
    let near = usable.drop { $0.upperBound <= bytes.lowerBound }
      .prefix { $0.lowerBound < bytes.upperBound }
    guard let first = near.first else { return [target] }
    if first.lowerBound <= bytes.lowerBound, bytes.upperBound <= first.upperBound { return [] }
    return target.parts(without: near.compactMap(time))
  }

  /// The part of the item that some of the medium's bytes hold; nil: none.
  private func time(of bytes: Range<Int64>) -> TimeRange? {
    let whole = TimeRange(start: .zero, duration: mediumDuration)
    let all = TimeRange(start: .zero, duration: Time(frames: size, rate: 1))
    let times = TimeRange(
      start: all.map(Time(frames: bytes.lowerBound, rate: 1), to: whole),
      end: all.map(Time(frames: bytes.upperBound, rate: 1), to: whole))
    let part = times.intersection(source)
    guard part.duration > .zero else { return nil }
    return part.mapped(from: source, to: target, isReversed: isReversed)
  }
}

extension TimeRange {
  /// The same part of another range, or the part as far from its end.
  fileprivate func mapped(
    from range: TimeRange, to target: TimeRange, isReversed: Bool
  ) -> TimeRange {
    let (start, end) = (range.map(start, to: target), range.map(end, to: target))
    guard isReversed else { return TimeRange(start: start, end: end) }
    let sum = target.start + target.end
    return TimeRange(start: sum - end, end: sum - start)
  }

  /// The parts of the range that none of others holds, in order. O(n log n) in the others.
  func parts(without others: [TimeRange]) -> [TimeRange] {
    var (parts, start) = ([TimeRange](), start)
    for other in others.sorted(by: { $0.start < $1.start }) where !other.isEmpty {
      let end = min(other.start, end)
      if start < end { parts.append(TimeRange(start: start, end: end)) }
      start = max(start, other.end)
    }
    return start < end ? parts + [TimeRange(start: start, end: end)] : parts
  }
}
