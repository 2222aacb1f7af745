import MediaTime
import TestSupport
import Testing

/// Ranges of every kind against the exact numbers, ends that no time can hold among them.
@Suite struct TimeRangePropertyTests {
  @Test("The end is start and duration, exact or the nearest tick")
  func ends() {
    var random = Dice(30)
    for _ in 0..<20_000 {
      let range = random.range()
      #expect(isBest(range.end, for: range.exactEnd, rounded: range.hasBeenRounded), "\(range)")
      let (a, b) = (random.time(), random.time())
      let between = TimeRange(start: a, end: b)
      let isRounded = a.hasBeenRounded || b.hasBeenRounded
      #expect(
        between.start == a
          && isBest(between.duration, for: SlowRational(b) - SlowRational(a), rounded: isRounded))
    }
  }

  @Test("A range contains exactly the times from its start up to its end")
  func contains() {
    var random = Dice(31)
    for _ in 0..<20_000 {
      let range = random.range()
      let time = random.timeNear(range)
      // The end is rounded where it has to be, and never inside.
      let (end, exact) = (range.end, SlowRational(time))
      let isInside = range.exactStart <= exact && (end.isInfinite || exact < SlowRational(end))
      #expect(range.contains(time) == isInside, "\(time) in \(range)")
      #expect(!range.contains(end))
      let other = random.rangeNear(range)
      let isWithin = range.exactStart <= other.exactStart && other.exactEnd <= range.exactEnd
      #expect(range.contains(other) == isWithin, "\(other) in \(range)")
      #expect(range.contains(range))
    }
  }

  @Test("Intersections and unions have the bounds of the exact ones")
  func sets() {
    var random = Dice(32)
    for _ in 0..<20_000 {
      let a = random.range()
      let b = random.rangeNear(a)
      let isRounded = a.hasBeenRounded || b.hasBeenRounded
      let (first, last) = (max(a.exactStart, b.exactStart), min(a.exactEnd, b.exactEnd))
      let both = a.intersection(b)
      #expect(SlowRational(both.start) == first, "\(a) and \(b)")
      #expect(
        isAsGood(both.duration, max(last - first, SlowRational(0)), rounded: isRounded),
        "\(a) and \(b)")
      let either = a.union(b)
      let start = min(a.exactStart, b.exactStart)
      let length = max(a.exactEnd, b.exactEnd) - start
      #expect(SlowRational(either.start) == start, "\(a) or \(b)")
      #expect(isAsGood(either.duration, length, rounded: isRounded), "\(a) or \(b)")
      #expect(both == b.intersection(a) && either == b.union(a))
      #expect(a.intersection(a) == a && a.union(a) == a)
      if a.contains(b) { #expect(both == b && either == a) }
    }
  }

  /// `isBest`, but for a mark that one of the operands has and the result need not.
  private func isAsGood(_ result: Time, _ exact: SlowRational, rounded operands: Bool) -> Bool {
    isBest(result, for: exact, rounded: false)
      || (operands && isBest(result, for: exact, rounded: true))
  }

  @Test("Equal ranges have equal starts and durations, whatever their timescales")
  func equality() {
    var random = Dice(33)
    for _ in 0..<20_000 {
      let a = random.range()
      let b = Bool.random(using: &random) ? random.rangeNear(a) : random.respelled(a)
      let isEqual =
        a.exactStart == b.exactStart
        && SlowRational(a.duration) == SlowRational(b.duration)
      #expect((a == b) == isEqual)
      if isEqual { #expect(a.hashValue == b.hashValue) }
    }
  }

  @Test("Clamping gives the nearest moment between start and end")
  func clamp() {
    var random = Dice(34)
    for _ in 0..<20_000 {
      let range = random.range()
      let time = random.timeNear(range)
      let exact = SlowRational(time)
      let clamped = range.clamp(time)
      if exact <= range.exactStart {
        #expect(clamped == range.start)
      } else if time <= range.end {
        #expect(clamped == time && clamped.timescale == time.timescale)
      } else if range.start <= range.end {
        #expect(isBest(clamped, for: range.exactEnd, rounded: range.hasBeenRounded))
      } else {
        #expect(clamped == range.start)
      }
    }
  }

  @Test("Folding takes whole durations away, and ends in the range")
  func fold() {
    var random = Dice(35)
    for _ in 0..<20_000 {
      let range = random.range()
      let time = random.timeNear(range)
      let (start, length) = (range.exactStart, SlowRational(range.duration))
      let turns = ((SlowRational(time) - start) / length).floor
      let exact = SlowRational(time) - turns * length
      #expect(start <= exact && exact < range.exactEnd)
      let isRounded = turns != SlowRational(0) && range.hasBeenRounded || time.hasBeenRounded
      let folded = range.fold(time)
      #expect(isBest(folded, for: exact, rounded: isRounded), "\(time) into \(range)")
      if !range.end.hasBeenRounded, folded.isNumeric, !folded.hasBeenRounded {
        #expect(range.contains(folded))
      }
    }
  }

  @Test("Times and durations are mapped exactly, or to the nearest tick")
  func mapping() {
    var random = Dice(36)
    for round in 0..<20_000 {
      let from = random.range()
      var to = random.range()
      // At its own speed.
      if round.isMultiple(of: 4) { to.duration = from.duration }
      let time = random.timeNear(from)
      let ratio = SlowRational(to.duration) / SlowRational(from.duration)
      let exact = to.exactStart + (SlowRational(time) - from.exactStart) * ratio
      let isRounded = time.hasBeenRounded || from.hasBeenRounded || to.hasBeenRounded
      let mapped = from.map(time, to: to)
      #expect(isBest(mapped, for: exact, rounded: isRounded), "\(time) of \(from) to \(to)")
      let lengthIsRounded =
        time.hasBeenRounded || from.duration.hasBeenRounded || to.duration.hasBeenRounded
      #expect(
        isBest(
          from.map(duration: time, to: to), for: SlowRational(time) * ratio,
          rounded: lengthIsRounded), "\(time) of \(from) to \(to)")
    }
  }

  @Test("What was mapped exactly is mapped back to what it was")
  func inverse() {
    var random = Dice(37)
    var count = 0
    for index in 0..<20_000 {
      // Of every kind, and such as an edit makes: on the grids of media.
      let (from, to) =
        index % 2 == 0
        ? (random.range(), random.range()) : (random.mediaRange(), random.mediaRange())
      let mapping = TimeMapping(source: from, target: to)
      let time = index % 2 == 0 ? random.timeNear(from) : random.mediaTime()
      #expect(mapping.source(of: mapping.source.start) != .invalid)
      #expect(mapping.target(of: from.start) == to.start)
      #expect(mapping.source(of: to.start) == from.start)
      #expect(from.map(time, to: from) == time && from.map(duration: time, to: from) == time)
      let mapped = mapping.target(of: time.exactly)
      if !from.hasBeenRounded, !to.hasBeenRounded, mapped.isNumeric, !mapped.hasBeenRounded {
        count += 1
        #expect(mapping.source(of: mapped) == time, "\(time) by \(mapping)")
      }
      let length = from.map(duration: time.exactly, to: to)
      if !from.hasBeenRounded, !to.hasBeenRounded, length.isNumeric, !length.hasBeenRounded {
        #expect(to.map(duration: length, to: from) == time, "\(time) by \(mapping)")
      }
    }
    #expect(count > 4_000)
  }
}

