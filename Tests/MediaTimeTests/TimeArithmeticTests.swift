import MediaTime
import TestSupport
import Testing

@Suite struct TimeArithmeticTests {
  @Test("Sums and differences are exact, or the nearest ticks and flagged")
  func sums() {
    var random = Dice(1)
    for index in 0..<20_000 {
      let (a, b) = (random.time(), random.time())
      let isRounded = a.hasBeenRounded || b.hasBeenRounded
      let judge = index % 16 == 0 ? isBestOfAll : isBest
      #expect(judge(a + b, SlowRational(a) + SlowRational(b), isRounded), "\(a) + \(b)")
      #expect(judge(a - b, SlowRational(a) - SlowRational(b), isRounded), "\(a) - \(b)")
    }
  }

  @Test("Sums that some timescale holds exactly are exact")
  func exactSums() {
    // The common multiple is past Int32; the sum, in lowest terms, is not.
    let a = Time(value: 1, timescale: 3 * 500_000_003)
    let b = Time(value: 500_000_002, timescale: 3 * 500_000_003)
    let c = Time(value: 1, timescale: 7 * 300_000_001)
    #expect((a + b).timescale == 3 * 500_000_003 && !(a + b).hasBeenRounded)
    #expect((a + c).hasBeenRounded)
    let d = Time(value: 100_000, timescale: 100_000 * 3)
    let e = Time(value: 100_003, timescale: 100_003 * 7)
    #expect(d + e == Time(value: 10, timescale: 21) && !(d + e).hasBeenRounded)
  }

  @Test("A sum's timescale is the least common multiple")
  func leastCommonMultiple() {
    let sum = Time(frames: 1, rate: 44100) + Time(frames: 1, rate: 48000)
    #expect(sum.timescale == 7_056_000)
    #expect(sum.value == 160 + 147)
    #expect(!sum.hasBeenRounded)
    #expect((Time(value: 1, timescale: 600) + Time(value: 2, timescale: 600)).timescale == 600)
  }

  @Test("A sum past 64 bits halves its timescale and says so, and past seconds is infinite")
  func overflow() {
    let large = Time(value: .max, timescale: 600)
    let sum = large + large
    #expect(sum.timescale == 300 && sum.value == .max && !sum.hasBeenRounded)
    let odd = large + Time(value: .max - 1, timescale: 600)
    #expect(odd.timescale == 300 && odd.hasBeenRounded)
    let largest = Time(value: .max, timescale: 1)
    #expect(largest + largest == .positiveInfinity)
    #expect(-largest - largest - largest == .negativeInfinity)
    #expect(-Time(value: .min, timescale: 1) == .positiveInfinity)
    #expect(-Time(value: .min, timescale: 2) == Time(value: 1 << 62, timescale: 1))
  }

