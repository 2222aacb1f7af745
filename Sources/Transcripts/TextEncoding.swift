import Tagging

/// How the letters of a text file are coded, where that is said beside it.
public enum TextEncoding: String, Sendable, Hashable, Codable, CaseIterable {
  /// UTF-8; bytes that are none become U+FFFD.
  case utf8 = "utf-8"
  /// UTF-16 whose units begin with their lower byte.
  case utf16LittleEndian = "utf-16le"
  /// UTF-16 whose units begin with their higher byte.
  case utf16BigEndian = "utf-16be"
  /// The Latin-1 of old files.
  case windows1252 = "windows-1252"
  /// Mac Roman.
  case macintosh = "macintosh"

  /// The text of a file, without a byte-order mark. O(n)
  func text(_ bytes: [UInt8]) -> String {
    let text =
      switch self {
      case .utf8: String(decoding: bytes, as: UTF8.self)
      case .utf16LittleEndian: EightBitText.utf16(bytes[...], isBig: false)
      case .utf16BigEndian: EightBitText.utf16(bytes[...], isBig: true)
      case .windows1252: EightBitText.windows1252(bytes)
      case .macintosh: EightBitText.macRoman(bytes)
      }
    return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }
}
