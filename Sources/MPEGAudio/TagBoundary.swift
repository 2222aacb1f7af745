/// Where the tags around the frames end and start: ID3v2 and APE before them; ID3v1, which `TAG+` may
/// lengthen, Lyrics3, APE and an appended ID3v2 behind them. A tag whose size cannot be true is not skipped.
enum TagBoundary {
  /// The first byte from `start` on that belongs to no tag.
  static func start(in bytes: FileWindow, from start: Int = 0, end: Int) -> Int {
    var position = start
    while let next = endOfTag(in: bytes, at: position), next <= end { position = next }
    return position
  }

  /// The byte behind the last that belongs to no tag.
  static func end(in bytes: FileWindow) -> Int {
    var end = bytes.count
    while let start = startOfTag(in: bytes, endingAt: end) { end = start }
    return end
  }

  /// Where the tag that begins at `position` ends; nil where none begins.
  static func end(ofTagAt position: Int, in bytes: FileWindow) -> Int? {
    endOfTag(in: bytes, at: position)
  }

  /// Where the tag that ends at `end` begins; nil where none ends.
  static func start(ofTagEndingAt end: Int, in bytes: FileWindow) -> Int? {
    startOfTag(in: bytes, endingAt: end)
  }

  private static func endOfTag(in bytes: FileWindow, at position: Int) -> Int? {
    if let size = id3Size(in: bytes, at: position) {
      let hasFooter = bytes[position + 5] & 0x10 != 0
      return position + 10 + size + (hasFooter ? 10 : 0)
    }
    // APEv2: a header, then as many bytes as it says, its footer among them.
    if bytes.holds("APETAGEX", at: position), position + 32 <= bytes.count {
      return position + 32 + littleEndian32(bytes, at: position + 12)
    }
    return nil
  }

  private static func startOfTag(in bytes: FileWindow, endingAt end: Int) -> Int? {
    // Others may stand behind it.
    if bytes.holds("TAG", at: end - 128) { return end - 128 }
    if bytes.holds("TAG+", at: end - enhancedSize) { return end - enhancedSize }
    if let start = startOfLyrics(in: bytes, endingAt: end) { return start }
    if end >= 32, bytes.holds("APETAGEX", at: end - 32) {
      let start = end - 32 - littleEndian32(bytes, at: end - 20)
      if bytes.holds("APETAGEX", at: start) { return start }
      let withoutHeader = start + 32
      return withoutHeader >= 0 && littleEndian32(bytes, at: end - 12) >> 31 == 0
        ? withoutHeader : end - 32
    }
    // ID3v2.4's footer repeats the header with another name.
    if end >= 10, bytes.holds("3DI", at: end - 10), let size = syncsafe(bytes, at: end - 4) {
      let start = end - 20 - size
      return bytes.holds("ID3", at: start) ? start : nil
    }
    return nil
  }

  /// Bytes of what lengthens the texts of an ID3v1 behind it ("ID3v1 enhanced tag").
  private static let enhancedSize = 227

  /// Where a block of Lyrics3 begins that ends at `end`: of version 2 its size stands before its last word,
  /// six digits that do not count themselves; of version 1 it has 5100 bytes of text at most ("Lyrics3
  /// v2.00", "Lyrics3" on id3.org).
  private static func startOfLyrics(in bytes: FileWindow, endingAt end: Int) -> Int? {
    if bytes.holds("LYRICS200", at: end - 9), end >= 15 {
      var size = 0
      for position in end - 15..<end - 9 {
        guard 0x30...0x39 ~= bytes[position] else { return nil }
        size = size * 10 + Int(bytes[position] - 0x30)
      }
      let start = end - 15 - size
      return bytes.holds("LYRICSBEGIN", at: start) ? start : nil
    }
    guard bytes.holds("LYRICSEND", at: end - 9) else { return nil }
    return (max(0, end - 5100 - 20)..<max(0, end - 19)).last { bytes.holds("LYRICSBEGIN", at: $0) }
  }

  /// Bytes that an ID3v2 header at `position` announces behind itself (ID3v2.4.0 structure §3.1).
  private static func id3Size(in bytes: FileWindow, at position: Int) -> Int? {
    guard bytes.holds("ID3", at: position), position + 10 <= bytes.count,
      bytes[position + 3] != 0xFF, bytes[position + 4] != 0xFF
    else { return nil }
    return syncsafe(bytes, at: position + 6)
  }

  private static func syncsafe(_ bytes: FileWindow, at position: Int) -> Int? {
    let value = bytes.bigEndian32(at: position)
    guard value & 0x8080_8080 == 0 else { return nil }
    let low = value & 0x7F | value >> 1 & 0x3F80
    let high = value >> 2 & 0x1F_C000 | value >> 3 & 0xFE0_0000
    return Int(low | high)
  }

  private static func littleEndian32(_ bytes: FileWindow, at position: Int) -> Int {
    Int(bytes.bigEndian32(at: position).byteSwapped)
  }
}
