import MediaTime
import Testing

/// The same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func value() -> Int64 {
    switch Int.random(in: 0..<8, using: &self) {
    case 0: [0, 1, -1, .max, .min, .max - 1, .min + 1].randomElement(using: &self) ?? 0
    case 1...3: Int64.random(in: -1_000_000_000...1_000_000_000, using: &self)
    default: Int64.random(in: .min ... .max, using: &self) >> Int64.random(in: 0..<63, using: &self)
    }
  }

  mutating func timescale() -> Int32 {
    switch Int.random(in: 0..<3, using: &self) {
    case 0: Int32.random(in: 1 ... .max, using: &self) >> Int32.random(in: 0..<20, using: &self) | 1
    case 1: [1, 600, 1000, 30000, 90000, .max, .max - 1].randomElement(using: &self) ?? 1
    default: [8000, 22050, 32000, 44100, 48000, 96000].randomElement(using: &self) ?? 1
    }
  }

  mutating func time() -> Time { Time(value: value(), timescale: timescale()) }
}

/// Whether `result` is `exact`, or the nearest to it that its timescale has, and says which.
func isBest(_ result: Time, for exact: SlowRational, rounded operands: Bool = false) -> Bool {
  guard result.isNumeric else {
    guard result.isInfinite, (result == .negativeInfinity) == exact.isNegative else { return false }
    return exact.magnitude > SlowRational(Int128(Int64.max))
  }
  let error = SlowRational(result) - exact
  if error == SlowRational(0) { return result.hasBeenRounded == operands }
  guard result.hasBeenRounded, result.timescale > 0 else { return false }
  let half = SlowRational(1, Int128(result.timescale) * 2)
  // From the middle, away from zero.
  return error.magnitude < half
    || (error.magnitude == half && (result.value == 0 || error.isNegative == exact.isNegative))
}

@Suite struct TimeArithmeticTests {
  @Test("Sums and differences are exact, or the nearest ticks and flagged")
  func sums() {
    var random = SeededGenerator(state: 1)
    for _ in 0..<10_000 {
      let (a, b) = (random.time(), random.time())
      #expect(isBest(a + b, for: SlowRational(a) + SlowRational(b)), "\(a) + \(b)")
      #expect(isBest(a - b, for: SlowRational(a) - SlowRational(b)), "\(a) - \(b)")
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
    var random = SeededGenerator(state: 2)
    for _ in 0..<10_000 {
      let (a, n) = (random.time(), random.value())
      let d = random.value()
      #expect(isBest(a * Int(n), for: SlowRational(a) * SlowRational(Int128(n))), "\(a) * \(n)")
      guard d != 0 else { continue }
      let ratio = SlowRational(Int128(n), Int128(d))
      #expect(
        isBest(a.multiplied(by: n, over: d), for: SlowRational(a) * ratio), "\(a) * \(n)/\(d)")
    }
    #expect(Time(value: 1, timescale: 1).multiplied(by: 1, over: 0) == .invalid)
    #expect(Time(value: 90, timescale: 30).multiplied(by: 1, over: 3).timescale == 30)
  }

  @Test("Multiplying by a Double takes the Double exactly")
  func doubles() {
    var random = SeededGenerator(state: 3)
    for _ in 0..<10_000 {
      let a = random.time()
      let factor =
        Double.random(in: -1...1, using: &random)
        * [1e-9, 1, 2, 1000, 1e18].randomElement(
          using: &random, orElse: 1)
      guard factor.magnitude > 0x1p-40 else { continue }
      #expect(
        isBest(a * factor, for: SlowRational(a) * SlowRational(double: factor)), "\(a) * \(factor)")
    }
    #expect(Time(value: 3, timescale: 1) * 0.5 == Time(value: 3, timescale: 2))
    #expect(!(Time(value: 3, timescale: 1) * 0.5).hasBeenRounded)
    #expect((Time(value: 3, timescale: 1) * 0.1).hasBeenRounded)
    let one = Time(value: 1, timescale: 1)
    #expect(one * .nan == .invalid)
    #expect(one * .infinity == .positiveInfinity)
    #expect(one * -.infinity == .negativeInfinity)
    #expect(Time.zero * Double.infinity == .indefinite)
    #expect(Time.zero * 1e300 == .zero)
    #expect(one * 1e300 == .positiveInfinity)
    #expect(one * -1e300 == .negativeInfinity)
    #expect(
      one * Double.leastNonzeroMagnitude == .zero
        && (one * Double.leastNonzeroMagnitude).hasBeenRounded)
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
    #expect(up + down == .indefinite && up - up == .indefinite && down - down == .indefinite)
    #expect(up - down == up && down - up == down)
    #expect(.indefinite + one == .indefinite && one - .indefinite == .indefinite)
    #expect(.indefinite + up == up && down + .indefinite == down)
    #expect(up * -2 == down && down * -2 == up && up * 0 == .indefinite)
    #expect(up.multiplied(by: -1, over: 3) == down && up * -0.5 == down && up * 0.0 == .indefinite)
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
    #expect(kinds.shuffled().sorted() == kinds)
    var random = SeededGenerator(state: 4)
    for _ in 0..<10_000 {
      let (a, b) = (random.time(), random.time())
      #expect((a < b) == (SlowRational(a) < SlowRational(b)))
      #expect((a == b) == (SlowRational(a) == SlowRational(b)))
      let factor = Int64.random(in: 1...50, using: &random)
      let (value, overflow) = a.value.multipliedReportingOverflow(by: factor)
      guard !overflow, let scale = Int32(exactly: Int64(a.timescale) * factor) else { continue }
      let same = Time(value: value, timescale: scale)
      #expect(same == a && same.hashValue == a.hashValue)
    }
    #expect(Set([Time(value: 1, timescale: 2), Time(value: 2, timescale: 4), .zero]).count == 2)
    #expect(min(Time.zero, .positiveInfinity) == .zero && max(Time.zero, .invalid) == .invalid)
  }

  @Test("Seconds are a Double for display")
  func seconds() {
    #expect(Time(value: 3, timescale: 2).seconds == 1.5)
    #expect(
      Time.positiveInfinity.seconds == .infinity && Time.negativeInfinity.seconds == -.infinity)
    #expect(Time.invalid.seconds.isNaN && Time.indefinite.seconds.isNaN)
  }
}

extension Array {
  func randomElement(using random: inout SeededGenerator, orElse other: Element) -> Element {
    randomElement(using: &random) ?? other
  }
}
