import LibAV
import Testing

@Suite("Times of decoding, made of times of showing")
struct DecodingClockTests {
  @Test("pictures that are not reordered are decoded when they are shown")
  func plain() {
    var clock = DecodingClock(depth: 0, step: 0)
    #expect([0, 40, 40, 80].map { clock.decoded($0, lasting: 40) } == [0, 40, 40, 80])
  }

  @Test("reordered ones are decoded in order, none later than it is shown")
  func reordered() {
    var clock = DecodingClock(depth: 2, step: 1)
    let shown: [Int64] = [0, 160, 80, 40, 120, 320]
    let decoded = shown.map { clock.decoded($0, lasting: 40) }
    #expect(decoded == [-80, -40, 0, 40, 80, 120])
  }

  @Test("an order that is deeper than was said has no such time")
  func tooDeep() {
    var clock = DecodingClock(depth: 0, step: 1)
    #expect(clock.decoded(40, lasting: 40) == 40)
    #expect(clock.decoded(0, lasting: 40) == nil)
  }
}
