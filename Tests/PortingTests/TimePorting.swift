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
}
