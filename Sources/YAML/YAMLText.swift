import Diagnosis
import JobModel

/// Characters that are plain text in a job file and something else to libyaml: `*`, which begins an
/// alias in YAML and a pattern in job files, the line ends of YAML 1.1 that editors do not count (NEL,
/// LS, PS), and the pairs of escapes of JSON for one character (`\ud83d\ude00`; RFC 8259, 7).
///
/// They go through libyaml as private characters of plane 16, which no job file may hold, so that
/// reading continues after them and columns stay.
struct YAMLDisguise {
  /// U+100000 and above: a job file that holds one is refused before.
  static let first: UInt32 = 0x10_0000
  private static let plain: [Unicode.Scalar] = ["*", "\u{85}", "\u{2028}", "\u{2029}"]
  /// What the characters of a pair of escapes are added to: it is one only in double quotes.
  private static let firstOfPair: UInt32 = first + 0x100
  private static let pairLength = 12

  private let isNeeded: Bool

  /// - Complexity: O(length of `text`)
  init(of text: String) {
    // The bytes of most texts show that they need none.
    let isPlain = text.utf8.withBytes {
      $0.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "\\") }
    }
    isNeeded =
      !isPlain && text.unicodeScalars.contains { $0 == "\\" || Self.plain.contains($0) }
  }

  /// `text` as libyaml reads it.
  func applied(to text: String) -> String {
    guard isNeeded else { return text }
    var view = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    // Whether the next character is the one behind a backslash, if it is in double quotes.
    var isEscaped = false
    while let scalar = rest.first {
      if scalar == "\\", !isEscaped, Self.pair(rest.prefix(Self.pairLength)) != nil {
        for part in rest.prefix(Self.pairLength) {
          view.append(Unicode.Scalar(Self.firstOfPair + part.value) ?? part)
        }
        rest = rest.dropFirst(Self.pairLength)
        continue
      }
      isEscaped = scalar == "\\" && !isEscaped
      let other = Self.plain.firstIndex(of: scalar)
        .flatMap { Unicode.Scalar(Self.first + UInt32($0)) }
      view.append(other ?? scalar)
      rest = rest.dropFirst()
    }
    return String(view)
  }

  /// What libyaml read as `text`, as the file has it.
  func removed(from text: String, _ style: YAMLEvent.ScalarStyle) -> String {
    guard isNeeded, text.unicodeScalars.contains(where: { $0.value >= Self.first }) else {
      return text
    }
    var view = String.UnicodeScalarView()
    var pair = Substring.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let part = Self.part(of: scalar) {
        pair.append(part)
        guard pair.count == Self.pairLength else { continue }
        if style == .doubleQuoted, let character = Self.pair(pair) {
          view.append(character)
        } else {
          view.append(contentsOf: pair)
        }
        pair = Substring.UnicodeScalarView()
      } else {
        let index = Int(scalar.value) - Int(Self.first)
        view.append(Self.plain.indices.contains(index) ? Self.plain[index] : scalar)
      }
    }
    return String(view)
  }

  /// The character of a pair of escapes (RFC 2781, 2.2) that a character in private use stands for.
  private static func part(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    guard scalar.value >= firstOfPair, scalar.value < firstOfPair + 0x80 else { return nil }
    return Unicode.Scalar(scalar.value - firstOfPair)
  }

  /// The character that twelve others, as `\ud83d\ude00`, are the two halves of (RFC 2781, 2.2).
  private static func pair(_ written: Substring.UnicodeScalarView) -> Unicode.Scalar? {
    guard let high = half(written.prefix(6), within: 0xD800...0xDBFF),
      let low = half(written.dropFirst(6), within: 0xDC00...0xDFFF)
    else { return nil }
    return Unicode.Scalar(0x1_0000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  /// The number of an escape.
  private static func half(
    _ escape: Substring.UnicodeScalarView, within range: ClosedRange<UInt32>
  ) -> UInt32? {
    guard escape.count == 6, escape.starts(with: ["\\", "u"]) else { return nil }
    let digits = escape.dropFirst(2)
    guard digits.allSatisfy(\.properties.isASCIIHexDigit),
      let value = UInt32(Substring(digits), radix: 16), range.contains(value)
    else { return nil }
    return value
  }
}

// MARK: - Bytes

extension YAMLReader {
  /// Whatever comes between two nodes.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","), UInt8(ascii: ":"),
      UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "?"):
      true
    default: false
    }
  }

  /// `bytes` as text.
  ///
  /// - Throws: a diagnostic at the first byte that no job file may hold.
  static func validated(
    _ bytes: [UInt8], named name: String, into map: SourceMap,
    _ add: (String) -> SourceMap.Source
  ) throws(Diagnostics) -> String {
    guard !isUTF16(bytes) else {
      throw Diagnostics("'\(name)' is UTF-16", at: .unknown, help: "save it as UTF-8")
    }
    guard bytes.count(where: isSeparator) <= separatorLimit else {
      throw Diagnostics(
        "'\(name)' has more values than a job file can hold", at: .unknown,
        help: "move its jobs into several files, or let 'for_each' or 'rows' make them")
    }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard let text = String(validating: content, as: UTF8.self) else {
      let text = String(decoding: content, as: UTF8.self)
      throw refusal(
        of: text.unicodeScalars.firstIndex(of: "\u{FFFD}"), in: text, "not UTF-8", named: name, map,
        add,
        help: "save the file as UTF-8; 'iconv -f WINDOWS-1252 -t UTF-8' makes it of an old one")
    }
    let isPlain = content.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }
    if !isPlain, let bad = text.unicodeScalars.firstIndex(where: { !isAllowed($0) }) {
      let code = text.unicodeScalars[bad].value.digits(4, radix: 16)
      throw refusal(
        of: bad, in: text, "the character U+\(code) may not stand in a job file", named: name, map,
        add, help: "take it out")
    }
    return text
  }

  /// By its byte-order mark, or, as editors also write it, by the zeros of plain letters.
  private static func isUTF16(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    let start = bytes.prefix(64)
    let zeros = [0, 1].map { parity in start.indices.count { $0 % 2 == parity && start[$0] == 0 } }
    guard start.count >= 4, let high = zeros.max(), let low = zeros.min() else { return false }
    return low == 0 && high * 5 >= start.count * 2
  }

  private static func refusal(
    of index: String.Index?, in text: String, _ message: String, named name: String,
    _ map: SourceMap, _ add: (String) -> SourceMap.Source, help: String
  ) -> Diagnostics {
    let source = add(text)
    let before = text.unicodeScalars[..<(index ?? text.startIndex)]
    let line = SourceText(name: name, text: String(before)).lineCount
    let lineStart = before.lastIndex { $0 == "\n" || $0 == "\r" }.map(before.index(after:))
    let column = before.distance(from: lineStart ?? before.startIndex, to: before.endIndex) + 1
    return Diagnostics(
      message, at: map.origin(in: source, line: line, column: column, length: 1), help: help)
  }

  /// YAML 1.1's `c-printable` without plane 16's private use, which `YAMLDisguise` needs.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF: true
    case 0xFEFF: false
    case 0xE000...0xFFFD, 0x10000..<YAMLDisguise.first: true
    default: false
    }
  }
}
