/// The grammar of `TimeText`.
///
///     time     = ["-"] (clock | number unit | digits "/" digits "s" | digits "samples")
///     clock    = digits ":" [00-59 ":"] 00-59 ["." digits]
///     number   = digits ["." digits]
///     unit     = "ms" | "s" | "m" | "h"
///
/// Spaces may stand before a unit.
//
// It looks at bytes: times are ASCII, and a job file may have a hundred thousand of them.
enum TimeReader {
  fileprivate typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  static func read(_ text: String, allowingNegative: Bool) throws(TimeTextError) -> TimeText {
    guard !text.isEmpty else { throw TimeTextError("no time is given: \(examples)") }
    var whole = text
    let value = try whole.withUTF8 { bytes in
      let body = isNegative(text) ? bytes.dropFirst() : bytes[...]
      return Result { () throws(TimeTextError) in try readNumber(body, in: text) }
    }
    .get()
    guard allowingNegative || !isNegative(text) else {
      throw TimeTextError("'\(text)' is negative: a time here counts from 0 on")
    }
    return value
  }

  fileprivate static func isNegative(_ text: String) -> Bool { text.utf8.first == .minus }

  /// `magnitude` with the sign of `text`; nil where it does not fit.
  private static func signed(_ magnitude: UInt128, in text: String) -> Int64? {
    guard let number = Int128(exactly: magnitude) else { return nil }
    return Int64(exactly: isNegative(text) ? -number : number)
  }

  private static let examples = "write 90s, 1:30, 250ms, 1001/30000s or 44100 samples"

  /// Reads `body`, which is `text` without its sign.
  private static func readNumber(
    _ body: Bytes, in text: String
  ) throws(TimeTextError) -> TimeText {
    if body.contains(.colon) { return .time(try clock(body, in: text)) }
    let number = body.prefix { $0.isDigit || $0 == .point || $0 == .slash }
    let unit = body[number.endIndex...].drop { $0 == .space }
    guard !number.isEmpty, body.first != .point, !unit.contains(where: \.isDigit) || unit.isEmpty
    else {
      throw compound(body, in: text)
    }
    if number.contains(.slash) { return .time(try ratio(number, unit: unit, in: text)) }
    if unit.isEmpty {
      _ = try Decimal(number, in: text)
      throw TimeTextError("'\(text)' has no unit: write \(text)s")
    }
    guard let word = Unit(unit) else {
      if let meant = Unit(synonym: string(unit)) {
        let space = meant == .samples ? " " : ""
        throw TimeTextError(
          "'\(text)' has no unit that is known: write \(string(number))\(space)\(meant.rawValue)"
        )
      }
      throw TimeTextError("'\(text)' is no time: \(examples)")
    }
    let decimal = try Decimal(number, in: text)
    guard word == .samples else {
      return .time(try decimal.time(times: word.seconds, in: text))
    }
    guard decimal.denominator == 1 else {
      throw TimeTextError("'\(text)' is no whole number of samples")
    }
    guard let count = signed(decimal.numerator, in: text) else { throw tooLong(text) }
    return .frames(count)
  }

  /// `M:SS` or `H:MM:SS`, either with decimals.
  private static func clock(_ body: Bytes, in text: String) throws(TimeTextError) -> Time {
    let fields = body.split(separator: .colon, omittingEmptySubsequences: false)
    guard fields.count <= 3, let last = fields.last,
      fields.dropLast().allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }), !last.isEmpty
    else { throw TimeTextError("'\(text)' is no time: write 1:30 or 1:02:03.25") }
    var total = Decimal.zero
    var isProper = true
    for (index, field) in fields.enumerated() {
      let decimal = try Decimal(field, in: text)
      let width = field.prefix(while: \.isDigit).count
      if index > 0, width != 2 || decimal.numerator >= 60 * decimal.denominator { isProper = false }
      guard let sum = total.shifted(by: decimal) else { throw tooLong(text) }
      total = sum
    }
    let time = try total.time(times: (1, 1), in: text)
    guard isProper else {
      throw TimeTextError("'\(text)' needs two digits below 60 after each colon: write \(time)")
    }
    return time
  }

  /// `1001/30000s`.
  private static func ratio(
    _ number: Bytes, unit: Bytes, in text: String
  ) throws(TimeTextError) -> Time {
    let parts = number.split(separator: .slash, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }) else {
      throw TimeTextError(
        "'\(text)' is no time: a fraction is two whole numbers, as in 1001/30000s")
    }
    guard unit.elementsEqual("s".utf8) else {
      throw TimeTextError("'\(text)' is a fraction without seconds: write \(string(number))s")
    }
    guard let numerator: UInt64 = natural(parts[0]), let denominator: UInt64 = natural(parts[1])
    else { throw tooLong(text) }
    guard denominator != 0 else { throw TimeTextError("'\(text)' divides by zero") }
    if let value = signed(UInt128(numerator), in: text), let timescale = Int32(exactly: denominator)
    {
      return Time(value: value, timescale: timescale)
    }
    let decimal = Decimal(numerator: UInt128(numerator), denominator: UInt128(denominator))
    return try decimal.time(times: (1, 1), in: text)
  }

  private static func string(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The number that digits write; nil where it is too large.
  fileprivate static func natural<Number: FixedWidthInteger & UnsignedInteger>(
    _ digits: Bytes
  ) -> Number? {
    var number: Number = 0
    for digit in digits {
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflow2) = product.addingReportingOverflow(Number(digit - .digitZero))
      guard !overflow, !overflow2 else { return nil }
      number = sum
    }
    return number
  }

  /// What to say to `1h30m` and to everything that is no time at all.
  private static func compound(_ body: Bytes, in text: String) -> TimeTextError {
    var seconds: UInt64 = 0
    var rest = body
    while !rest.isEmpty {
      let digits = rest.prefix(while: \.isDigit)
      let letters = rest[digits.endIndex...].drop { $0 == .space }
        .prefix { !$0.isDigit && $0 != .space }
      let factor: UInt64? = ["h": 3600, "m": 60, "s": 1][string(letters)]
      guard let factor, !digits.isEmpty, let count: UInt64 = natural(digits), count < 1 << 32
      else {
        return TimeTextError("'\(text)' is no time: \(examples)")
      }
      seconds += count * factor
      rest = rest[letters.endIndex...].drop { $0 == .space }
    }
    let sign = isNegative(text) ? "-" : ""
    return TimeTextError(
      "'\(text)' has several units: write \(sign)\(clockDigits(seconds: seconds))")
  }

  fileprivate static func tooLong(_ text: String) -> TimeTextError {
    TimeTextError("'\(text)' is more than a time can hold")
  }
}

