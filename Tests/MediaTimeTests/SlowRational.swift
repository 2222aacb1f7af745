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

  /// Exactly the Double.
  init(double number: Double) {
    var numerator = BigNatural(UInt128(number.significand * 0x1p52))
    var denominator = BigNatural(1)
    let exponent = Int(number.exponent) - 52
    for _ in 0..<exponent.magnitude {
      if exponent < 0 {
        denominator = denominator * BigNatural(2)
      } else {
        numerator = numerator * BigNatural(2)
      }
    }
    self.init(isNegative: number < 0, numerator: numerator, denominator: denominator)
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
    return difference.isNegative && !difference.numerator.words.isEmpty
  }

  static func == (a: SlowRational, b: SlowRational) -> Bool {
    (a + (-b)).numerator.words.isEmpty
  }
}

/// A natural number of any size: 32-bit words, the lowest first, without zeros at the end.
struct BigNatural: Equatable {
  var words: [UInt32]

  init(_ value: UInt128) {
    words = (0..<4).map { UInt32(truncatingIfNeeded: value >> UInt128(32 * $0)) }
    trim()
  }

  private init(words: [UInt32]) {
    self.words = words
    trim()
  }

  private mutating func trim() { while words.last == 0 { words.removeLast() } }

  static func + (a: BigNatural, b: BigNatural) -> BigNatural {
    var carry: UInt64 = 0
    var words: [UInt32] = []
    for index in 0...max(a.words.count, b.words.count) {
      carry += UInt64(index < a.words.count ? a.words[index] : 0)
      carry += UInt64(index < b.words.count ? b.words[index] : 0)
      words.append(UInt32(truncatingIfNeeded: carry))
      carry >>= 32
    }
    return BigNatural(words: words)
  }

  /// `a` is not less than `b`.
  static func - (a: BigNatural, b: BigNatural) -> BigNatural {
    var borrow: Int64 = 0
    var words: [UInt32] = []
    for index in a.words.indices {
      borrow += Int64(a.words[index]) - Int64(index < b.words.count ? b.words[index] : 0)
      words.append(UInt32(truncatingIfNeeded: borrow))
      borrow >>= 32
    }
    return BigNatural(words: words)
  }

  static func * (a: BigNatural, b: BigNatural) -> BigNatural {
    var words = [UInt32](repeating: 0, count: a.words.count + b.words.count)
    for (i, x) in a.words.enumerated() {
      var carry: UInt64 = 0
      for (j, y) in b.words.enumerated() {
        carry += UInt64(x) * UInt64(y) + UInt64(words[i + j])
        words[i + j] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      words[i + b.words.count] = UInt32(truncatingIfNeeded: carry)
    }
    return BigNatural(words: words)
  }

  static func < (a: BigNatural, b: BigNatural) -> Bool {
    if a.words.count != b.words.count { return a.words.count < b.words.count }
    for (x, y) in zip(a.words, b.words).reversed() where x != y { return x < y }
    return false
  }
}
