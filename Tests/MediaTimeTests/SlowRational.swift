import MediaTime

/// The slow twin: a rational over integers of any size, by schoolbook arithmetic.
struct SlowRational: Comparable {
  var isNegative: Bool
  var numerator: BigNatural
  var denominator: BigNatural

  init(_ numerator: Int128, _ denominator: Int128 = 1) {
    isNegative = (numerator < 0) != (denominator < 0)
    self.numerator = BigNatural(numerator.magnitude)
    self.denominator = BigNatural(denominator.magnitude)
  }

  init(isNegative: Bool, numerator: BigNatural, denominator: BigNatural) {
    self.isNegative = isNegative
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Of a numeric time.
  init(_ time: Time) { self.init(Int128(time.value), Int128(time.timescale)) }

  /// Exactly the Double, which is finite.
  init(double number: Double) {
    let digits = number == 0 ? 0 : UInt128(number.magnitude.significand * 0x1p52)
    let exponent = number == 0 ? 0 : Int(number.exponent) - 52
    var power = BigNatural(1)
    for _ in 0..<exponent.magnitude / 64 { power = power * BigNatural(1 << 64) }
    power = power * BigNatural(1 << UInt128(exponent.magnitude % 64))
    self.init(
      isNegative: number < 0,
      numerator: exponent < 0 ? BigNatural(digits) : BigNatural(digits) * power,
      denominator: exponent < 0 ? power : BigNatural(1))
  }

  /// Whether some time holds this number: the least of its denominators is a timescale. For
  /// magnitudes whose parts have a common divisor that Euclid finds slowly, but surely.
  var isTime: Bool {
    var (a, b) = (numerator, denominator)
    while !b.isZero { (a, b) = (b, a - a.divided(by: b) * b) }
    let value = numerator.divided(by: a)
    let limit = BigNatural(isNegative ? 1 << 63 : (1 << 63) - 1)
    return !(limit < value) && !(BigNatural(1 << 31 - 1) < denominator.divided(by: a))
  }

  static func * (a: SlowRational, b: SlowRational) -> SlowRational {
    SlowRational(
      isNegative: a.isNegative != b.isNegative, numerator: a.numerator * b.numerator,
      denominator: a.denominator * b.denominator)
  }

  /// `b` is not zero.
  static func / (a: SlowRational, b: SlowRational) -> SlowRational {
    a
      * SlowRational(
        isNegative: b.isNegative, numerator: b.denominator, denominator: b.numerator)
  }

  static prefix func - (a: SlowRational) -> SlowRational {
    SlowRational(isNegative: !a.isNegative, numerator: a.numerator, denominator: a.denominator)
  }

  static func + (a: SlowRational, b: SlowRational) -> SlowRational {
    let (x, y) = (a.numerator * b.denominator, b.numerator * a.denominator)
    let denominator = a.denominator * b.denominator
    if a.isNegative == b.isNegative {
      return SlowRational(isNegative: a.isNegative, numerator: x + y, denominator: denominator)
    }
    return x < y
      ? SlowRational(isNegative: b.isNegative, numerator: y - x, denominator: denominator)
      : SlowRational(isNegative: a.isNegative, numerator: x - y, denominator: denominator)
  }

  static func - (a: SlowRational, b: SlowRational) -> SlowRational { a + (-b) }

  var magnitude: SlowRational {
    SlowRational(isNegative: false, numerator: numerator, denominator: denominator)
  }

  static func < (a: SlowRational, b: SlowRational) -> Bool {
    let difference = a + (-b)
    return difference.isNegative && !difference.numerator.isZero
  }

  static func == (a: SlowRational, b: SlowRational) -> Bool {
    (a + (-b)).numerator.isZero
  }
}

/// A natural number of any size: 64-bit words, the lowest first, without zeros at the end.
struct BigNatural: Equatable {
  var words: [UInt64]

  init(_ value: UInt128) {
    words = [UInt64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value >> 64)]
    trim()
  }

  private init(words: [UInt64]) {
    self.words = words
    trim()
  }

  private mutating func trim() { while words.last == 0 { words.removeLast() } }

  var isZero: Bool { words.isEmpty }

  static func + (a: BigNatural, b: BigNatural) -> BigNatural {
    var carry: UInt128 = 0
    var words: [UInt64] = []
    for index in 0...max(a.words.count, b.words.count) {
      carry += UInt128(index < a.words.count ? a.words[index] : 0)
      carry += UInt128(index < b.words.count ? b.words[index] : 0)
      words.append(UInt64(truncatingIfNeeded: carry))
      carry >>= 64
    }
    return BigNatural(words: words)
  }

  /// `a` is not less than `b`.
  static func - (a: BigNatural, b: BigNatural) -> BigNatural {
    var borrow: Int128 = 0
    var words: [UInt64] = []
    for index in a.words.indices {
      borrow += Int128(a.words[index]) - Int128(index < b.words.count ? b.words[index] : 0)
      words.append(UInt64(truncatingIfNeeded: borrow))
      borrow >>= 64
    }
    return BigNatural(words: words)
  }

  static func * (a: BigNatural, b: BigNatural) -> BigNatural {
    var words = [UInt64](repeating: 0, count: a.words.count + b.words.count)
    for i in a.words.indices {
      var carry: UInt128 = 0
      for j in b.words.indices {
        carry += UInt128(a.words[i]) * UInt128(b.words[j]) + UInt128(words[i + j])
        words[i + j] = UInt64(truncatingIfNeeded: carry)
        carry >>= 64
      }
      words[i + b.words.count] = UInt64(truncatingIfNeeded: carry)
    }
    return BigNatural(words: words)
  }

  static func < (a: BigNatural, b: BigNatural) -> Bool {
    if a.words.count != b.words.count { return a.words.count < b.words.count }
    for index in a.words.indices.reversed() where a.words[index] != b.words[index] {
      return a.words[index] < b.words[index]
    }
    return false
  }

  /// The quotient without its rest. `divisor` is not 0.
  func divided(by divisor: BigNatural) -> BigNatural {
    var (quotient, rest) = (BigNatural(0), self)
    // The leading bits give some fifty bits of it at a time, never too much.
    let leading = divisor.shifted(by: 64 - divisor.bitCount).low + 1
    while !(rest < divisor) {
      let shift = rest.bitCount - 127
      let guess = BigNatural(rest.shifted(by: -shift).low / leading)
        .shifted(by: shift - divisor.bitCount + 64)
      // Less than one, and yet there is one left.
      let step = guess.isZero ? BigNatural(1) : guess
      quotient = quotient + step
      rest = rest - step * divisor
    }
    return quotient
  }

  private var low: UInt128 {
    UInt128(words.first ?? 0) | UInt128(words.count > 1 ? words[1] : 0) << 64
  }

  private var bitCount: Int {
    words.count * 64 - (words.last?.leadingZeroBitCount ?? 0)
  }

  /// Times 2 to the power of `count`, without what is below 1.
  private func shifted(by count: Int) -> BigNatural {
    guard count < 0 else {
      let zeros = [UInt64](repeating: 0, count: count / 64)
      return BigNatural(words: zeros + (self * BigNatural(1 << UInt128(count % 64))).words)
    }
    // Up to a whole word first, and then words are left out.
    let up = (64 - -count % 64) % 64
    return BigNatural(words: Array(shifted(by: up).words.dropFirst((up - count) / 64)))
  }

  /// In hexadecimal digits.
  var hexadecimal: String {
    guard let first = words.last else { return "0" }
    let rest = words.dropLast().reversed().map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return String(first, radix: 16) + rest.joined()
  }
}
