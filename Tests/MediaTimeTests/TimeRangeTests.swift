import MediaTime
import Testing

private func s(_ value: Int64, _ timescale: Int32 = 1) -> Time {
  Time(value: value, timescale: timescale)
}

private func range(_ start: Int64, _ end: Int64) -> TimeRange {
  TimeRange(start: s(start), end: s(end))
}

@Suite struct TimeRangeTests {
  @Test("A range is half-open")
  func contains() {
    #expect(range(1, 3).contains(s(1)) && range(1, 3).contains(s(5, 2)))
    #expect(!range(1, 3).contains(s(3)) && !range(1, 3).contains(s(0)))
    #expect(!range(1, 1).contains(s(1)))
    #expect(!range(3, 1).contains(s(2)) && !range(1, 3).contains(Time.invalid))
    #expect(!TimeRange.invalid.contains(s(0)))
  }

  @Test("A range contains what lies within it, its own ends included")
  func containsRange() {
    #expect(range(1, 5).contains(range(1, 5)) && range(1, 5).contains(range(2, 3)))
    #expect(range(1, 5).contains(range(5, 5)) && !range(1, 5).contains(range(4, 6)))
    let open = TimeRange(start: s(1), duration: .positiveInfinity)
    #expect(
      open.contains(s(1_000_000)) && open.contains(range(7, 9)) && !range(7, 9).contains(open))
  }

  @Test("Intersections and unions agree with the moments in them")
  func sets() {
    for a in 0..<5 as Range<Int64> {
      for b in a..<6 {
        for c in 0..<5 as Range<Int64> {
          for d in c..<6 {
            let (x, y) = (range(a, b), range(c, d))
            for moment in 0..<12 as Range<Int64> {
              let time = s(moment, 2)
              let both = x.contains(time) && y.contains(time)
              #expect(x.intersection(y).contains(time) == both)
              if x.contains(time) || y.contains(time) { #expect(x.union(y).contains(time)) }
            }
            #expect(x.union(y).contains(x) && x.union(y).contains(y))
            #expect(x.intersection(y).isValid)
          }
        }
      }
    }
    #expect(range(0, 1).intersection(range(2, 3)).isEmpty)
    #expect(range(0, 1).union(range(2, 3)) == range(0, 3))
    #expect(!range(0, 1).intersection(.invalid).isValid && !range(0, 1).union(range(2, 1)).isValid)
  }

  @Test("A range that runs backwards is invalid, one of no duration is empty")
  func kinds() {
    #expect(!range(2, 1).isValid && !range(2, 1).isEmpty)
    #expect(range(2, 2).isEmpty && range(2, 2).isValid && TimeRange.zero.isEmpty)
    #expect(!TimeRange.invalid.isValid && !TimeRange.invalid.isEmpty)
    #expect(range(1, 4).end == s(4) && range(1, 4).duration == s(3))
  }

  @Test("Clamping takes the nearest end, folding takes whole durations away")
  func clampAndFold() {
    let r = range(2, 5)
    #expect(r.clamp(s(0)) == s(2) && r.clamp(s(3)) == s(3) && r.clamp(s(9)) == s(5))
    #expect(r.clamp(.positiveInfinity) == s(5) && r.clamp(.invalid) == .invalid)
    #expect(r.fold(s(5)) == s(2) && r.fold(s(4)) == s(4) && r.fold(s(1)) == s(4))
    #expect(r.fold(s(-7, 2)) == s(5, 2))
    #expect(range(2, 2).fold(s(9)) == .invalid && range(2, 2).clamp(s(9)) == .invalid)
    #expect(range(3, 2).fold(s(2)) == .invalid && range(3, 2).clamp(s(2)) == .invalid)
    #expect(r.fold(.positiveInfinity) == .invalid && r.clamp(.negativeInfinity) == s(2))
    let open = TimeRange(start: s(2), duration: .positiveInfinity)
    #expect(open.fold(s(7)) == s(7) && open.fold(s(1)) == .invalid && open.clamp(s(1)) == s(2))
  }

  @Test("Mapping keeps proportions exactly")
  func mapping() {
    #expect(range(0, 10).map(s(5), to: range(100, 120)) == s(110))
    #expect(range(0, 10).map(s(-1), to: range(100, 120)) == s(98))
    #expect(range(0, 10).map(duration: s(3), to: range(100, 120)) == s(6))
    #expect(range(1, 1).map(s(1), to: range(0, 1)) == .invalid)
    #expect(range(0, 1).map(s(1), to: range(1, 1)) == .invalid)
    #expect(range(0, 1).map(duration: s(1), to: range(1, 1)) == .zero)
    #expect(range(1, 1).map(duration: s(1), to: range(0, 1)) == .invalid)
    #expect(range(1, 0).map(s(1), to: range(0, 1)) == .invalid)
    for other in [Time.positiveInfinity, .negativeInfinity, .indefinite, .invalid] {
      #expect(range(0, 1).map(other, to: range(0, 2)) == other)
      #expect(range(0, 1).map(duration: other, to: range(0, 2)) == other)
    }
  }

  @Test("Between ranges that last for ever times are shifted, and durations stay")
  func openMapping() {
    let from = TimeRange(start: s(10), duration: .positiveInfinity)
    let to = TimeRange(start: s(100), duration: .positiveInfinity)
    #expect(from.map(s(12), to: to) == s(102) && from.map(s(1), to: to) == s(91))
    #expect(from.map(duration: s(3), to: to) == s(3))
    #expect(from.map(s(12), to: range(0, 1)) == .invalid)
    #expect(range(0, 1).map(s(12), to: to) == .invalid)
    #expect(range(0, 1).map(duration: s(12), to: to) == .invalid)
  }

  @Test("A mapping leads from the source to the track and back")
  func timeMapping() {
    let mapping = TimeMapping(source: range(60, 90), target: range(10, 30))
    #expect(mapping.target(of: s(75)) == s(20))
    #expect(mapping.source(of: s(20)) == s(75))
    let third = mapping.target(of: s(61))
    #expect(third == s(32, 3) && mapping.source(of: third) == s(61))
  }

  @Test("A mapping without a source is empty, and leads nowhere")
  func emptyMapping() {
    let empty = TimeMapping.empty(target: range(2, 5))
    #expect(empty.isValid && empty.isEmpty && empty.target == range(2, 5))
    #expect(!empty.source.isValid && empty.source(of: s(3)) == .invalid)
    #expect(empty.target(of: s(3)) == .invalid)
    let full = TimeMapping(source: range(0, 1), target: range(2, 5))
    #expect(full.isValid && !full.isEmpty)
    #expect(!TimeMapping.invalid.isValid && !TimeMapping.invalid.isEmpty)
    #expect(!TimeMapping(source: range(0, 1), target: range(5, 2)).isValid)
    #expect("\(empty) and \(full)" == "empty -> 2s..5s and 0s..1s -> 2s..5s")
  }

  @Test("A range is indefinite where its start or its duration is not known")
  func indefinite() {
    #expect(TimeRange(start: s(1), duration: .indefinite).isIndefinite)
    #expect(TimeRange(start: .indefinite, duration: s(1)).isIndefinite)
    #expect(!range(1, 2).isIndefinite && !TimeRange.invalid.isIndefinite)
    #expect(!TimeRange(start: .indefinite, duration: s(-1)).isIndefinite)
  }
}
