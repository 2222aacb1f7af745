import Diagnosis
import MediaTime

/// Times as transcripts write them, read without loss and without a Double.
package enum CaptionTime {
  /// Why a text is no time: the fault and the remedy.
  package struct Fault: Error {
    var message: String
    var help: String
  }

  /// Longer than any recording: a million hours.
  static let limit = Time(value: 3_600_000_000, timescale: 1)

  static let tooLate = Fault(
    message: "is later than a million hours",
    help: "times count in seconds from the start of the recording")

  /// A clock of WebVTT or of SRT, `[hh:]mm:ss.mmm`, with a dot or a comma, and perhaps without zeros
  /// in front.
  ///
  /// - Returns: The time, and whether WebVTT would read it as well (WebVTT, 4.4).
  package static func clock(
    _ text: ArraySlice<UInt8>, mark usual: Unicode.Scalar
  ) throws(Fault) -> (time: Time, isStrict: Bool) {
    if let time = usualClock(text) { return time }
    let example = "00:01:02\(usual)500"
    guard text.first != .minus else {
      throw Fault(
        message: "is before the start of the recording", help: "times count from 0 on")
    }
    let fields = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let last = fields[fields.count - 1]
    let mark = last.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
    let decimals = mark.map { last[($0 + 1)...] } ?? []
    let parts = Array(fields.dropLast()) + [mark.map { last[..<$0] } ?? last]
    guard 2...3 ~= parts.count, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }),
      decimals.allSatisfy(\.isDigit)
    else { throw Fault(message: "is no time", help: "write it as \(example)") }
    guard decimals.count == 3 else {
      let count = decimals.isEmpty ? "no" : "\(decimals.count)"
      throw Fault(
        message: "has \(count) decimal\(decimals.count == 1 ? "" : "s") and not three",
        help: "readers differ over such times: write three, as in \(example)")
    }
    var milliseconds: Int64 = 0
    for (index, part) in parts.enumerated() {
      guard let number = Int64(String(decoding: part, as: UTF8.self)), number < 1_000_000_000 else {
        throw tooLate
      }
      guard index == 0 && parts.count == 3 || number < 60 else {
        throw Fault(
          message: "has \(number) \(index == parts.count - 1 ? "seconds" : "minutes")",
          help: "minutes and seconds end at 59, as in \(example)")
      }
      milliseconds = milliseconds * 60 + number
    }
    milliseconds *= 1000
    milliseconds += Int64(String(decoding: decimals, as: UTF8.self)) ?? 0
    let time = Time(value: milliseconds, timescale: 1000)
    guard time <= limit else { throw tooLate }
    let isStrict =
      mark.map { last[$0] == UInt8(ascii: ".") } == true
      && parts.suffix(2).allSatisfy { $0.count == 2 }
    return (time, isStrict)
  }

  /// A clock as nearly all files have it: of two digits each and three decimals, with hours below a million
  /// or without. nil: another spelling, or no time.
  private static func usualClock(_ text: ArraySlice<UInt8>) -> (time: Time, isStrict: Bool)? {
    let hours = text.dropLast(9)
    let rest = text[hours.endIndex...]
    guard rest.count == 9 else { return nil }
    let start = rest.startIndex
    let mark = rest[start + 5]
    guard rest[start + 2] == UInt8(ascii: ":"),
      mark == UInt8(ascii: ".") || mark == UInt8(ascii: ","),
      let minute = number(rest[start..<start + 2]), minute < 60,
      let second = number(rest[start + 3..<start + 5]), second < 60,
      let milliseconds = number(rest[(start + 6)...])
    else { return nil }
    var hour: Int64 = 0
    if !hours.isEmpty {
      guard hours.last == UInt8(ascii: ":"), 2...7 ~= hours.count,
        let number = number(hours.dropLast())
      else { return nil }
      hour = number
    }
    let value = ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds
    return (Time(value: value, timescale: 1000), mark == UInt8(ascii: "."))
  }

  /// Of few digits; nil where others are among them.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var number: Int64 = 0
    for digit in digits {
      guard digit.isDigit else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return number
  }

  /// A number of seconds, perhaps with decimals and an exponent: the rational that it spells, to the
  /// nanosecond.
  static func seconds(_ text: ArraySlice<UInt8>) throws(Fault) -> Time {
    try decimal(text, unit: 0)
  }

  /// A number of milliseconds, as `seconds(_:)`.
  static func milliseconds(_ text: ArraySlice<UInt8>) throws(Fault) -> Time {
    try decimal(text, unit: -3)
  }

  /// A number of `10^unit` seconds.
  private static func decimal(_ text: ArraySlice<UInt8>, unit: Int) throws(Fault) -> Time {
    let noNumber = Fault(
      message: "is no number of \(unit == 0 ? "seconds" : "milliseconds")",
      help: "write it as \(unit == 0 ? "12.5" : "12500")")
    var rest = text
    let isNegative = rest.first == .minus
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let whole = rest.prefix(while: \.isDigit)
    rest = rest[whole.endIndex...]
    var fraction = rest.prefix(0)
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix(while: \.isDigit)
      rest = rest[fraction.endIndex...]
    }
    var exponent = unit
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      guard let power = Int(String(decoding: rest.dropFirst().prefix(8), as: UTF8.self)),
        rest.count <= 9
      else { throw noNumber }
      exponent += power
      rest = rest[rest.endIndex...]
    }
    guard rest.isEmpty, !(whole.isEmpty && fraction.isEmpty) else { throw noNumber }
    // All digits as one number, whose point stands behind `point` of them.
    let digits = (Array(whole) + fraction)
    let point = whole.count + exponent
    let first = digits.firstIndex { $0 != UInt8(ascii: "0") } ?? digits.count
    guard first < digits.count else { return .zero }
    guard !isNegative else {
      throw Fault(
        message: "is before the start of the recording", help: "times count from 0 on")
    }
    guard point - first <= 10 else { throw tooLate }
    let time = try time(digits, point: point)
    guard time <= limit else { throw tooLate }
    return time
  }

  /// `0.digits × 10^point` seconds, rounded half up to the nanosecond; below 10¹⁰.
  private static func time(_ digits: [UInt8], point: Int) throws(Fault) -> Time {
    var count: UInt64 = 0
    for place in 0..<max(0, point + 9) {
      let digit = digits.indices.contains(place) ? UInt64(digits[place] - UInt8(ascii: "0")) : 0
      count = count * 10 + digit
    }
    let next = point + 9
    if digits.indices.contains(next), digits[next] >= UInt8(ascii: "5") { count += 1 }
    guard let nanoseconds = Int64(exactly: count) else { throw tooLate }
    // One timescale for the times of a file, where that is possible: they are compared often.
    if nanoseconds % 1_000_000 == 0 { return Time(value: nanoseconds / 1_000_000, timescale: 1000) }
    return Time(value: nanoseconds, timescale: 1_000_000_000)
  }

  /// `01:02:03.500`: so many milliseconds, with hours always.
  package static func text(milliseconds: Int64, mark: UInt8) -> String {
    var text: [UInt8] = []
    append(milliseconds: milliseconds, mark: mark, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Adds `01:02:03.500`, as `text(milliseconds:mark:)`: `milliseconds` from 0 on, and a `mark` of ASCII.
  package static func append(milliseconds: Int64, mark: UInt8, to text: inout [UInt8]) {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
    let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    for (number, mark) in [(hours, UInt8(ascii: ":")), (minute, UInt8(ascii: ":")), (second, mark)]
    {
      append(number, from: 10, to: &text)
      text.append(mark)
    }
    append(rest, from: 100, to: &text)
  }

  /// Adds the digits of a number, the first of which counts `unit` or more.
  private static func append(_ number: Int64, from unit: Int64, to text: inout [UInt8]) {
    var unit = unit
    while number / unit >= 10 { unit *= 10 }
    while unit > 0 {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
      unit /= 10
    }
  }

  /// `time` in whole milliseconds, rounded half away from zero; not before 0.
  package static func milliseconds(_ time: Time) -> Int64 { max(0, time.frames(atRate: 1000)) }
}
