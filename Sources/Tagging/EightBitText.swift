/// Texts of formats that name no encoding, or whose writers did not keep to it: ID3v1, RIFF's INFO,
/// labels of cues, AIFF's text chunks, Nero's chapters, lists of times.
package enum EightBitText {
  /// UTF-8 where the bytes are valid UTF-8, and Windows-1252 where they are not.
  ///
  /// - Returns: The text, and whether its encoding had to be guessed. O(n)
  package static func decoded(
    _ bytes: some Collection<UInt8>
  ) -> (text: String, isGuessed: Bool) {
    if let text = String(validating: bytes, as: UTF8.self) { return (text, false) }
    return (windows1252(bytes), true)
  }

  /// A text in Windows-1252, of which ISO 8859-1 is a part, but for controls that no text has. O(n)
  package static func windows1252(_ bytes: some Sequence<UInt8>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: bytes.lazy.map(scalar))
    return String(view)
  }

  /// The bytes of a text in Windows-1252; nil where it has other characters. O(n)
  package static func bytes(inWindows1252 text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if let index = upper.firstIndex(of: scalar) {
        bytes.append(0x80 + UInt8(index))
      } else if let byte = UInt8(exactly: scalar.value), !(0x80...0x9F ~= byte) {
        bytes.append(byte)
      } else {
        return nil
      }
    }
    return bytes
  }

  /// A text in Mac Roman, but for controls that no text has. O(n)
  package static func macRoman(_ bytes: some Sequence<UInt8>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: bytes.lazy.map { $0 < 0x80 ? Unicode.Scalar($0) : mac[Int($0) - 0x80] })
    return String(view)
  }

  /// The WHATWG's Encoding Standard, index windows-1252.
  private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    return upper[Int(byte - 0x80)]
  }

  private static let upper: [Unicode.Scalar] = [
    "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
    "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
    "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
    "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
  ]

  /// Apple's ROMAN.TXT of Unicode's mappings, from 0x80 on.
  private static let mac = Array(
    """
    \u{C4}\u{C5}\u{C7}\u{C9}\u{D1}\u{D6}\u{DC}\u{E1}\u{E0}\u{E2}\u{E4}\u{E3}\
    \u{E5}\u{E7}\u{E9}\u{E8}\u{EA}\u{EB}\u{ED}\u{EC}\u{EE}\u{EF}\u{F1}\u{F3}\
    \u{F2}\u{F4}\u{F6}\u{F5}\u{FA}\u{F9}\u{FB}\u{FC}\u{2020}\u{B0}\u{A2}\u{A3}\
    \u{A7}\u{2022}\u{B6}\u{DF}\u{AE}\u{A9}\u{2122}\u{B4}\u{A8}\u{2260}\u{C6}\u{D8}\
    \u{221E}\u{B1}\u{2264}\u{2265}\u{A5}\u{B5}\u{2202}\u{2211}\u{220F}\u{3C0}\u{222B}\u{AA}\
    \u{BA}\u{3A9}\u{E6}\u{F8}\u{BF}\u{A1}\u{AC}\u{221A}\u{192}\u{2248}\u{2206}\u{AB}\
    \u{BB}\u{2026}\u{A0}\u{C0}\u{C3}\u{D5}\u{152}\u{153}\u{2013}\u{2014}\u{201C}\u{201D}\
    \u{2018}\u{2019}\u{F7}\u{25CA}\u{FF}\u{178}\u{2044}\u{20AC}\u{2039}\u{203A}\u{FB01}\u{FB02}\
    \u{2021}\u{B7}\u{201A}\u{201E}\u{2030}\u{C2}\u{CA}\u{C1}\u{CB}\u{C8}\u{CD}\u{CE}\
    \u{CF}\u{CC}\u{D3}\u{D4}\u{F8FF}\u{D2}\u{DA}\u{DB}\u{D9}\u{131}\u{2C6}\u{2DC}\
    \u{AF}\u{2D8}\u{2D9}\u{2DA}\u{B8}\u{2DD}\u{2DB}\u{2C7}
    """.unicodeScalars)
}
