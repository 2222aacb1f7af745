import MediaTime
import TestSupport
import Testing

@Suite("Times by name, and Swift's Duration")
struct TimeDurationTests {
  @Test("times by name are the simplest fractions")
  func names() {
    #expect(Time.seconds(5) == Time(value: 5, timescale: 1))
    #expect(Time.milliseconds(20) == Time(value: 1, timescale: 50))
    #expect(Time.milliseconds(20).timescale == 50)
    #expect(Time.seconds(2.5).value == 5 && Time.seconds(2.5).timescale == 2)
    #expect(Time.seconds(0.1).value == 1 && Time.seconds(0.1).timescale == 10)
    #expect(Time.seconds(-0.0).value == 0)
    #expect(Time.seconds(Double.nan) == .invalid)
    #expect(Time.seconds(Double.infinity) == .positiveInfinity)
    #expect(Time.seconds(UInt64.max) == .positiveInfinity)
    #expect(Time.milliseconds(Int64.min).value == Int64.min / 8)
    #expect(Time.seconds(-Double.greatestFiniteMagnitude) == .negativeInfinity)
  }

  @Test("every duration of whole nanoseconds is exact, and comes back")
  func nanoseconds() {
    var dice = Dice(1)
    for _ in 0..<10_000 {
      let duration = Duration.nanoseconds(dice.number(-1 << 62..<1 << 62) >> dice.number(0..<60))
      let time = Time(duration)
      #expect(!time.hasBeenRounded)
      #expect(Duration(time) == duration)
    }
  }

  @Test("a duration that no timescale can hold is rounded to a nanosecond, and says so")
  func attoseconds() {
    var dice = Dice(2)
    for _ in 0..<10_000 {
      let (seconds, rest) = (dice.number(-1000..<1000), dice.number(0..<1_000_000_000_000_000_000))
      let duration = Duration(secondsComponent: seconds, attosecondsComponent: rest)
      let time = Time(duration)
      guard let back = Duration(time) else {
        Issue.record("\(duration) is no number")
        continue
      }
      let error = back < duration ? duration - back : back - duration
      #expect(error <= .nanoseconds(1) / 2)
      #expect(time.hasBeenRounded == (error != .zero))
    }
    let longest = Duration(
      secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)
    #expect(Time(longest).isNumeric && Time(longest).hasBeenRounded)
  }

  @Test("a time becomes the nearest attosecond, and one that is no number becomes no duration")
  func durations() {
    let third = Duration(Time(value: 1, timescale: 3))
    #expect(third == Duration(secondsComponent: 0, attosecondsComponent: 333_333_333_333_333_333))
    let more = Duration(Time(value: -2, timescale: 3))
    #expect(more == Duration(secondsComponent: 0, attosecondsComponent: -666_666_666_666_666_667))
    #expect(Duration(Time(value: .min, timescale: 1))?.components.seconds == .min)
    for time in [Time.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
      #expect(Duration(time) == nil)
    }
  }
}
