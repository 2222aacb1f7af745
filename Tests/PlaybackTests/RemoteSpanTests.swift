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

  /// A part of a medium of 100 s.
  private func span(
    _ source: TimeRange, _ target: TimeRange, isReversed: Bool = false,
    isReadFromItsStart: Bool = false, size: Int64 = 1000
  ) throws -> RemoteSpan {
    RemoteSpan(
      url: try MediaURL("http://example.org/a.wav"), size: size,
      mediumDuration: Time(value: 100, timescale: 1), source: source, target: target,
      isReversed: isReversed, isReadFromItsStart: isReadFromItsStart)
  }

  @Test("what is missing is where no bytes of the medium sound")
  func missing() throws {
    let loaded: [Range<Int64>] = [0..<150, 200..<300, 400..<1000]
    let plain = try span(range(10, 50), range(0, 40))
    #expect(plain.missing(of: loaded) == [range(5, 10), range(20, 30)])
    let fast = try span(range(10, 50), range(100, 120))
    #expect(fast.missing(of: [200..<300]) == [range(100, 105), range(110, 120)])
    let back = try span(range(10, 50), range(0, 40), isReversed: true)
    #expect(back.missing(of: [0..<150, 400..<600]) == [range(10, 35)])
    #expect(plain.missing(of: [0..<100, 500..<600]) == [range(0, 40)])
    #expect(plain.missing(of: [100..<500]).isEmpty)
    #expect(plain.missing(of: []) == [range(0, 40)])
  }

  @Test("a sound of less than a byte is here with its byte")
  func lessThanAByte() throws {
    let short = try span(range(50, 51), range(0, 1), size: 10)
    #expect(short.missing(of: [0..<5]) == [range(0, 1)])
    #expect(short.missing(of: [5..<6]).isEmpty)
    let last = try span(range(99, 100), range(0, 1), size: 10)
    #expect(last.missing(of: [9..<10]).isEmpty)
  }

  @Test("of a medium that is read from its start, what lies behind a gap is missing")
  func missingBehindGaps() throws {
    let span = try span(range(10, 50), range(0, 40), isReadFromItsStart: true)
    #expect(span.missing(of: [0..<150, 200..<1000]) == [range(5, 40)])
    #expect(span.missing(of: [50..<1000]) == [range(0, 40)])
    #expect(span.missing(of: [0..<500]).isEmpty)
  }

  @Test("times become the bytes that sound there")
  func bytes() throws {
    let plain = try span(range(10, 50), range(0, 40))
    #expect(plain.bytes(of: range(5, 10)) == 150..<200)
    #expect(plain.bytes(of: range(30, 90)) == 400..<500)
    let back = try span(range(10, 50), range(0, 40), isReversed: true)
    #expect(back.bytes(of: range(35, 40)) == 100..<150)
  }

  @Test("the bytes of a time that is not missing are loaded, whichever part is asked for")
  func roundTrip() throws {
    var dice = Dice(3)
    for _ in 0..<200 {
      let source = range(dice.number(0..<50), dice.number(51..<100))
      let span = try span(
        source, range(3, dice.number(4..<50)), isReversed: dice.number(0..<2) == 1,
        size: 1_000_000)
      let start = dice.number(0..<900_000)
      let loaded = start..<start + dice.number(1..<100_000)
      let missing = span.missing(of: [loaded])
      #expect(missing.allSatisfy { $0.start >= span.target.start && $0.end <= span.target.end })
      for time in span.target.parts(without: missing) {
        let bytes = span.bytes(of: time)
        #expect(
          bytes.lowerBound >= loaded.lowerBound - 1 && bytes.upperBound <= loaded.upperBound + 1)
      }
    }
  }

  @Test("a range without others is the parts between them, in order")
  func parts() {
    let removed = [range(9, 20), range(2, 3), range(5, 7), range(6, 8), range(4, 4)]
    #expect(range(0, 10).parts(without: removed) == [range(0, 2), range(3, 5), range(8, 9)])
    #expect(range(0, 10).parts(without: [range(0, 10)]).isEmpty)
    #expect(range(0, 10).parts(without: []) == [range(0, 10)])
  }

  @Test("loaded parts are found again only after bytes have come")
  func memory() throws {
    let url = try MediaURL("http://example.org/a.wav")
    var (parts, count) = (LoadedParts(), 0)
    func look(_ bytes: [MediaURL: [Range<Int64>]]) -> [TimeRange] {
      parts.parts(of: bytes, after: [:]) {
        count += 1
        return [range(0, Int64(count))]
      }
    }
    #expect(look([:]) == [range(0, 1)])
    for _ in 0..<25 { #expect(look([:]) == [range(0, 1)]) }
    for _ in 0..<25 { #expect(look([url: [0..<10]]) == [range(0, 2)]) }
    #expect(look([url: [0..<10, 20..<30]]) == [range(0, 3)])
    #expect(count == 3)
  }
}
