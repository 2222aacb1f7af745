extension EightBitText {
  /// The text of a file: UTF-8 and UTF-16 with a byte-order mark, UTF-8 without, and what is neither
  /// as Windows-1252.
  ///
  /// - Returns: The text without its mark, and whether its encoding had to be guessed. O(n)
  package static func decoded(file bytes: [UInt8]) -> (text: String, isGuessed: Bool) {
    if bytes.starts(with: [0xFF, 0xFE]) { return (utf16(bytes.dropFirst(2), isBig: false), false) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (utf16(bytes.dropFirst(2), isBig: true), false) }
    return decoded(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
  }

  /// A text in UTF-16 without a byte-order mark; of half a code unit at its end nothing is left. O(n)
  package static func utf16(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> String {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      UInt16(bytes[isBig ? index + 1 : index]) | UInt16(bytes[isBig ? index : index + 1]) << 8
    }
    return String(decoding: units, as: UTF16.self)
  }
}
