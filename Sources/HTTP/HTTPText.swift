/// Parts of heads, byte by byte, from servers that are not trusted.
enum HTTPText {
  /// At most 200 bytes of a text, with `?` for each byte that is not printable ASCII.
  static func printable(_ bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: bytes.prefix(200).map { isPrintable($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  /// Whether a byte is ASCII from the space to `~`.
  static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

  /// The number of a text of digits; nil for an empty text, other bytes, and 2⁶³ or more.
  static func number(_ text: some Collection<UInt8>) -> Int64? {
    isDigits(text) ? Int64(String(decoding: text, as: UTF8.self)) : nil
  }

  /// The number of a text of digits, or the greatest one on overflow (RFC 9111, 1.2.2).
  static func seconds(_ text: some Collection<UInt8>) -> Int? {
    isDigits(text) ? number(text).map { Int($0) } ?? Int.max : nil
  }

  private static func isDigits(_ text: some Collection<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The text without spaces and tabs at its ends (RFC 9110, 5.6.3).
  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = text.firstIndex { !isBlank($0) } ?? text.endIndex
    let end = text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return text[start..<end]
  }

  /// Whether a byte is a space or a tab.
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The text with small letters of ASCII.
  static func lowercased(_ text: some Sequence<UInt8>) -> String {
    String(decoding: text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether a field may have a text as its value: printable ASCII, without line breaks.
  static func isSendable(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 1024 && text.utf8.allSatisfy(isPrintable)
  }
}
