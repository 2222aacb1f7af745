import MediaTime

/// One of the pictures of a source: the moment at which it is first shown.
public enum PicturePlace: Sendable, Hashable {
  /// By its number; the first picture is 0.
  case number(Int64)
  /// By its timecode.
  case timecode(Timecode)
}

/// A timecode: a name for each picture, which counts in seconds (SMPTE ST 12-1).
///
/// At 29.97 and 59.94 pictures a second a plain timecode falls behind the clock by 3.6 s an hour. A
/// drop-frame timecode leaves out the first two, or four, numbers of each minute but every tenth.
public struct Timecode: Sendable, Hashable {
  /// 0 … 23.
  public var hours: Int
  /// 0 … 59.
  public var minutes: Int
  /// 0 … 59.
  public var seconds: Int
  /// Pictures since the second began.
  public var frames: Int
  /// Whether numbers are left out, so that it keeps to the clock.
  public var isDropFrame: Bool

  /// Reads `01:02:03:04`, or with drop-frame `01:02:03;04`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let fields = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    let numbers = fields.compactMap {
      (1...3).contains($0.utf8.count) ? Quantity.count("\($0)") : nil
    }
    let signs = String(text.filter { $0 == ":" || $0 == ";" })
    guard fields.count == 4, numbers.count == 4, signs == ":::" || signs == "::;",
      numbers[0] < 24, numbers[1] < 60, numbers[2] < 60, fields[0].utf8.count <= 2,
      fields[1].utf8.count == 2, fields[2].utf8.count == 2, fields[3].utf8.count >= 2
    else { return nil }
    (hours, minutes, seconds, frames) = (numbers[0], numbers[1], numbers[2], numbers[3])
    isDropFrame = signs.last == ";"
  }

  /// The number of its picture, counted from that of 00:00:00:00.
  ///
  /// - Parameter duration: How long each picture is shown.
  /// - Returns: The number, without those that drop-frame leaves out.
  /// - Throws: Why no picture has it at this rate.
  func number(lasting duration: Time) throws(QuantityError) -> Int64 {
    let rate = PictureRate(duration)
    guard let nominal = rate.nominal else {
      throw QuantityError(
        "'\(self)' is no timecode of \(rate) pictures a second",
        help: "timecodes are of 24, 25, 30, 50 or 60, and of 23.976, 29.97 or 59.94")
    }
    guard frames < nominal else {
      throw QuantityError(
        "'\(self)' is no timecode of \(rate) pictures a second",
        help: "the last number goes to \(nominal - 1)")
    }
    let seconds = Int64((hours * 60 + minutes) * 60 + seconds)
    let number = seconds * Int64(nominal) + Int64(frames)
    guard isDropFrame else { return number }
    guard let dropped = rate.dropped else {
      throw QuantityError(
        "'\(self)' is a drop-frame timecode, which \(rate) pictures a second do not have",
        help: "write '\(withOtherSign)'")
    }
    let minutes = hours * 60 + minutes
    guard self.seconds > 0 || self.minutes % 10 == 0 || frames >= dropped else {
      throw QuantityError(
        "'\(self)' is left out of drop-frame timecodes",
        help: "this minute begins at '\("\(self)".dropLast(2))0\(dropped)'")
    }
    return number - Int64(dropped * (minutes - minutes / 10))
  }

  /// The same digits with drop-frame or, of one, without it.
  var withOtherSign: Timecode {
    var other = self
    other.isDropFrame.toggle()
    return other
  }

  /// Pictures between the two midnights of one day.
  static func day(lasting duration: Time, isDropFrame: Bool) -> Int64 {
    let rate = PictureRate(duration)
    let dropped = isDropFrame ? (rate.dropped ?? 0) * (24 * 60 - 24 * 6) : 0
    return Int64(24 * 60 * 60 * (rate.nominal ?? 0) - dropped)
  }
}

/// How many pictures a second are shown.
private struct PictureRate: CustomStringConvertible {
  /// The fraction of them: positive.
  let numerator: Int128
  let denominator: Int128

  init(_ duration: Time) {
    numerator = Int128(max(1, duration.timescale))
    denominator = Int128(max(1, duration.value))
  }

  /// The whole number by which timecodes count; nil where it is none, and none of NTSC's, which are
  /// slower by a thousandth.
  var nominal: Int? {
    let whole = (2 * numerator + denominator) / (2 * denominator)
    guard (1...999).contains(whole), abs(numerator - whole * denominator) * 500 <= numerator else {
      return nil
    }
    return Int(whole)
  }

  /// How many numbers drop-frame leaves out in most minutes; nil where the rate has no drop-frame.
  var dropped: Int? {
    guard let nominal, numerator < Int128(nominal) * denominator else { return nil }
    return nominal == 30 ? 2 : nominal == 60 ? 4 : nil
  }

  /// `25`, `23.976`.
  var description: String {
    let thousandths = Int((2000 * numerator + denominator) / (2 * denominator))
    let digits = "\(thousandths % 1000 + 1000)".dropFirst()
    let fraction = digits.reversed().drop { $0 == "0" }.reversed()
    return "\(thousandths / 1000)" + (fraction.isEmpty ? "" : "." + String(fraction))
  }
}

extension PicturePlace {
  /// Reads `frame 1234`, `01:02:03:04` and `01:02:03;04`; nil for what looks like none of these.
  init?(parsing text: String) throws(QuantityError) {
    let bytes = text.utf8
    if text.hasPrefix("frame") {
      let digits = bytes.dropFirst(5).drop { $0 == UInt8(ascii: " ") }
      guard let first = digits.first, "0123456789-+".utf8.contains(first) else { return nil }
      guard let number = Quantity.count("\(Substring(digits))"), number <= Int(Int32.max) else {
        throw QuantityError(
          "'\(text)' is no picture", help: "write 'frame 1234': they are counted from 0 on")
      }
      self = .number(Int64(number))
      return
    }
    let separators = bytes.count { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
    guard separators == 3, bytes.first.map({ (0x30...0x39).contains($0) }) == true else {
      return nil
    }
    guard let timecode = Timecode(text) else {
      throw QuantityError(
        "'\(text)' is no timecode",
        help: "write hours, minutes, seconds and pictures, as '00:01:02:15', and with drop-frame "
          + "'00:01:02;15'")
    }
    self = .timecode(timecode)
  }
}

extension PicturePlace: CustomStringConvertible {
  /// In the language of job files.
  public var description: String {
    switch self {
    case .number(let number): "frame \(number)"
    case .timecode(let timecode): "\(timecode)"
    }
  }
}

extension Timecode: CustomStringConvertible {
  /// As it is read.
  public var description: String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return [hours, minutes, seconds].map(digits).joined(separator: ":")
      + (isDropFrame ? ";" : ":") + digits(frames)
  }
}