/// Units of the grammar, and how long they are.
private enum Unit: String, CaseIterable {
  case milliseconds = "ms"
  case seconds = "s"
  case minutes = "m"
  case hours = "h"
  case samples

  init?(_ text: TimeReader.Bytes) {
    if let unit = Self.allCases.first(where: { text.elementsEqual($0.rawValue.utf8) }) {
      self = unit
    } else if text.elementsEqual("sample".utf8) {
      self = .samples
    } else {
      return nil
    }
  }

  /// The unit that a word of other programs means.
  init?(synonym text: String) {
    switch text.lowercased() {
    case "msec", "msecs", "millisecond", "milliseconds", "ms": self = .milliseconds
    case "sec", "secs", "second", "seconds", "s": self = .seconds
    case "min", "mins", "minute", "minutes", "m": self = .minutes
    case "hr", "hrs", "hour", "hours", "h": self = .hours
    case "smp", "smpl", "frame", "frames", "sample", "samples": self = .samples
    default: return nil
    }
  }

  var seconds: (UInt128, UInt128) {
    switch self {
    case .milliseconds: (1, 1000)
    case .seconds, .samples: (1, 1)
    case .minutes: (60, 1)
    case .hours: (3600, 1)
    }
  }
}

/// A decimal fraction as the rational that it spells.
private struct Decimal {
  var numerator: UInt128
  /// A power of ten in lowest terms, at most 2⁶³.
  var denominator: UInt128

  static let zero = Decimal(numerator: 0, denominator: 1)

  init(numerator: UInt128, denominator: UInt128) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Reads `12`, `1.25`.
  init(_ text: TimeReader.Bytes, in written: String) throws(TimeTextError) {
    let whole = text.prefix(while: \.isDigit)
    let point = text[whole.endIndex...]
    var fraction = point.dropFirst()
    guard !whole.isEmpty, point.isEmpty || point.first == .point && !fraction.isEmpty,
      fraction.allSatisfy(\.isDigit)
    else { throw TimeTextError("'\(written)' is no time: a number is written 12 or 1.25") }
    while fraction.last == .digitZero { fraction.removeLast() }
    guard let integer: UInt64 = TimeReader.natural(whole) else {
      throw TimeReader.tooLong(written)
    }
    guard let digits: UInt128 = TimeReader.natural(fraction), fraction.count <= 38 else {
      throw Decimal.tooFine(written)
    }
    let scale = (0..<fraction.count).reduce(UInt128(1)) { scale, _ in scale * 10 }
    let divisor = greatestCommonDivisor(scale, digits)
    denominator = scale / divisor
    guard denominator < 1 << 63 else { throw Decimal.tooFine(written) }
    numerator = UInt128(integer) * denominator + digits / divisor
  }

  /// `self · 60 + next`, as the fields of a clock are added up; nil if too large.
  func shifted(by next: Decimal) -> Decimal? {
    let (sixty, overflow) = numerator.multipliedReportingOverflow(by: 60 * next.denominator)
    let (sum, overflow2) = sixty.addingReportingOverflow(next.numerator)
    return overflow || overflow2 ? nil : Decimal(numerator: sum, denominator: next.denominator)
  }

  /// The time of `self` units that last `seconds`, exactly, with the sign of `text`.
  func time(
    times seconds: (UInt128, UInt128), in text: String
  ) throws(TimeTextError) -> Time {
    let (product, overflow) = numerator.multipliedReportingOverflow(by: seconds.0)
    guard !overflow else { throw TimeReader.tooLong(text) }
    let time = Time(
      Fraction(product, over: denominator * seconds.1),
      isNegative: TimeReader.isNegative(text), timescale: 1, roundingTimescale: 1, flags: .valid)
    guard time.isNumeric else { throw TimeReader.tooLong(text) }
    guard !time.hasBeenRounded else { throw Decimal.tooFine(text) }
    return time
  }

  private static func tooFine(_ text: String) -> TimeTextError {
    TimeTextError("'\(text)' is finer than a time can hold: nine decimals of a second at most")
  }
}

extension UInt8 {
  fileprivate static let space = UInt8(ascii: " ")
  fileprivate static let minus = UInt8(ascii: "-")
  fileprivate static let point = UInt8(ascii: ".")
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let colon = UInt8(ascii: ":")
  fileprivate static let digitZero = UInt8(ascii: "0")

  fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}
