import MediaTime
import Testing

/// CoreMedia's arithmetic of times, line by line.
@Suite struct TimePorting {
  @Test("CMTimeMake, CMTimeAdd and CMTimeRangeGetEnd have their twins")
  func ranges() {
    // CMTimeRangeMake(CMTimeMake(1, 2), CMTimeMake(44100, 44100))
    let range = TimeRange(
      start: Time(value: 1, timescale: 2), duration: Time(value: 44_100, timescale: 44_100))
    #expect(range.end == Time(value: 3, timescale: 2))
    #expect(range.contains(Time(value: 1, timescale: 2)))
    #expect(!range.contains(range.end))
  }

  @Test("CMTimeGetSeconds is a division, and happens once")
  func seconds() {
    let third = Time(value: 1, timescale: 3)
    #expect(third + third + third == Time(value: 1, timescale: 1))
    #expect((third + third).seconds == 2.0 / 3)
  }

  @Test("CMTIME_IS_INVALID and CMTIME_IS_NUMERIC are properties, and a clock is a text")
  func texts() {
    // if CMTIME_IS_INVALID(duration) { return 0 }
    #expect(!Time.invalid.isValid && !Time.indefinite.isNumeric && Time.zero.isNumeric)
    // String(format: "%02d:%02d", seconds / 60, seconds % 60)
    #expect(Time.seconds(83).clockText(decimals: 0) == "1:23")
    #expect(Time.seconds(3723).clockText(decimals: 0) == "1:02:03")
  }
}
