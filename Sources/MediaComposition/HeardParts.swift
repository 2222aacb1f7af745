import Diagnosis
import MediaTime

/// A range of a source, and when it is heard.
package struct HeardPart: Sendable, Hashable {
  /// The source.
  package var asset: Asset
  /// In its own time.
  package var source: TimeRange
  /// On the timeline, from the start of what was asked for.
  package var target: TimeRange
  /// Whether it is played backwards.
  package var isReversed: Bool

  /// Where the source is.
  package var location: MediaLocation { asset.location }
}

extension Export {
  /// Which ranges of its sources sound in what is written, and when, in the order of the timeline: the map
  /// of the sound that `plan --json` shows.
  ///
  /// Both sides of a cross-fade sound over all of it; words change in its middle. They are mapped by
  /// ``transcript(in:rate:)``, and not by this. O(log n) for each track and segment that sounds, in the
  /// number of its segments, and O(k log k) for k parts.
  package var heardParts: [HeardPart] {
    let range = timeRange ?? TimeRange(start: .zero, duration: composition.duration)
    let parts = composition.parts(in: range).map { $0.moved(by: -range.start) }
    let ordered = parts.enumerated().sorted {
      ($0.element.target.start, $0.offset) < ($1.element.target.start, $1.offset)
    }
    return ordered.map(\.element).reduce(into: []) { joined, part in
      if joined.last?.continues(with: part) == true {
        joined[joined.count - 1].extend(to: part)
      } else {
        joined.append(part)
      }
    }
  }
}

extension Asset {
  /// Whether it is the same stream of the same file, without a look at its facts.
  package func isSameSound(as other: Asset) -> Bool {
    location == other.location && streamIndex == other.streamIndex
  }
}

extension Composition {
  fileprivate func parts(in range: TimeRange) -> [HeardPart] {
    tracks.filter { $0.sounds && !$0.isSilenced }.flatMap { track in
      track.segments[track.index(endingAfter: range.start)...]
        .prefix { $0.target.start < range.end }
        .flatMap { $0.parts(in: range) }
    }
  }
}

extension Segment {
  /// What of it is heard in a range of its track, in the time of the track.
  fileprivate func parts(in range: TimeRange) -> [HeardPart] {
    let target = target.intersection(range)
    guard target.duration > .zero, source.duration > .zero, mix.gain != .silence else { return [] }
    let ends = [target.start, target.end].map { turned(self.target.map($0, to: source)) }.sorted()
    let heard = TimeRange(start: ends[0], end: ends[1])
    switch content {
    case .silence: return []
    case .asset(let asset):
      return [
        HeardPart(asset: asset, source: heard, target: target, isReversed: isReversed)
      ]
    case .composition(let inner):
      return inner.parts(in: heard).map { part in
        let ends = [part.target.start, part.target.end]
          .map { source.map(turned($0), to: self.target) }.sorted()
        var moved = part
        moved.target = TimeRange(start: ends[0], end: ends[1])
        moved.isReversed = part.isReversed != isReversed
        return moved
      }
    }
  }

  /// A moment of its content, from the other end where it is played backwards.
  private func turned(_ time: Time) -> Time {
    isReversed ? source.start + (source.end - time) : time
  }
}

extension HeardPart {
  fileprivate func moved(by offset: Time) -> HeardPart {
    var moved = self
    moved.target = TimeRange(start: target.start + offset, duration: target.duration)
    return moved
  }

  /// Whether `next` is heard at once after it, and is what comes next in the source, at the same speed and
  /// in the same direction.
  fileprivate func continues(with next: HeardPart) -> Bool {
    asset.isSameSound(as: next.asset) && isReversed == next.isReversed
      && target.end == next.target.start
      && (isReversed ? source.start == next.source.end : source.end == next.source.start)
      && next.source.map(duration: source.duration, to: next.target) == target.duration
  }

  fileprivate mutating func extend(to next: HeardPart) {
    let ends = (min(source.start, next.source.start), max(source.end, next.source.end))
    source = TimeRange(start: ends.0, end: ends.1)
    target = TimeRange(start: target.start, end: next.target.end)
  }
}
