import MediaTime
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

  @Test("Converted times keep within a tick of the exact value, by the method's side")
  func property() {
    var random = SeededGenerator(state: 5)
    for _ in 0..<4_000 {
      let (time, scale) = (random.time(), random.timescale())
      for method in RoundingMethod.allCases {
        let result = time.converted(toTimescale: scale, rounding: method)
        guard result.isNumeric else {
          #expect(
            SlowRational(time).magnitude * SlowRational(Int128(scale)) > SlowRational(1 << 62))
          continue
        }
        let error = SlowRational(result) - SlowRational(time)
        #expect(error.magnitude < SlowRational(1, Int128(scale)))
        #expect(result.hasBeenRounded == (error != SlowRational(0)))
        switch method {
        case .towardPositiveInfinity: #expect(error >= SlowRational(0))
        case .towardNegativeInfinity: #expect(error <= SlowRational(0))
        case .halfAwayFromZero: #expect(error.magnitude <= SlowRational(1, Int128(scale) * 2))
        case .towardZero: #expect(SlowRational(result).magnitude <= SlowRational(time).magnitude)
        case .awayFromZero: #expect(SlowRational(result).magnitude >= SlowRational(time).magnitude)
        case .quickTime: break
        }
      }
    }
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
