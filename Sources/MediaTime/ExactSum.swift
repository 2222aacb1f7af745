/// `a + b - c` of times, before it is rounded: what the bounds of ranges are compared and
/// subtracted by, so that an end that no timescale can hold is in its place all the same.
struct ExactSum {
  private let terms: (Time, Time, minus: Time)
  /// Below 3 · 2¹²⁵ in magnitude: three values, each over two foreign timescales. 0 where the sum
  /// is no number.
  private let numerator: Int128
  /// Greater than 0, below 2⁹³.
  private let denominator: Int128
  /// What the sum is if it is no number. An overflow is one.
  private let kind: Time.Kind

  init(_ a: Time, _ b: Time = .zero, minus c: Time = .zero) {
    terms = (a, b, c)
    guard a.isNumeric, b.isNumeric, c.isNumeric else {
      (numerator, denominator, kind) = (0, 1, (a + b - c).kind)
      return
    }
    let (x, y, z) = (Int128(a.timescale), Int128(b.timescale), Int128(c.timescale))
    numerator = Int128(a.value) * y * z + Int128(b.value) * x * z - Int128(c.value) * x * y
    denominator = x * y * z
    kind = .number
  }

  /// As a time: exact if any timescale can hold it, else rounded half away from zero.
  var time: Time {
    let (a, b, c) = terms
    // What the operators did not have to round is exact.
    let plain = a.unmarked + b.unmarked - c.unmarked
    guard kind == .number else { return plain }
    let flags = a.flags.union(b.flags).union(c.flags)
    if plain.isNumeric, !plain.hasBeenRounded { return plain.marked(flags) }
    return Time(
      Fraction(numerator.magnitude, over: denominator.magnitude), isNegative: numerator < 0,
      timescale: Time.maximumTimescale, roundingTimescale: Time.maximumTimescale, flags: flags)
  }

  /// Whether the sum is below `other`, in the order of `Time`.
  static func < (a: ExactSum, b: ExactSum) -> Bool {
    guard a.kind == .number, b.kind == .number else { return a.kind.rawValue < b.kind.rawValue }
    let isNegative = a.numerator < 0
    guard isNegative == (b.numerator < 0) else { return isNegative }
    let left = WideNatural(a.numerator.magnitude, times: b.denominator.magnitude)
    let right = WideNatural(b.numerator.magnitude, times: a.denominator.magnitude)
    return isNegative ? right < left : left < right
  }
}

extension Time {
  /// This time without the mark of being rounded.
  var unmarked: Time { marked(flags.subtracting(.hasBeenRounded)) }

  /// This number with other flags; a time that is no number stays what it is.
  func marked(_ flags: Flags) -> Time {
    isNumeric ? Time(value: value, timescale: timescale, flags: flags) : self
  }
}
