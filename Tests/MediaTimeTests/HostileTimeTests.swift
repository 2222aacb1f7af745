import MediaTime
import TestSupport
import Testing

/// Every operation on every extreme: nothing traps, and every number has a positive timescale.
@Suite struct HostileTimeTests {
  private static let values: [Int64] = [.min, .min + 1, -(1 << 62), -1, 0, 1, 1 << 62, .max]
  private static let timescales: [Int32] = [.min, -1, 0, 1, 600, 65537, .max - 1, .max]
  private static let doubles: [Double] = [
    0, -0.0, 1, -1, 0.1, -1e300, 1e300, .nan, -.signalingNaN, .infinity, -.infinity,
    .leastNonzeroMagnitude, .leastNormalMagnitude, -.greatestFiniteMagnitude, 0x1p63, -0x1p63,
    0x1p-43, 0x1p43, .ulpOfOne,
  ]
  private static let times: [Time] =
    values.flatMap { value in timescales.map { Time(value: value, timescale: $0) } }
    .filter(\.isValid) + [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]

  private func isSound(_ time: Time) -> Bool {
    time.isNumeric
      ? time.timescale > 0 : time.value == 0 && time.timescale == 0 && !time.hasBeenRounded
  }

  @Test("One time by every number")
  func numbers() {
    for time in Self.times {
      for value in Self.values {
        #expect(isSound(time * Int(value)))
        for other in Self.values { #expect(isSound(time.multiplied(by: value, over: other))) }
        _ = time.frames(atRate: Int(value))
      }
      for number in Self.doubles { #expect(isSound(time * number)) }
      for method in RoundingMethod.allCases {
        for timescale in Self.timescales {
          #expect(isSound(time.converted(toTimescale: timescale, rounding: method)))
        }
      }
      #expect(isSound(-time) && isSound(time.absoluteValue))
      #expect(!time.clockText(decimals: .max).isEmpty && !time.clockText(decimals: .min).isEmpty)
      #expect(!time.debugDescription.isEmpty && Time(time.description) == time)
    }
  }

  @Test("Every Double at every timescale")
  func seconds() {
    for number in Self.doubles {
      for timescale in Self.timescales {
        for method in RoundingMethod.allCases {
          let time = Time(seconds: number, preferredTimescale: timescale, rounding: method)
          #expect(isSound(time) && time.isValid == (timescale > 0 && !number.isNaN))
        }
      }
    }
  }

  @Test("Two times, and the ranges that they make")
  func pairs() {
    for a in Self.times {
      for b in Self.times {
        #expect(isSound(a + b) && isSound(a - b))
        #expect([a < b, a == b, b < a].count { $0 } == 1)
        for range in [TimeRange(start: a, duration: b), TimeRange(start: a, end: b)] {
          #expect(isSound(range.end) && isSound(range.fold(a)) && isSound(range.clamp(b)))
          #expect(range.isValid || !(range.isEmpty || range.isIndefinite || range.contains(a)))
        }
      }
    }
  }

  @Test("Two ranges of any times")
  func ranges() {
    var random = Dice(50)
    for _ in 0..<20_000 {
      let (a, b, c, d) = (
        random.pick(Self.times), random.pick(Self.times), random.pick(Self.times),
        random.pick(Self.times)
      )
      let (x, y) = (TimeRange(start: a, duration: b), TimeRange(start: c, duration: d))
      for range in [x.union(y), x.intersection(y)] {
        #expect(isSound(range.start) && isSound(range.duration))
        #expect(range == .invalid || (x.isValid && y.isValid))
      }
      #expect(!x.contains(y) || (x.isValid && y.isValid))
      let mapping = TimeMapping(source: x, target: y)
      #expect(isSound(mapping.target(of: d)) && isSound(mapping.source(of: b)))
      #expect(isSound(x.map(duration: c, to: y)))
    }
  }
}
