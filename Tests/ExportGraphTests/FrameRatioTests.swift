import ExportGraph
import MediaTime
import TestSupport
import Testing

@Suite("Ratios of frames")
struct FrameRatioTests {
  private static let largest = 1 << 20

  @Test("two stretches of a resampled source share no more than half of one")
  func stretchesAreLongerThanTheirWarmUp() {
    for (source, target, rate) in [
      (44_100, 48_000, 44_100), (192_000, 8000, 192_000), (100, 1, 8000), (100, 1, 48_000),
      (2400, 1, 192_000), (1, 100, 8000), (1 << 20, 3, 48_000),
    ] {
      let ratio = FrameRatio(from: source, to: target)
      let stretch = Resampling.stretch(ratio, sampleRate: rate)
      #expect(2 * Resampling.warmUp(ratio) <= stretch / 2)
      #expect(stretch % ratio.source == 0)
      #expect(stretch >= 2 * rate)
    }
  }

  @Test("ratios of small numbers are exact, however large the numbers of their times are")
  func exact() throws {
    var dice = Dice(1)
    for _ in 0..<5000 {
      let source = Int.random(in: 1...Self.largest, using: &dice)
      let target = Int.random(in: 1...Self.largest, using: &dice)
      let scale = Int64.random(in: 1...1_000_000_000, using: &dice)
      let ratio = try #require(
        FrameRatio(
          from: 44_100, lasting: Time(value: Int64(source) * scale, timescale: 48_000), to: 48_000,
          lasting: Time(value: Int64(target) * scale, timescale: 44_100)))
      let exact = lowest(source * 44_100 * 44_100, target * 48_000 * 48_000)
      guard exact.0 <= Self.largest, exact.1 <= Self.largest else { continue }
      #expect((ratio.source, ratio.target) == exact)
    }
    // On the way to 7001 : 7000 there are numbers that are too large.
    let speed = FrameRatio(
      from: 44_100, lasting: Time(value: 160 * 7001, timescale: 100_000), to: 48_000,
      lasting: Time(value: 147 * 7000, timescale: 100_000))
    #expect(speed == FrameRatio(from: 7001, to: 7000))
  }

  @Test("other ratios are the nearest fraction whose numbers are not larger than 2²⁰")
  func nearest() throws {
    var dice = Dice(2)
    for _ in 0..<200 {
      // Twice too large at most, so that the search below is short enough.
      let source = Int64.random(in: 1_048_577...60_000_000_000, using: &dice)
      let target = Int64.random(in: max(1, source / 300_000)...(source * 4), using: &dice)
      let ratio = try #require(
        FrameRatio(
          from: 1, lasting: Time(value: source, timescale: 1), to: 1,
          lasting: Time(value: target, timescale: 1)))
      #expect(1...Self.largest ~= ratio.source && 1...Self.largest ~= ratio.target)
      let found = distance(ratio.source, ratio.target, source, target)
      for _ in 0..<2000 {
        // For one number at random, the other that suits it best.
        let (p, q): (Int, Int)
        if source >= target {
          let chosen = Int.random(
            in: 1...max(1, Int(Int128(Self.largest) * Int128(target) / Int128(source))),
            using: &dice)
          (p, q) = (
            Int((Int128(chosen) * Int128(source) + Int128(target) / 2) / Int128(target)), chosen
          )
        } else {
          let chosen = Int.random(
            in: 1...max(1, Int(Int128(Self.largest) * Int128(source) / Int128(target))),
            using: &dice)
          (p, q) = (
            chosen, Int((Int128(chosen) * Int128(target) + Int128(source) / 2) / Int128(source))
          )
        }
        guard 1...Self.largest ~= p, 1...Self.largest ~= q else { continue }
        let other = distance(p, q, source, target)
        // found.0 / found.1 <= other.0 / other.1, over the common divisor `target`.
        #expect(found.0 * other.1 <= other.0 * found.1)
      }
    }
  }

  @Test("extreme times neither trap nor turn into one to one")
  func extremes() throws {
    let long = Time(value: .max, timescale: 1)
    let short = Time(value: 1, timescale: .max)
    let slow = try #require(
      FrameRatio(from: 1, lasting: short, to: Int(Int32.max), lasting: long))
    #expect((slow.source, slow.target) == (1, Self.largest))
    let fast = try #require(FrameRatio(from: Int(Int32.max), lasting: long, to: 1, lasting: short))
    #expect((fast.source, fast.target) == (Self.largest, 1))
    let even = try #require(
      FrameRatio(
        from: 192_000, lasting: long, to: 192_000, lasting: Time(value: .max - 1, timescale: 1)))
    #expect(even == .one)
    #expect(FrameRatio(from: 1, lasting: .zero, to: 1, lasting: long) == nil)
    #expect(FrameRatio(from: 1, lasting: long, to: 1, lasting: .positiveInfinity) == nil)
  }

  @Test("frames are counted over, half away from zero, without overflow")
  func counting() {
    let ratio = FrameRatio(from: 44_100, to: 48_000)
    for frames in [0, 1, 147, 1 << 40, -1, -147] as [Int64] {
      let exact = Int128(frames) * 320 + (frames < 0 ? -147 : 147)
      #expect(Int128(ratio.target(ofSource: frames)) == exact / 294)
    }
    #expect(FrameRatio(from: 1, to: 1 << 20).target(ofSource: .max) == .max)
  }

  private func lowest(_ a: Int, _ b: Int) -> (Int, Int) {
    var (x, y) = (a, b)
    while y != 0 { (x, y) = (y, x % y) }
    return (a / x, b / x)
  }

  /// |p/q − source/target| as a fraction over `q`, both times `target`.
  private func distance(
    _ p: Int, _ q: Int, _ source: Int64, _ target: Int64
  ) -> (Int128, Int128) {
    let difference = Int128(p) * Int128(target) - Int128(source) * Int128(q)
    return (difference < 0 ? -difference : difference, Int128(q))
  }
}
