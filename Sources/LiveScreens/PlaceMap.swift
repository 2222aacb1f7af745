import Diagnosis
import MediaComposition
import MediaTime
import Playback

/// Maps the places of an export to those of its next version: by what sounds there and by the moment of
/// its source, not by seconds from the start.
///
/// A place belongs to the segment that has begun last of those that sound there. If that segment is in
/// the next version, at the same or at another place, the moment of its source is kept, or the nearest
/// that is still in it. If it is gone, the place is the start of the segment that followed it. A place
/// in silence keeps its distance from the segment before. If no segment is left, places are seconds from
/// the start.
struct PlaceMap {
  private let lanes: [LanePair]
  private let (oldStart, newStart): (Time, Time)
  private let newDuration: Time
  /// Whether no segment is in both versions.
  private let isAnother: Bool

  /// The map between two versions.
  ///
  /// - Complexity: O(segments), and O(n m) for n changed segments that are m in the next version, if
  ///   n m is below a million
  init(from old: Export, to new: Export) {
    self.init(
      from: old.composition, at: old.timeRange?.start ?? .zero, to: new.composition,
      at: new.timeRange?.start ?? .zero, lasting: new.duration)
  }

  private init(
    from old: Composition, at oldStart: Time, to new: Composition, at newStart: Time,
    lasting duration: Time
  ) {
    (self.oldStart, self.newStart, newDuration) = (oldStart, newStart, duration)
    lanes = LanePair.pairs(Lane.all(of: old), Lane.all(of: new))
    isAnother = lanes.allSatisfy { $0.partners.allSatisfy { $0 == nil } }
  }

  /// The place in the next version of one in this version, in the items' own times. O(segments).
  func time(of time: Time) -> Time {
    let place = isAnother ? time : newPlace(of: time + oldStart) - newStart
    return max(.zero, min(place, newDuration))
  }

  private func newPlace(of time: Time) -> Time {
    var latest: (lane: LanePair, index: Int, start: Time)?
    var before: (lane: LanePair, index: Int, end: Time)?
    for lane in lanes {
      for (index, segment) in lane.old.enumerated() where segment.target.start <= time {
        if segment.target.contains(time) {
          if latest.map({ $0.start < segment.target.start }) ?? true {
            latest = (lane, index, segment.target.start)
          }
        } else if before.map({ $0.end < segment.target.end }) ?? true {
          before = (lane, index, segment.target.end)
        }
      }
    }
    if let latest { return latest.lane.place(of: time, in: latest.index) }
    return before?.lane.place(of: time, after: before?.index ?? 0) ?? time
  }

  /// A moment of a segment in the segment's next version.
  fileprivate static func place(of time: Time, in old: Segment, _ new: Segment) -> Time {
    var moment = old.target.map(time, to: old.source)
    if old.isReversed { moment = old.source.start + (old.source.end - moment) }
    if case .composition(let before) = old.content, case .composition(let after) = new.content {
      let nested = PlaceMap(
        from: before, at: .zero, to: after, at: .zero, lasting: after.duration)
      moment = nested.time(of: moment)
    }
    moment = max(new.source.start, min(moment, new.source.end))
    if new.isReversed { moment = new.source.start + (new.source.end - moment) }
    let place = new.source.map(moment, to: new.target)
    return place.isNumeric ? place : new.target.start
  }
}

/// The segments of a track of a job, in order of their starts: they overlap if it cross-fades.
private struct Lane {
  let name: String?
  let segments: [Segment]

  static func all(of composition: Composition) -> [Lane] {
    composition.writtenTracks.map { tracks in
      let segments = tracks.flatMap(\.segments).filter { !$0.isEmpty }
      return Lane(
        name: tracks.first?.name, segments: segments.sorted { $0.target.start < $1.target.start })
    }
  }
}

/// A track and its next version.
private struct LanePair {
  let old: [Segment]
  let new: [Segment]
  /// The index in `new` of each segment of `old`; nil: it is gone.
  let partners: [Int?]

  private init(_ old: [Segment], _ new: [Segment]) {
    (self.old, self.new) = (old, new)
    partners = Alignment.partners(old.map(Piece.init), new.map(Piece.init))
  }

  /// Tracks of one name belong together, and then the others in their order.
  static func pairs(_ old: [Lane], _ new: [Lane]) -> [LanePair] {
    var free = Array(new.indices)
    var partner: [Int: Int] = [:]
    for (index, lane) in old.enumerated() where lane.name != nil {
      guard let place = free.firstIndex(where: { new[$0].name == lane.name }) else { continue }
      partner[index] = free.remove(at: place)
    }
    for index in old.indices where partner[index] == nil && !free.isEmpty {
      partner[index] = free.removeFirst()
    }
    return old.indices.map { index in
      LanePair(old[index].segments, partner[index].map { new[$0].segments } ?? [])
    }
  }

