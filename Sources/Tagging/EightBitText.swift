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
}
