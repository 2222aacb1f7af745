/// A timecode: a name for each picture, which counts in seconds (SMPTE ST 12-1).
///
/// At 29.97 and 59.94 pictures a second a plain timecode falls behind the clock by 3.6 s an hour. A
/// drop-frame timecode leaves out the first two, or four, numbers of each minute but every tenth.
package struct Timecode: Sendable, Hashable {
  /// 0 … 23.
  package var hours: Int
  /// 0 … 59.
  package var minutes: Int
  /// 0 … 59.
  package var seconds: Int
  /// Pictures since the second began.
  package var frames: Int
  /// Whether numbers are left out, so that it keeps to the clock.
  package var isDropFrame: Bool

  /// Reads `01:02:03:04`, or with drop-frame `01:02:03;04`; nil for anything else.
  package init?(_ text: some StringProtocol) {
    let fields = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    let numbers = fields.compactMap { field in
      (1...3).contains(field.utf8.count) && field.utf8.allSatisfy { (0x30...0x39).contains($0) }
        ? Int(field) : nil
    }
    let signs = String(text.filter { $0 == ":" || $0 == ";" })
    guard fields.count == 4, numbers.count == 4, signs == ":::" || signs == "::;",
      numbers[0] < 24, numbers[1] < 60, numbers[2] < 60, fields[0].utf8.count <= 2,
      fields[1].utf8.count == 2, fields[2].utf8.count == 2, fields[3].utf8.count >= 2
    else { return nil }
    (hours, minutes, seconds, frames) = (numbers[0], numbers[1], numbers[2], numbers[3])
    isDropFrame = signs.last == ";"
  }

  /// Reads one as files have it, of which some write drop-frame as `01:02:03.04`.
  package init?(stored text: String) {
    self.init(String(text.map { $0 == "." ? ";" : $0 }))
  }

  /// That of a picture by its number, counted from that of 00:00:00:00; behind midnight it begins anew.
  ///
  /// - Returns: nil at a rate that has none.
  package init?(number: Int64, at rate: PictureRate, isDropFrame: Bool) {
    guard let nominal = rate.nominal.map(Int64.init), !isDropFrame || rate.dropped != nil else {
      return nil
    }
    let day = rate.day(isDropFrame: isDropFrame)
    var number = number % day
    if number < 0 { number += day }
    if isDropFrame, let dropped = rate.dropped.map(Int64.init) {
      let (tens, rest) = number.quotientAndRemainder(dividingBy: nominal * 600 - 9 * dropped)
      // The first minute of ten has all its numbers.
      let minutes = max(0, rest - nominal * 60) / (nominal * 60 - dropped)
      let isPastFirst = rest >= nominal * 60
      number += dropped * (9 * tens + (isPastFirst ? minutes + 1 : 0))
    }
    let total = number / nominal
    (hours, minutes) = (Int(total / 3600), Int(total / 60 % 60))
    (seconds, frames) = (Int(total % 60), Int(number % nominal))
    self.isDropFrame = isDropFrame
  }

  /// The number of its picture, counted from that of 00:00:00:00, without those that drop-frame leaves
  /// out; nil where no picture has it at this rate.
  package func number(at rate: PictureRate) -> Int64? {
    guard let nominal = rate.nominal, frames < nominal else { return nil }
    let seconds = Int64((hours * 60 + minutes) * 60 + seconds)
    let number = seconds * Int64(nominal) + Int64(frames)
    guard isDropFrame else { return number }
    guard let dropped = rate.dropped,
      self.seconds > 0 || self.minutes % 10 == 0 || frames >= dropped
    else { return nil }
    let minutes = hours * 60 + minutes
    return number - Int64(dropped * (minutes - minutes / 10))
  }
}

/// How many pictures a second are shown, of which all last equally long.
package struct PictureRate: Sendable, Hashable, CustomStringConvertible {
  /// The fraction of them: positive.
  private let numerator: Int128
  private let denominator: Int128

  /// That of pictures which last so long.
  package init(_ duration: Time) {
    numerator = Int128(max(1, duration.timescale))
    denominator = Int128(max(1, duration.value))
  }

  /// The whole number by which timecodes count; nil where it is none, and none of NTSC's, which are
  /// slower by a thousandth.
  package var nominal: Int? {
    let whole = (2 * numerator + denominator) / (2 * denominator)
    guard (1...999).contains(whole), abs(numerator - whole * denominator) * 500 <= numerator else {
      return nil
    }
    return Int(whole)
  }

  /// How many numbers drop-frame leaves out in most minutes; nil where the rate has no drop-frame.
  package var dropped: Int? {
    guard let nominal, numerator < Int128(nominal) * denominator else { return nil }
    return nominal == 30 ? 2 : nominal == 60 ? 4 : nil
  }

  /// How many pictures begin in so long a time, to the nearest, of two that are as near the later one.
  package func count(in time: Time) -> Int64 {
    let pictures = Int128(time.value) * numerator
    let unit = Int128(time.timescale) * denominator
    guard unit > 0 else { return 0 }
    let (quotient, remainder) = (2 * pictures + unit).quotientAndRemainder(dividingBy: 2 * unit)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  /// Pictures between the two midnights of one day of timecodes.
  package func day(isDropFrame: Bool) -> Int64 {
    let left = isDropFrame ? (dropped ?? 0) * (24 * 60 - 24 * 6) : 0
    return Int64(24 * 60 * 60 * (nominal ?? 0) - left)
  }

  /// `25`, `23.976`.
  package var description: String {
    let thousandths = Int((2000 * numerator + denominator) / (2 * denominator))
    let digits = "\(thousandths % 1000 + 1000)".dropFirst()
    let fraction = digits.reversed().drop { $0 == "0" }.reversed()
    return "\(thousandths / 1000)" + (fraction.isEmpty ? "" : "." + String(fraction))
  }
}

extension Timecode: CustomStringConvertible {
  /// As it is read.
  package var description: String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return [hours, minutes, seconds].map(digits).joined(separator: ":")
      + (isDropFrame ? ";" : ":") + digits(frames)
  }
}
