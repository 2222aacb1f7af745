import MediaTime
import TestSupport
import Testing

@testable import MediaComposition

/// The silences of parts.
@Suite("Silences of parts")
struct SilencePlacesTests {
  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: Time(value: start, timescale: 100), end: Time(value: end, timescale: 100))
  }

  @Test("a part has what is left of each silence in it, where that is long enough")
  func parts() {
    var dice = Dice(1)
    for _ in 0..<300 {
      let least = Time(value: dice.number(1..<10), timescale: 100)
      var whole = SilencePlaces([.labels], lasting: least, below: .unity)
      var end: Int64 = 0
      for _ in 0..<dice.number(0..<20) {
        let start = end + dice.number(1..<20)
        end = start + dice.number(1..<20)
        whole.found.append(Self.range(start, end))
      }
      for _ in 0..<20 {
        let start = dice.number(0..<end + 10)
        let range = Self.range(start, start + dice.number(0..<60))
        let left = whole.found.map { $0.intersection(range) }.filter { $0.duration >= least }
        var part = whole
        part.found = left.map { $0.moved(by: -range.start) }
        #expect(whole.part(range) == part)
      }
    }
  }
}
