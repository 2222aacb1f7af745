import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime

/// A part of an item whose sound comes from a server.
struct RemoteSpan: Sendable {
  /// The medium.
  let url: MediaURL
  /// The duration of the whole medium.
  let mediumDuration: Time
  /// The part of the medium.
  let source: TimeRange
  /// Where it sounds, in the item's own time.
  let target: TimeRange
  /// Whether it is played from its end to its start.
  let isReversed: Bool

  /// The spans of the part of an export that is written. O(segments).
  static func all(of export: Export) -> [RemoteSpan] {
    let range = export.timeRange ?? TimeRange(start: .zero, duration: export.composition.duration)
    let target = TimeRange(start: .zero, duration: range.duration)
    return all(of: export.composition, range, at: target, isReversed: false)
  }

  /// Those of a range of a composition, which sounds at `target` of the item.
  private static func all(
    of composition: Composition, _ range: TimeRange, at target: TimeRange, isReversed: Bool
  ) -> [RemoteSpan] {
    guard !range.isEmpty, !target.isEmpty else { return [] }
    var found: [RemoteSpan] = []
    for track in composition.tracks where track.isEnabled {
      for segment in track.segments where !segment.isEmpty {
        let part = segment.target.intersection(range)
        guard part.duration > .zero else { continue }
        let place = part.mapped(from: range, to: target, isReversed: isReversed)
        let source = part.mapped(
          from: segment.target, to: segment.source, isReversed: segment.isReversed)
        let isReversed = isReversed != segment.isReversed
        switch segment.content {
        case .asset(let asset):
          guard case .remote(let url) = asset.location else { continue }
          found.append(
            RemoteSpan(
              url: url, mediumDuration: asset.duration, source: source, target: place,
              isReversed: isReversed))
        case .composition(let nested):
          found += all(of: nested, source, at: place, isReversed: isReversed)
        case .silence: break
        }
      }
    }
    return found
  }

  /// The medium's bytes for a part of the item, as if all its seconds had as many.
  func bytes(of part: TimeRange, size: Int64) -> Range<Int64> {
    let whole = TimeRange(start: .zero, duration: mediumDuration)
    let bytes = TimeRange(start: .zero, duration: Time(frames: size, rate: 1))
    let source = part.intersection(target)
      .mapped(from: target, to: self.source, isReversed: isReversed)
    let lower = whole.map(source.start, to: bytes).frames(atRate: 1)
    let upper = whole.map(source.end, to: bytes).frames(atRate: 1)
    return max(0, min(lower, size))..<max(0, min(lower, size), min(upper, size))
  }

  /// The parts of the item that some of the medium's bytes hold, in order of the bytes.
  func times(of loaded: [Range<Int64>], size: Int64) -> [TimeRange] {
    guard size > 0 else { return [] }
    let whole = TimeRange(start: .zero, duration: mediumDuration)
    let bytes = TimeRange(start: .zero, duration: Time(frames: size, rate: 1))
    return loaded.compactMap { range in
      let times = TimeRange(
        start: bytes.map(Time(frames: range.lowerBound, rate: 1), to: whole),
        end: bytes.map(Time(frames: range.upperBound, rate: 1), to: whole))
      let part = times.intersection(source)
      guard part.duration > .zero else { return nil }
      return part.mapped(from: source, to: target, isReversed: isReversed)
    }
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
}

/// Parts of an item, none of which overlap.
struct TimeParts {
  /// In order.
  private(set) var ranges: [TimeRange]

  /// All of a duration.
  init(whole duration: Time) {
    ranges = duration > .zero ? [TimeRange(start: .zero, duration: duration)] : []
  }

  /// Removes a range. O(n).
  mutating func remove(_ range: TimeRange) {
    guard range.duration > .zero else { return }
    ranges = ranges.flatMap { part in
      [
        TimeRange(start: part.start, end: min(part.end, range.start)),
        TimeRange(start: max(part.start, range.end), end: part.end),
      ].filter { $0.start < $0.end }
    }
  }
}
