import Diagnosis
import MediaTime

/// A line of times, `00:01.000 --> 00:02.500 line:0`, of WebVTT or SRT.
struct CueTimes {
  var start: Time
  var end: Time
  /// What stands behind the times.
  var settings: Range<Int>
  /// Whether WebVTT would read both times as well.
  var isStrict: Bool

  /// Whether `line` is one, with times that are right or wrong: a text may have an arrow, too.
  static func isAt(_ line: Range<Int>, in text: TranscriptText) -> Bool { isAt(text.bytes[line]) }

  static func isAt(_ line: ArraySlice<UInt8>) -> Bool {
    guard let arrow = line.arrow else { return false }
    return isTime(line[..<arrow.lowerBound].trimmed)
      && isTime(firstWord(of: line[arrow.upperBound...].trimmed))
  }

  /// Whether `line` has two times around an arrow that is not `-->`, as `->`, `–>` or `→`, which no reader
  /// takes for one.
  ///
  /// - Parameters:
  ///   - line: A line of a file of cues.
  ///   - needDecimals: Whether both have decimals: a text may have `10:30 → 11:45`.
  /// - Returns: Whether times that were meant stand there.
  static func haveOtherArrow(_ line: ArraySlice<UInt8>, needDecimals: Bool) -> Bool {
    let line = line.trimmed
    let first = line.prefix { $0.isDigit || ":.,".utf8.contains($0) }
    guard isTime(first), !isAt(line) else { return false }
    let rest = line[first.endIndex...]
    let arrow = rest.prefix { !$0.isDigit }
    let second = firstWord(of: rest[arrow.endIndex...])
    guard isTime(second), !needDecimals || [first, second].allSatisfy(hasDecimals) else {
      return false
    }
    let signs = String(decoding: arrow, as: UTF8.self).replacingScalars("&gt;", with: ">")
      .unicodeScalars
    return signs.contains(where: isArrowHead) && !signs.contains(where: \.properties.isAlphabetic)
  }

  private static func hasDecimals(_ time: ArraySlice<UInt8>) -> Bool {
    time.contains { ".,".utf8.contains($0) }
  }

  /// `>`, quotes that look like it, and arrows (Unicode Standard, Blocks.txt).
  private static func isArrowHead(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3E, 0xBB, 0x203A, 0xFF1E, 0x2190...0x21FF, 0x2794...0x27BF, 0x27F0...0x27FF,
      0x2900...0x297F, 0x2B00...0x2BFF:
      true
    default: false
    }
  }

  /// Reports a line of times with another arrow.
  static func refuseOtherArrow(at line: Range<Int>, help: String, in text: inout TranscriptText) {
    text.error("the arrow between the times is not '-->'", at: line, help: help)
  }

  private static func isTime(_ word: ArraySlice<UInt8>) -> Bool {
    word.contains(UInt8(ascii: ":")) && word.contains(where: \.isDigit)
      && word.allSatisfy { $0.isDigit || ":.,-".utf8.contains($0) }
  }

  private static func firstWord(of rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    rest.prefix { !$0.isBlank }
  }

  /// Reads `line`, which is one.
  ///
  /// - Returns: nil if a time is wrong, which has been reported.
  static func read(
    _ line: Range<Int>, mark: Unicode.Scalar, in text: inout TranscriptText
  ) -> CueTimes? {
    guard let arrow = text.bytes[line].arrow else { return nil }
    let before = text.trimmed(line.lowerBound..<arrow.lowerBound)
    let rest = text.trimmed(arrow.upperBound..<line.upperBound)
    let behind = firstWord(of: text.bytes[rest]).indices
    guard let start = time(before, mark: mark, in: &text),
      let end = time(behind, mark: mark, in: &text)
    else { return nil }
    return CueTimes(
      start: start.time, end: end.time,
      settings: text.trimmed(behind.upperBound..<rest.upperBound),
      isStrict: start.isStrict && end.isStrict)
  }

  private static func time(
    _ range: Range<Int>, mark: Unicode.Scalar, in text: inout TranscriptText
  ) -> (time: Time, isStrict: Bool)? {
    do throws(CaptionTime.Fault) {
      return try CaptionTime.clock(text.bytes[range], mark: mark)
    } catch {
      text.error("'\(text.quoted(range))' \(error.message)", at: range, help: error.help)
      return nil
    }
  }
}
