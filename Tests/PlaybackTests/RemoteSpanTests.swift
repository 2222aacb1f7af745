import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import Playback

@Suite struct RemoteSpanTests {
  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: Time(value: start, timescale: 1), end: Time(value: end, timescale: 1))
  }

  private func span(
    _ source: TimeRange, _ target: TimeRange, isReversed: Bool = false
  ) throws -> RemoteSpan {
    RemoteSpan(
      url: try MediaURL("http://example.org/a.wav"), mediumDuration: Time(value: 100, timescale: 1),
      source: source, target: target, isReversed: isReversed)
  }

  @Test("bytes become times where their part of the medium sounds")
  func times() throws {
    let loaded: [Range<Int64>] = [0..<150, 200..<300, 400..<1000]
    let plain = try span(range(10, 50), range(0, 40))
    #expect(plain.times(of: loaded, size: 1000) == [range(0, 5), range(10, 20), range(30, 40)])
    let fast = try span(range(10, 50), range(100, 120))
    #expect(fast.times(of: [200..<300], size: 1000) == [range(105, 110)])
    let back = try span(range(10, 50), range(0, 40), isReversed: true)
    #expect(back.times(of: [0..<150], size: 1000) == [range(35, 40)])
    #expect(plain.times(of: [], size: 1000).isEmpty && plain.times(of: loaded, size: 0).isEmpty)
  }

  @Test("times become the bytes that sound there")
  func bytes() throws {
    let plain = try span(range(10, 50), range(0, 40))
    #expect(plain.bytes(of: range(5, 10), size: 1000) == 150..<200)
    #expect(plain.bytes(of: range(30, 90), size: 1000) == 400..<500)
    let back = try span(range(10, 50), range(0, 40), isReversed: true)
    #expect(back.bytes(of: range(35, 40), size: 1000) == 100..<150)
  }

  @Test("the bytes of a loaded time are loaded, whichever part is asked for")
  func roundTrip() throws {
    var dice = Dice(3)
    for _ in 0..<200 {
      let source = range(dice.number(0..<50), dice.number(51..<100))
      let span = try span(
        source, range(3, dice.number(4..<50)), isReversed: dice.number(0..<2) == 1)
      let start = dice.number(0..<900_000)
      let loaded = start..<start + dice.number(1..<100_000)
      for time in span.times(of: [loaded], size: 1_000_000) {
        let bytes = span.bytes(of: time, size: 1_000_000)
        #expect(
          bytes.lowerBound >= loaded.lowerBound - 1 && bytes.upperBound <= loaded.upperBound + 1)
        #expect(time.start >= span.target.start && time.end <= span.target.end)
      }
    }
  }

  @Test("removed parts leave the rest, in order")
  func parts() {
    var parts = TimeParts(whole: Time(value: 10, timescale: 1))
    parts.remove(range(2, 3))
    parts.remove(range(5, 7))
    parts.remove(range(6, 8))
    parts.remove(range(9, 20))
    #expect(parts.ranges == [range(0, 2), range(3, 5), range(8, 9)])
    parts.remove(range(0, 10))
    #expect(parts.ranges.isEmpty)
  }
}