  /// The new place of a time in a segment.
  func place(of time: Time, in index: Int) -> Time {
    if let partner = partners[index] {
      return PlaceMap.place(of: time, in: old[index], new[partner])
    }
    if let next = partners[index...].lazy.compactMap({ $0 }).first {
      return new[next].target.start
    }
    // The last ones are gone.
    return new.last?.target.end ?? time
  }

  /// The new place of a time after a segment, before the next.
  func place(of time: Time, after index: Int) -> Time {
    let next = partners[(index + 1)...].lazy.compactMap { $0 }.first.map { new[$0].target.start }
    guard let partner = partners[index] else { return next ?? time }
    let place = new[partner].target.end + (time - old[index].target.end)
    return next.map { min(place, $0) } ?? place
  }
}

/// What a segment plays.
private struct Piece: Hashable {
  enum Content: Hashable {
    case silence
    case asset(MediaLocation, stream: Int)
    case composition(Set<MediaLocation>)
  }

  let content: Content
  let source: TimeRange

  init(_ segment: Segment) {
    source = segment.source
    content =
      switch segment.content {
      case .silence: .silence
      case .asset(let asset): .asset(asset.location, stream: asset.streamIndex)
      case .composition(let composition): .composition(Set(composition.assets.map(\.location)))
      }
  }

  /// How well another one is the same; 0: it is not.
  func likeness(to other: Piece) -> Int32 {
    // Two that are alike do not outweigh one that is the same.
    if self == other { return 100 }
    guard content == other.content else {
      guard case .composition = content, case .composition = other.content else { return 0 }
      return 1
    }
    return source.intersection(other.source).duration > .zero ? 3 : 0
  }
}

/// Which element of a list is which in its next version.
private enum Alignment {
  /// The best pairs in order, and then pairs of equals that have moved.
  static func partners(_ old: [Piece], _ new: [Piece]) -> [Int?] {
    var partners = [Int?](repeating: nil, count: old.count)
    let limit = min(old.count, new.count)
    let head = zip(old, new).prefix { $0 == $1 }.count
    let tail = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
    let end = min(tail, limit - head)
    for index in 0..<head { partners[index] = index }
    for index in 0..<end { partners[old.count - 1 - index] = new.count - 1 - index }
    align(old, head..<old.count - end, new, head..<new.count - end, &partners)
    pairMoved(old, new, &partners)
    return partners
  }

  private static let mostCells = 1_000_000

  private static func align(
    _ old: [Piece], _ rows: Range<Int>, _ new: [Piece], _ columns: Range<Int>,
    _ partners: inout [Int?]
  ) {
    // Of very long changes, equals are paired below.
    guard !rows.isEmpty, !columns.isEmpty, rows.count <= mostCells / columns.count else { return }
    let width = columns.count + 1
    // The best likeness of the rests from a row and a column on.
    var best = [Int32](repeating: 0, count: (rows.count + 1) * width)
    for row in (0..<rows.count).reversed() {
      for column in (0..<columns.count).reversed() {
        let place = row * width + column
        let skipped = max(best[place + 1], best[place + width])
        let likeness = old[rows.lowerBound + row].likeness(to: new[columns.lowerBound + column])
        best[place] = likeness > 0 ? max(skipped, likeness + best[place + width + 1]) : skipped
      }
    }
    var (row, column) = (0, 0)
    while row < rows.count, column < columns.count {
      let place = row * width + column
      let likeness = old[rows.lowerBound + row].likeness(to: new[columns.lowerBound + column])
      if likeness > 0, best[place] == likeness + best[place + width + 1] {
        partners[rows.lowerBound + row] = columns.lowerBound + column
        (row, column) = (row + 1, column + 1)
      } else if best[place] == best[place + width] {
        row += 1
      } else {
        column += 1
      }
    }
  }

  private static func pairMoved(_ old: [Piece], _ new: [Piece], _ partners: inout [Int?]) {
    let taken = Set(partners.compactMap { $0 })
    var free: [Piece: [Int]] = [:]
    for index in new.indices.reversed() where !taken.contains(index) {
      free[new[index], default: []].append(index)
    }
    for index in old.indices where partners[index] == nil {
      partners[index] = free[old[index]]?.popLast()
    }
    // Those that were trimmed, too.
    var left = Set(new.indices).subtracting(partners.compactMap { $0 }).sorted()
    let lost = old.indices.filter { partners[$0] == nil }
    guard !left.isEmpty, lost.count <= mostCells / left.count else { return }
    for index in lost {
      guard let place = left.firstIndex(where: { old[index].likeness(to: new[$0]) == 3 }) else {
        continue
      }
      partners[index] = left.remove(at: place)
    }
  }
}
