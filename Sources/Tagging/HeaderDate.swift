/// The date in the header of a movie (`mvhd` of ISO 14496-12, 8.2.2; `DateUTC` of RFC 9559, 5.1.2),
/// FFmpeg's tag `creation_time`: cameras and phones store there when they recorded.
package struct HeaderDate: Sendable, Hashable {
  /// The tag's key.
  package static let key = "creation_time"

  /// In UTC, as `2024-05-06T07:08:09Z`, with the fraction of a second that it was given with.
  package let text: String

  /// A date of 1970 to 2039, which a header's 32 bits hold and FFmpeg reads as it is written; nil for
  /// anything else.
  ///
  /// - Parameter text: `2024-05-06`, or with a time, as `2024-05-06T07:08:09.5+02:00`; of the day its
  ///   start. Without a zone it is UTC: where the machine stands has no say.
  /// - Complexity: O(length)
  package init?(_ text: String) {
    var reader = DateReader(text)
    guard let year = reader.number(4, "-"), let month = reader.number(2, "-"),
      let day = reader.number(2, nil), 1970...2039 ~= year, 1...12 ~= month,
      1...Self.dayCount(ofMonth: month, in: year) ~= day
    else { return nil }
    var (hour, minute, second, fraction, offset) = (0, 0, 0, "", 0)
    if !reader.isAtEnd {
      guard reader.skip("T") || reader.skip("t") || reader.skip(" "),
        let hours = reader.number(2, ":"), let minutes = reader.number(2, nil),
        hours < 24, minutes < 60
      else { return nil }
      (hour, minute) = (hours, minutes)
      if reader.skip(":") {
        guard let seconds = reader.number(2, nil), seconds < 60 else { return nil }
        second = seconds
        if reader.skip(".") {
          guard let digits = reader.digits() else { return nil }
          fraction = digits
        }
      }
      guard let minutes = reader.offset(), reader.isAtEnd else { return nil }
      offset = minutes
    }
    let minutes = (Self.day(year, month, day) * 24 + hour) * 60 + minute - offset
    guard minutes >= 0, let text = Self.text(minutes, second, fraction) else { return nil }
    self.text = text
  }

  private static func text(_ minutes: Int, _ second: Int, _ fraction: String) -> String? {
    let (days, rest) = minutes.quotientAndRemainder(dividingBy: 24 * 60)
    var (year, month, day) = (1970, 1, days + 1)
    while day > dayCount(ofMonth: month, in: year) {
      day -= dayCount(ofMonth: month, in: year)
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
    }
    // A clock that was never set.
    guard year < 2040, minutes > 0 || second > 0 else { return nil }
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    var digits = fraction.prefix(9)
    while digits.last == "0" { digits.removeLast() }
    return "\(year)-\(two(month))-\(two(day))T\(two(rest / 60)):\(two(rest % 60)):\(two(second))"
      + (digits.isEmpty ? "" : "." + digits) + "Z"
  }

  /// Days from 1970 on.
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    (1970..<year).reduce(day - 1) { $0 + (isLeap($1) ? 366 : 365) }
      + (1..<month).reduce(0) { $0 + dayCount(ofMonth: $1, in: year) }
  }

  /// Of 1970 to 2040 every fourth year.
  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 }

  private static func dayCount(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// Reads a date from its start on.
private struct DateReader {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: sign) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// A number of so many digits, and a sign behind it.
  mutating func number(_ count: Int, _ sign: Unicode.Scalar?) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    rest = rest.dropFirst(count)
    if let sign, !skip(sign) { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Any digits; nil: none.
  mutating func digits() -> String? {
    let digits = rest.prefix { 0x30...0x39 ~= $0 }
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    return String(Substring(digits))
  }

  /// Minutes by which a zone is ahead of UTC, as `+02:00`, `-0730` or `Z`; 0 without one.
  mutating func offset() -> Int? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = number(2, nil), hours < 24 else { return nil }
    _ = skip(":")
    guard isAtEnd || rest.count == 2 else { return nil }
    guard let minutes = isAtEnd ? 0 : number(2, nil), minutes < 60 else { return nil }
    return (isAhead ? 1 : -1) * (hours * 60 + minutes)
  }
}
