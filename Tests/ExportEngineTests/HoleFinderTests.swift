import TestSupport
import Testing

@testable import ExportEngine

/// Times of packets as containers write them, with and without holes.
@Suite("Finding holes in time stamps")
struct HoleFinderTests {
  private typealias Hole = HoleFinder.Hole

  /// What is found where packets of `step` frames have these times.
  private func holes(
    _ times: [Int64], _ trust: HoleFinder.Trust = .exact, step: Int64 = 1024, rate: Int = 48_000,
    tick: Int64 = 48
  ) -> [HoleFinder.Hole]? {
    var finder = HoleFinder(trust, rate: rate, tick: tick)
    for (index, time) in times.enumerated() { finder.note(Int64(index) * step, at: time) }
    return finder.finish()
  }

  /// 300 packets, whose times are `change`d.
  private func times(
    step: Int64 = 1024, _ change: (Int, Int64) -> Int64 = { $1 }
  ) -> [Int64] {
    (0..<300).map { change($0, Int64($0) * step) }
  }

  /// To the nearest millisecond.
  private func rounded(_ frame: Int64) -> Int64 { (frame + 24) / 48 * 48 }

  @Test("packets that are missing leave a hole of just their length, also in rounded times")
  func missing() {
    for count in [1, 2, 43] {
      let dropped = times { $1 + ($0 < 100 ? 0 : Int64(count) * 1024) }
      let expected = [Hole(frame: 100 * 1024, count: Int64(count) * 1024)]
      #expect(holes(dropped, tick: 1) == expected)
      #expect(holes(dropped.map(rounded)) == expected)
      // Truncated, as some programs write them.
      #expect(holes(dropped.map { $0 / 48 * 48 }) == expected)
    }
  }

  @Test("any hole of a tenth of a second and more is found, to within rounding")
  func any() throws {
    for count: Int64 in [4800, 20_011, 48_000, 480_000] {
      let moved = times { $1 + ($0 < 77 ? 0 : count) }
      #expect(holes(moved, tick: 1) == [Hole(frame: 77 * 1024, count: count)])
      for trust in [HoleFinder.Trust.exact, .live] {
        let found = try #require(holes(moved.map(rounded), trust))
        #expect(found.map(\.frame) == [77 * 1024 as Int64])
        #expect((found[0].count - count).magnitude <= 48)
      }
    }
  }

  @Test("several holes, close to one another and near the ends, are found apart")
  func several() {
    let places = [3, 100, 103, 104, 298]
    let dropped = times { index, time in
      time + Int64(places.filter { $0 <= index }.count) * 2048
    }
    #expect(
      holes(dropped.map(rounded)) == places.map { Hole(frame: Int64($0) * 1024, count: 2048) })
  }

  @Test("rounding, jitter, drift and other clocks are no holes")
  func none() {
    var dice = Dice(7)
    #expect(holes(times().map(rounded)) == [])
    // AAC's packets of 21.33 ms, said to be 21 or 22 ms each.
    #expect(holes(times { index, _ in Int64(index) * 21 * 48 }) == [])
    #expect(holes(times { index, _ in Int64(index) * 22 * 48 }) == [])
    // A camera's clock that is off by a hundredth.
    #expect(holes(times { $1 + $1 / 100 }.map(rounded)) == [])
    // A live source: each packet up to 40 ms late.
    #expect(holes(times { $1 + dice.number(0..<1921) }, .live) == [])
    // Twenty packets that come late by half a second at once, and then in time again.
    #expect(holes(times { $0 == 120 ? $1 + 24_000 : $1 }, .live) == [])
    // Less than a packet, for good: a clock that was set.
    #expect(holes(times { $1 + ($0 < 100 ? 0 : 700) }) == [])
    // The clock starts anew, or jumps by hours.
    #expect(holes(times { $0 < 100 ? $1 : $1 - 100 * 1024 }, .live) == [])
    #expect(holes(times { $0 < 100 ? $1 : $1 + 48_000 * 3600 }, .live) == [])
    #expect(holes(times { $0 < 100 ? $1 : $1 + 48_000 }, .none) == [])
  }

  @Test("times of another speed than the sound's are not heeded")
  func contradiction() { #expect(holes(times { $1 * 2 + ($0 == 0 ? 0 : 1) }) == nil) }

  @Test("what damaged packets did not give is no hole")
  func damage() {
    var finder = HoleFinder(.exact, rate: 48_000, tick: 48)
    var frame: Int64 = 0
    for index in 0..<200 {
      finder.note(frame, at: Int64(index) * 1024)
      if index == 100 { finder.noteDamage() } else { frame += 1024 }
    }
    #expect(finder.finish() == [])
  }

  @Test("packets without a time, and times beyond any file, are passed over")
  func hostile() {
    var finder = HoleFinder(.exact, rate: 48_000, tick: 48)
    for index in 0..<100 {
      finder.note(Int64(index) * 1024, at: index % 3 == 0 ? nil : Int64(index) * 1024)
      finder.note(Int64(index) * 1024, at: .max)
      finder.note(Int64(index) * 1024, at: .min)
    }
    #expect(finder.finish() == [])
  }

  @Test("times that go back for good are found, with what they go back by")
  func falls() {
    func falls(_ times: [Int64], _ trust: HoleFinder.Trust = .exact) -> [Hole] {
      var finder = HoleFinder(trust, rate: 48_000, tick: 48)
      for (index, time) in times.enumerated() { finder.note(Int64(index) * 1024, at: time) }
      _ = finder.finish()
      return finder.falls
    }
    let twice = times { $1 - ($0 < 100 ? 0 : 50 * 1024) }
    #expect(falls(twice) == [Hole(frame: 100 * 1024, count: 50 * 1024)])
    let often = times { $1 - Int64($0 / 100) * 20_480 }
    #expect(falls(often).map(\.frame) == [102_400, 204_800] as [Int64])
    // Near the end, too.
    #expect(falls(times { $1 - ($0 < 295 ? 0 : 9600) }).map(\.count) == [9600])
    // Less than a tenth of a second, a packet that is early, some that are late, and drift.
    #expect(falls(times { $1 - ($0 < 100 ? 0 : 4700) }) == [])
    #expect(falls(times { $0 == 100 ? $1 - 48_000 : $1 }) == [])
    #expect(falls(times { 100..<120 ~= $0 ? $1 + 24_000 : $1 }) == [])
    #expect(falls(times { $1 - $1 / 100 }.map(rounded)) == [])
    #expect(falls(twice, .live) == [])
  }
}
