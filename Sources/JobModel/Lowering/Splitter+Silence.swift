import Diagnosis
import MediaComposition
import MediaTime

/// Parts between silences.
extension Splitter {
  /// Parts that begin in the middle of silences; nil where these are not found now, or after a report.
  mutating func parts(
    between least: Located<TimeText>, below threshold: Gain, lasting lengths: Split.PartLengths,
    at origin: Origin
  ) -> [Placed]? {
    guard let length = lowering.time(least, rate: rate), let bounds = bounds(lengths) else {
      return nil
    }
    let search = SilenceSearch(
      in: timeline.composition, mix: timeline.mix, below: threshold, lasting: length)
    guard let found = lowering.silences(search, at: origin) else { return nil }
    let inner = found.silences.filter { $0.start > .zero && $0.end < end }
    if inner.isEmpty {
      warnings.append(
        Diagnostic(
          .warning, "no silence parts '\(timeline.name)': it becomes one \(noun)", at: origin,
          help: "ask for shorter silences, or for a higher level"))
    }
    let starts = PartPacking(
      inner, end: end, shortest: bounds.shortest, longest: bounds.longest
    ).starts
    guard starts.count <= TimeList.countLimit else {
      lowering.error(
        "more than 100,000 \(noun)s", at: least.origin, help: "ask for longer silences")
      return []
    }
    let parts = zip(starts, starts.dropFirst() + [end]).enumerated().map { index, ends in
      placed(index + 1, nil, TimeRange(start: ends.0, end: ends.1))
    }
    if let longest = bounds.longest, let origin = lengths.longest?.origin {
      noteLonger(parts.filter { $0.range.duration > longest }, than: longest, at: origin)
    }
    return parts
  }

  /// The bounds of a part's length; nil after a report.
  private mutating func bounds(
    _ lengths: Split.PartLengths
  ) -> (shortest: Time, longest: Time?)? {
    var bounds: (shortest: Time, longest: Time?) = (.zero, nil)
    if let shortest = lengths.shortest {
      guard let time = lowering.time(shortest, rate: rate) else { return nil }
      bounds.shortest = time
    }
    guard let longest = lengths.longest else { return bounds }
    guard let time = lowering.time(longest, rate: rate) else { return nil }
    guard bounds.shortest <= time else {
      let texts = lowering.lengths(bounds.shortest, time)
      lowering.error(
        "no \(noun) lasts \(texts.a) or more, and \(texts.b) or less", at: longest.origin,
        help: "write a longer time than that of 'shortest'",
        notes: lengths.shortest.map { [.init("that is here", at: $0.origin)] } ?? [])
      return nil
    }
    bounds.longest = time
    return bounds
  }

  /// Names parts that no silence divides.
  private mutating func noteLonger(_ parts: [Placed], than longest: Time, at origin: Origin) {
    guard !parts.isEmpty else { return }
    let mostNamed = 3
    var named = parts.prefix(mostNamed).map {
      "\(noun) \($0.part.number) at \(Lowering.text($0.range.start)) "
        + "(\(Lowering.text($0.range.duration)))"
    }
    if parts.count > mostNamed { named.append("\(parts.count - mostNamed) more") }
    warnings.append(
      Diagnostic(
        .note,
        "longer than \(Lowering.text(longest)), since no silence divides them: "
          + named.joined(separator: ", "), at: origin,
        help: "ask for shorter silences, for a higher level, or for shorter \(noun)s"))
  }
}

/// Chooses the silences that parts begin at: no part is shorter than a bound but a whole that is, and
/// parts pass the upper bound by as little as the silences allow, in all. Of such choices it is the one
/// whose silences are the longest, added up. O(silences)
struct PartPacking {
  /// A place where a part may begin or end.
  private struct Place {
    var time: Time
    /// Of the silence.
    var length: Time
    /// The best way to it; nil where there is none.
    var way: Way?
  }

  /// A choice of the places before one.
  private struct Way {
    /// By how much parts are too long, in all.
    var excess: Time
    /// The silences that they begin at, added up.
    var silence: Time
    /// The number of the place before.
    var last: Int

    /// Whether it is better than another one.
    func isBetter(than other: Way?) -> Bool {
      guard let other else { return true }
      return excess == other.excess ? silence > other.silence : excess < other.excess
    }
  }

  private let shortest: Time
  private let longest: Time?
  private var places: [Place]
  /// Places at which the part before the present one may begin, in order: those from which no later one
  /// has a better way.
  private var near: [Int] = []
  private var firstNear = 0
  /// The first place that is too near, and the first one that is not too far away.
  private var (nextNear, nextFar) = (0, 0)
  /// The best way to a place that is too far away, with an excess that counts from the start, so that
  /// ways to several places compare.
  private var far: Way?

  /// A choice among `silences`, in order, within a timeline that ends with `end`.
  init(_ silences: [TimeRange], end: Time, shortest: Time, longest: Time?) {
    (self.shortest, self.longest) = (shortest, longest)
    let start = Place(
      time: .zero, length: .zero, way: Way(excess: .zero, silence: .zero, last: 0))
    let middles = silences.map {
      Place(time: $0.start + $0.duration.multiplied(by: 1, over: 2), length: $0.duration)
    }
    places = [start] + middles + [Place(time: end, length: .zero)]
    for index in places.indices.dropFirst() {
      approach(index)
      places[index].way = bestWay(to: index)
    }
  }

  /// The starts of the parts, from 0.
  var starts: [Time] {
    var starts: [Time] = []
    var index = places.count - 1
    while index > 0 {
      index = places[index].way?.last ?? 0
      starts.append(places[index].time)
    }
    return starts.reversed()
  }

  /// Sorts the places before another one into those that are too near, far enough, and too far.
  private mutating func approach(_ index: Int) {
    let time = places[index].time
    while nextNear < index, time - places[nextNear].time >= shortest {
      if let way = places[nextNear].way {
        while near.count > firstNear, !isBetter(near[near.count - 1], than: way) {
          near.removeLast()
        }
        near.append(nextNear)
      }
      nextNear += 1
    }
    guard let longest else { return }
    while nextFar < nextNear, time - places[nextFar].time > longest {
      if var way = places[nextFar].way {
        way.excess = way.excess - places[nextFar].time
        way.last = nextFar
        if way.isBetter(than: far) { far = way }
      }
      nextFar += 1
    }
    while firstNear < near.count, near[firstNear] < nextFar { firstNear += 1 }
  }

  private func isBetter(_ place: Int, than way: Way) -> Bool {
    places[place].way?.isBetter(than: way) ?? false
  }

  /// The best way to a place over those that were sorted for it.
  private func bestWay(to index: Int) -> Way? {
    var best: Way?
    if firstNear < near.count, var way = places[near[firstNear]].way {
      way.last = near[firstNear]
      best = way
    }
    if let longest, var way = far {
      way.excess = way.excess + places[index].time - longest
      if way.isBetter(than: best) { best = way }
    }
    guard var best else { return nil }
    best.silence = best.silence + places[index].length
    return best
  }
}