extension TimeRange {
  fileprivate var exactStart: SlowRational { SlowRational(start) }
  fileprivate var exactEnd: SlowRational { SlowRational(start) + SlowRational(duration) }
  fileprivate var hasBeenRounded: Bool { start.hasBeenRounded || duration.hasBeenRounded }
}

extension Time {
  fileprivate var exactly: Time { Time(value: value, timescale: timescale) }
}

extension SlowRational {
  /// The greatest whole number that is not greater.
  fileprivate var floor: SlowRational {
    let quotient = numerator.divided(by: denominator)
    let whole = SlowRational(
      isNegative: isNegative, numerator: quotient, denominator: BigNatural(1))
    return whole <= self ? whole : whole - SlowRational(1)
  }
}

extension Dice {
  /// Anything, or a moment at the bounds of `range` or within it.
  fileprivate mutating func timeNear(_ range: TimeRange) -> Time {
    let tick = Time(value: Int64.random(in: -1...1, using: &self), timescale: timescale())
    let candidate =
      switch Int.random(in: 0..<6, using: &self) {
      case 0: range.start + tick
      case 1: range.end + tick
      case 2:
        range.start + range.duration.multiplied(by: Int64.random(in: -3...7, using: &self), over: 4)
      case 3: range.end
      default: time()
      }
    return candidate.isNumeric ? candidate : time()
  }

  /// Anything, or a range that shares a bound with `range`, or overlaps it.
  fileprivate mutating func rangeNear(_ range: TimeRange) -> TimeRange {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return TimeRange(start: range.start, duration: self.range().duration)
    case 1: return self.range()
    default:
      let (a, b) = (timeNear(range), timeNear(range))
      let between = TimeRange(start: min(a, b), end: max(a, b))
      return between.isValid && between.duration.isNumeric ? between : self.range()
    }
  }

  /// The same range at other timescales, if there are any.
  fileprivate mutating func respelled(_ range: TimeRange) -> TimeRange {
    func respelled(_ time: Time, by factor: Int64) -> Time {
      let (value, overflow) = time.value.multipliedReportingOverflow(by: factor)
      guard !overflow, let scale = Int32(exactly: Int64(time.timescale) * factor) else {
        return time
      }
      return Time(value: value, timescale: scale)
    }
    return TimeRange(
      start: respelled(range.start, by: Int64.random(in: 1...9, using: &self)),
      duration: respelled(range.duration, by: Int64.random(in: 1...9, using: &self)))
  }

  /// Some hours at a rate that sound has.
  fileprivate mutating func mediaTime() -> Time {
    let rate = pick([8000, 44100, 48000, 96000])
    return Time(frames: Int64.random(in: 0..<1_000_000_000, using: &self), rate: rate)
  }

  fileprivate mutating func mediaRange() -> TimeRange {
    let length = Int64.random(in: 1...100_000, using: &self)
    return TimeRange(
      start: mediaTime(), duration: Time(frames: length, rate: pick([10, 441, 48000])))
  }
}
