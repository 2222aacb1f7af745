import MediaTime
import TestSupport
import Testing

@Suite struct TimeConversionTests {
  /// A third of a second and its kin, in halves of a tick: below, at and above the middle.
  @Test(
    "Each method rounds as CMTime's does",
    arguments: [
      (RoundingMethod.halfAwayFromZero, [0, 1, 1, 0, -1, -1]),
      (.towardZero, [0, 0, 0, 0, 0, 0]),
      (.awayFromZero, [1, 1, 1, -1, -1, -1]),
      (.quickTime, [0, 0, 0, -1, -1, -1]),
      (.towardPositiveInfinity, [1, 1, 1, 0, 0, 0]),
      (.towardNegativeInfinity, [0, 0, 0, -1, -1, -1]),
    ])
  func methods(method: RoundingMethod, expected: [Int64]) {
    for (quarters, ticks) in zip([1, 2, 3, -1, -2, -3] as [Int64], expected) {
      let time = Time(value: quarters, timescale: 4)
      #expect(time.converted(toTimescale: 1, rounding: method).value == ticks, "\(time)")
      #expect(time.frames(atRate: 1, rounding: method) == ticks, "\(time)")
    }
  }

  @Test("QuickTime's method rounds away from zero where the target is finer")
  func quickTime() {
    let third = Time(value: 1, timescale: 3)
    #expect(third.converted(toTimescale: 4, rounding: .quickTime).value == 2)
    #expect((-third).converted(toTimescale: 4, rounding: .quickTime).value == -2)
    #expect(Time(value: 7, timescale: 4).converted(toTimescale: 3, rounding: .quickTime).value == 5)
    #expect(
      Time(value: -7, timescale: 4).converted(toTimescale: 3, rounding: .quickTime).value == -5)
  }

  @Test("A conversion that is exact is not flagged, whatever the method")
  func exact() {
    for method in RoundingMethod.allCases {
      let time = Time(frames: 441, rate: 44100).converted(toTimescale: 48000, rounding: method)
      #expect(time.value == 480 && time.timescale == 48000 && !time.hasBeenRounded)
    }
  }

  @Test("Converted times are the tick that the method names, and say where they were rounded")
  func property() {
    var random = Dice(5)
    for _ in 0..<10_000 {
      let (time, scale) = (random.time(), random.timescale())
      let exact = SlowRational(time)
      for method in RoundingMethod.allCases {
        let result = time.converted(toTimescale: scale, rounding: method)
        guard result.isNumeric else {
          #expect(result == (time < .zero ? .negativeInfinity : .positiveInfinity))
          #expect(
            (exact.magnitude * SlowRational(Int128(scale))) >= SlowRational(1 << 64 - 1, 2)
              || method != .halfAwayFromZero)
          #expect(exact.magnitude * SlowRational(Int128(scale)) > SlowRational(1 << 63 - 1))
          continue
        }
        #expect(result.timescale == scale)
        #expect(
          result.hasBeenRounded == (time.hasBeenRounded || SlowRational(result) != exact))
        #expect(
          isTick(result, of: exact, method, isFiner: scale > time.timescale),
          "\(time) to \(scale) \(method)")
      }
      #expect(
        time.converted(toTimescale: scale)
          == time.converted(toTimescale: scale, rounding: .halfAwayFromZero))
    }
  }

  /// Whether no other tick than `result` is what `method` makes of `exact`.
  private func isTick(
    _ result: Time, of exact: SlowRational, _ method: RoundingMethod, isFiner: Bool
  ) -> Bool {
    let error = SlowRational(result) - exact
    let tick = SlowRational(1, Int128(result.timescale))
    guard error.magnitude < tick else { return false }
    if error == SlowRational(0) { return true }
    let isAway = error.isNegative == exact.isNegative
    switch method {
    case .towardPositiveInfinity: return !error.isNegative
    case .towardNegativeInfinity: return error.isNegative
    case .towardZero: return !isAway
    case .awayFromZero: return isAway
    case .quickTime: return isAway == (isFiner || (exact.isNegative && exact.magnitude < tick))
    case .halfAwayFromZero:
      let doubled = error.magnitude + error.magnitude
      return doubled < tick || (doubled == tick && isAway)
    }
  }

  @Test("Seconds become the tick that the method names, and say where they were rounded")
  func seconds() {
    var random = Dice(11)
    for _ in 0..<20_000 {
      let (number, scale) = (random.double(), random.timescale())
      let method = random.pick(RoundingMethod.allCases)
      let time = Time(seconds: number, preferredTimescale: scale, rounding: method)
      guard number.isFinite else {
        #expect(number.isNaN ? time == .invalid : time.seconds == number)
        continue
      }
      let exact = SlowRational(double: number)
      guard time.isNumeric else {
        #expect(time == (number < 0 ? .negativeInfinity : .positiveInfinity))
        #expect(exact.magnitude >= SlowRational(1 << 63))
        continue
      }
      #expect(isTick(time, of: exact, method, isFiner: false), "\(number) at \(scale) \(method)")
      #expect(time.timescale == scale || time.value.magnitude >= 1 << 61)
      #expect(time.hasBeenRounded == (time.seconds != number))
    }
  }

  @Test("Seconds that come back as they were are not marked as rounded")
  func secondsMarks() {
    let tenth = Time(seconds: 0.1, preferredTimescale: 600)
    #expect(tenth.value == 60 && tenth.timescale == 600 && !tenth.hasBeenRounded)
    let pi = Time(seconds: .pi, preferredTimescale: 1)
    #expect(pi.value == 3 && pi.timescale == 1 && pi.hasBeenRounded)
    #expect(Time(seconds: 2.87, preferredTimescale: 1).value == 3)
    #expect(Time(seconds: 2.87, preferredTimescale: 1, rounding: .towardZero).value == 2)
    #expect(Time(seconds: 1e18, preferredTimescale: 600).timescale == 9)
    #expect(Time(seconds: -0x1p63, preferredTimescale: 600) == Time(value: .min, timescale: 1))
    #expect(Time(seconds: 0x1p63, preferredTimescale: 600) == .positiveInfinity)
    #expect(Time(seconds: 1, preferredTimescale: 0) == .invalid)
    #expect(Time(seconds: 1, preferredTimescale: .min) == .invalid)
    #expect(Time(seconds: .nan, preferredTimescale: 600) == .invalid)
    #expect(Time(seconds: -.infinity, preferredTimescale: 600) == .negativeInfinity)
  }

  @Test("Extreme times and rates give the nearest frame index, and never trap")
  func extremes() {
    #expect(Time(value: .max, timescale: 1).frames(atRate: 48000) == .max)
    #expect(Time(value: .min, timescale: 1).frames(atRate: 48000) == .min)
    #expect(Time(value: .min, timescale: 1).frames(atRate: .min) == .max)
    #expect(Time.positiveInfinity.frames(atRate: 1) == .max)
    #expect(Time.negativeInfinity.frames(atRate: 1) == .min)
    #expect(Time.invalid.frames(atRate: 48000) == 0 && Time.indefinite.frames(atRate: 48000) == 0)
    let large = Time(value: .max, timescale: 1)
    #expect(large.converted(toTimescale: 2, rounding: .towardZero) == .positiveInfinity)
    #expect((-large).converted(toTimescale: 2, rounding: .towardZero) == .negativeInfinity)
    #expect(large.converted(toTimescale: 0, rounding: .towardZero) == .invalid)
    #expect(Time.indefinite.converted(toTimescale: 2, rounding: .towardZero) == .indefinite)
  }
}