  @Test("Multiplying by an integer or a ratio is exact, or the nearest ticks and flagged")
  func products() {
    var random = Dice(2)
    for index in 0..<20_000 {
      let (a, n, d) = (random.time(), random.value(), random.value())
      let judge = index % 16 == 0 ? isBestOfAll : isBest
      #expect(
        judge(a * Int(n), SlowRational(a) * SlowRational(Int128(n)), a.hasBeenRounded),
        "\(a) * \(n)")
      guard d != 0 else { continue }
      let exact = SlowRational(a) * SlowRational(Int128(n), Int128(d))
      #expect(judge(a.multiplied(by: n, over: d), exact, a.hasBeenRounded), "\(a) * \(n)/\(d)")
    }
    #expect(Time(value: 90, timescale: 30).multiplied(by: 1, over: 3).timescale == 30)
    #expect(Time(value: 1, timescale: 600) * 3 == 3 * Time(value: 1, timescale: 600))
  }

  @Test("A ratio over zero is infinite, and invalid where zero is over zero")
  func overZero() {
    let (one, up) = (Time(value: 1, timescale: 1), Time.positiveInfinity)
    #expect(one.multiplied(by: 1, over: 0) == up && (-one).multiplied(by: -1, over: 0) == up)
    #expect(one.multiplied(by: -1, over: 0) == -up && (-one).multiplied(by: 1, over: 0) == -up)
    #expect(one.multiplied(by: 0, over: 0) == .invalid && up.multiplied(by: 0, over: 0) == .invalid)
    #expect(Time.zero.multiplied(by: 1, over: 0) == .invalid)
    #expect(up.multiplied(by: -1, over: 0) == -up)
    #expect(Time.indefinite.multiplied(by: 0, over: 0) == .indefinite)
    #expect(Time.invalid.multiplied(by: 1, over: 0) == .invalid)
  }

  @Test("Multiplying by a Double takes the Double exactly")
  func doubles() {
    var random = Dice(3)
    for index in 0..<20_000 {
      let (a, factor) = (random.time(), random.double())
      guard factor.isFinite else { continue }
      let judge = index % 64 == 0 ? isBestOfAll : isBest
      #expect(
        judge(a * factor, SlowRational(a) * SlowRational(double: factor), a.hasBeenRounded),
        "\(a) * \(factor)")
    }
    #expect(Time(value: 3, timescale: 1) * 0.5 == Time(value: 3, timescale: 2))
    #expect(!(Time(value: 3, timescale: 1) * 0.5).hasBeenRounded)
    #expect((Time(value: 3, timescale: 1) * 0.1).hasBeenRounded)
    let one = Time(value: 1, timescale: 1)
    #expect(one * .nan == .invalid)
    #expect(one * .infinity == .positiveInfinity)
    #expect(one * -.infinity == .negativeInfinity)
    #expect(Time.zero * Double.infinity == .invalid)
    #expect(Time.zero * 1e300 == .zero)
    #expect(one * 1e300 == .positiveInfinity)
    #expect(one * -1e300 == .negativeInfinity)
    #expect(one * 0.0 == .zero)
  }

  @Test("Invalid, indefinite and infinite times add up by CMTime's rules")
  func kindsOfTime() {
    let one = Time(value: 1, timescale: 1)
    let (up, down): (Time, Time) = (.positiveInfinity, .negativeInfinity)
    for other in [one, up, down, .indefinite, .invalid] {
      #expect(Time.invalid + other == .invalid)
      #expect(other - .invalid == .invalid)
    }
    #expect(up + one == up && one - up == down && down + one == down)
    #expect(up + up == up && down + down == down)
    #expect(up + down == .invalid && up - up == .invalid && down - down == .invalid)
    #expect(up - down == up && down - up == down)
    #expect(.indefinite + one == .indefinite && one - .indefinite == .indefinite)
    #expect(.indefinite + up == up && down + .indefinite == down)
    #expect(up * -2 == down && down * -2 == up && up * 0 == up && down * 0 == down)
    #expect(up.multiplied(by: -1, over: 3) == down && up.multiplied(by: -1, over: -3) == up)
    #expect(up * -0.5 == down && up * 0.0 == up && up * .nan == .invalid)
    #expect(Time.indefinite * 3 == .indefinite && Time.invalid * 3 == .invalid)
    #expect((-up, -down, -Time.indefinite, -Time.invalid) == (down, up, .indefinite, .invalid))
    #expect(down.absoluteValue == up && (-one).absoluteValue == one)
    #expect(Time(value: 5, timescale: 0) == .invalid && Time(value: 5, timescale: -1) == .invalid)
    #expect(Time(frames: 1, rate: 1 << 31) == .invalid)
  }

  @Test("The rounded flag is handed on")
  func flags() {
    let rounded = Time(value: 1, timescale: 3).converted(toTimescale: 2, rounding: .towardZero)
    #expect(rounded.hasBeenRounded)
    let one = Time(value: 1, timescale: 1)
    #expect((one + rounded).hasBeenRounded && (rounded * 2).hasBeenRounded)
    #expect((-rounded).hasBeenRounded && rounded == Time(value: 0, timescale: 1))
  }

  @Test("Times sort like CMTimeCompare, and equal times hash alike")
  func order() {
    let kinds: [Time] = [
      .negativeInfinity, Time(value: .min, timescale: 1), .zero, Time(value: .max, timescale: 1),
      .indefinite, .positiveInfinity, .invalid,
    ]
    var random = Dice(4)
    #expect(kinds.shuffled(using: &random).sorted() == kinds)
    for _ in 0..<20_000 {
      let (a, b) = (random.time(), random.time())
      let (x, y) = (SlowRational(a), SlowRational(b))
      #expect((a < b) == (x < y) && (a == b) == (x == y))
      #expect(SlowRational(min(a, b)) == (y < x ? y : x))
      #expect(SlowRational(max(a, b)) == (x < y ? y : x))
      let factor = Int64.random(in: 1...50, using: &random)
      let (value, overflow) = a.value.multipliedReportingOverflow(by: factor)
      guard !overflow, let scale = Int32(exactly: Int64(a.timescale) * factor) else { continue }
      let same = Time(value: value, timescale: scale)
      #expect(same == a && same.hashValue == a.hashValue)
    }
    #expect(Set([Time(value: 1, timescale: 2), Time(value: 2, timescale: 4), .zero]).count == 2)
    #expect(min(Time.zero, .positiveInfinity) == .zero && max(Time.zero, .invalid) == .invalid)
  }

  @Test("The order is total: of two times one relation holds, and three follow one another")
  func totalOrder() {
    var random = Dice(9)
    for _ in 0..<20_000 {
      // Near neighbours, too: a tick apart, or equal at another timescale.
      let a = random.anyTime()
      let scale = random.timescale()
      let b = Bool.random(using: &random) ? random.anyTime() : a.converted(toTimescale: scale)
      let c = Bool.random(using: &random) ? random.anyTime() : b * 1.0
      for (x, y) in [(a, b), (b, c), (a, c)] {
        #expect([x < y, x == y, y < x].count { $0 } == 1)
        #expect((x <= y) == !(y < x))
      }
      if a <= b, b <= c { #expect(a <= c && ((a == c) == (a == b && b == c))) }
    }
  }

  @Test("The absolute value is the distance from zero, at the same timescale where it fits")
  func absoluteValues() {
    var random = Dice(10)
    for _ in 0..<20_000 {
      let a = random.time()
      #expect(isBest(a.absoluteValue, for: SlowRational(a).magnitude, rounded: a.hasBeenRounded))
      #expect(isBest(-a, for: -SlowRational(a), rounded: a.hasBeenRounded))
      if a.value != .min { #expect(a.absoluteValue.timescale == a.timescale) }
    }
    #expect(Time.negativeInfinity.absoluteValue == .positiveInfinity)
    #expect(Time.indefinite.absoluteValue == .indefinite && Time.invalid.absoluteValue == .invalid)
  }

  @Test("Seconds are a Double for display")
  func seconds() {
    #expect(Time(value: 3, timescale: 2).seconds == 1.5)
    #expect(
      Time.positiveInfinity.seconds == .infinity && Time.negativeInfinity.seconds == -.infinity)
    #expect(Time.invalid.seconds.isNaN && Time.indefinite.seconds.isNaN)
  }
}
