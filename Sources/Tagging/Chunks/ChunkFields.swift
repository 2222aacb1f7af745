/// Reads the fields of a chunk one after the other, and never beyond its end.
struct ChunkReader {
  /// The chunk's name, for defects.
  let chunk: String
  private let bytes: ArraySlice<UInt8>
  private let isBigEndian: Bool
  private(set) var position: Int
  /// The texts so far that are not stored as they would be written.
  private(set) var stored = StoredTexts()

  init(_ chunk: String, _ bytes: some Collection<UInt8>, isBigEndian: Bool) {
    (self.chunk, self.bytes, self.isBigEndian) = (chunk, ArraySlice(bytes), isBigEndian)
    position = self.bytes.startIndex
  }

  /// Bytes that are left.
  var rest: Int { bytes.endIndex - position }

  /// As many bytes as there are, up to `count`.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
    let end = position + Swift.min(Swift.max(0, count), rest)
    defer { position = end }
    return bytes[position..<end]
  }

  /// A whole number; 0 where the chunk ends before it does.
  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
    let size = Number.bitWidth / 8
    let field = bytes(size)
    guard field.count == size else { return 0 }
    let value = isBigEndian ? AtomHead.number(field) : AtomHead.number(field.reversed())
    return Number(truncatingIfNeeded: value)
  }

  /// The text of a field that has `count` bytes in every file, up to its first NUL: a full field has
  /// none, and its last character may be cut.
  mutating func text(
    _ count: Int, _ field: String, _ defects: inout [ChunkDefect]
  ) -> String {
    text(count, field, isBounded: rest >= count, &defects)
  }

  /// A text whose size stands before it, and can say no more than `limit`; a shorter one where the chunk
  /// ends.
  mutating func counted(
    _ count: Int, atMost limit: Int, _ field: String, _ defects: inout [ChunkDefect]
  ) -> String {
    if count > rest {
      defects.note(chunk, .short(has: bytes.count, needs: bytes.count + count - rest))
    }
    return text(count, field, isBounded: count == limit && rest >= count, &defects)
  }

  /// All that is left as a text.
  mutating func text(_ field: String, _ defects: inout [ChunkDefect]) -> String {
    text(rest, field, isBounded: false, &defects)
  }

  /// `isBounded` where there was no place for a longer text.
  private mutating func text(
    _ count: Int, _ field: String, isBounded: Bool, _ defects: inout [ChunkDefect]
  ) -> String {
    let content = bytes(count)
    let text = Self.text(content, isBounded: isBounded, chunk, field, &defects)
    stored.note(content, of: field, text)
    return text
  }

  /// How many entries of `size` bytes are to be read where `announced` are counted.
  func count(
    _ announced: UInt64, of size: Int, _ defects: inout [ChunkDefect]
  ) -> Int {
    let found = rest / size
    if announced > UInt64(found) {
      defects.note(chunk, .overstated(announced: announced, found: found))
    }
    let count = Swift.min(found, Int(clamping: announced))
    if count > ChunkLimits.entries { defects.note(chunk, .tooMany(limit: ChunkLimits.entries)) }
    return Swift.min(count, ChunkLimits.entries)
  }

  /// UTF-8 if it is valid, else Windows-1252. Of a character that a writer cut at the end of a bounded
  /// field, nothing is left.
  private static func text(
    _ bytes: ArraySlice<UInt8>, isBounded: Bool, _ chunk: String, _ field: String,
    _ defects: inout [ChunkDefect]
  ) -> String {
    let used = bytes.prefix { $0 != 0 }
    let (text, isGuessed) = EightBitText.decoded(used)
    guard isGuessed else { return text }
    if isBounded, used.count == bytes.count,
      let start = used.suffix(3).lastIndex(where: { $0 >= 0xC0 }),
      let whole = String(validating: used[..<start], as: UTF8.self),
      isCut(used[start...])
    {
      return whole
    }
    defects.note(chunk, .guessedEncoding(field: field))
    return text
  }

  /// Whether bytes begin a character of UTF-8 (RFC 3629, 3) that has more.
  private static func isCut(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, 0xC2...0xF4 ~= first else { return false }
    let size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    return bytes.count < size && bytes.dropFirst().allSatisfy { 0x80...0xBF ~= $0 }
  }
}

/// Writes the fields of a chunk.
struct ChunkWriter {
  private(set) var bytes: [UInt8] = []
  private let isBigEndian: Bool

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    let places = 0..<Number.bitWidth / 8
    let field = places.map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    bytes += isBigEndian ? field.reversed() : field
  }

  mutating func append(_ content: some Collection<UInt8>) { bytes += content }

  /// As many bytes as a field has, with zeros behind fewer.
  mutating func append(_ content: some Collection<UInt8>, filling count: Int) {
    bytes += content.prefix(count)
    append(zeros: count - content.prefix(count).count)
  }

  mutating func append(zeros count: Int) { bytes += repeatElement(0, count: max(0, count)) }

  /// A text in a field of `count` bytes: zeros behind a shorter one, and the whole characters that
  /// fit of a longer one; `stored` where the field has other bytes for that text.
  mutating func append(_ text: String, filling count: Int, as stored: [UInt8]? = nil) {
    append(stored ?? text.bytes(atMost: count), filling: count)
  }
}

extension String {
  /// UTF-8 up to the first NUL, and of that the whole characters that `count` bytes hold.
  func bytes(atMost count: Int) -> [UInt8] {
    let used = utf8.prefix { $0 != 0 }
    guard used.count > count else { return Array(used) }
    var size = 0
    for character in self {
      let more = character.utf8.count
      guard size + more <= count else { break }
      size += more
    }
    return Array(used.prefix(size))
  }

  /// What a field of so many bytes loses of the text, or holds against its standard, which says ASCII.
  func noteLosses(
    _ chunk: String, _ field: String, limit: Int, isASCII: Bool, _ defects: inout [ChunkDefect]
  ) {
    if utf8.count > limit { defects.note(chunk, .cut(field: field, limit: limit)) }
    if isASCII, utf8.contains(where: { $0 >= 0x80 }) {
      defects.note(chunk, .notASCII(field: field))
    }
  }
}

extension ChunkWalk.Layout {
  /// A whole chunk: head, content and padding.
  ///
  /// - Parameters:
  ///   - name: Four characters of ASCII; of Wave64, those that its GUID begins with.
  ///   - content: Without head and padding.
  /// - Returns: nil where the content is longer than a size of 32 bits says. O(n)
  package func chunk(_ name: String, _ content: [UInt8]) -> [UInt8]? {
    let count = content.count + (countsHead ? headSize : 0)
    guard hasLongSizes || count <= Int(UInt32.max) else { return nil }
    var writer = ChunkWriter(isBigEndian: isBigEndian)
    writer.append(name.utf8, filling: 4)
    // Sony's Wave64: what its GUIDs share, but that of the file itself.
    if hasGUIDs {
      writer.append([
        0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A,
      ])
    }
    if hasLongSizes { writer.append(UInt64(count)) } else { writer.append(UInt32(count)) }
    writer.append(content)
    writer.append(zeros: Int(padding(behind: Int64(content.count))))
    return writer.bytes
  }
}
