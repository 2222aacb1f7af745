/// What differs between the two versions of ID3 that are in use.
enum ID3Version: UInt8 {
  /// UTF-16, plain sizes.
  case v23 = 3
  /// UTF-8, sizes of seven bits a byte.
  case v24 = 4

  /// The version for a tag: 2.4, but 2.3 where a chapter has a part of more than 127 bytes.
  ///
  /// FFmpeg takes the sizes inside a chapter for plain ones in both versions (`read_chapter` in
  /// id3v2.c, in all releases so far), where they agree up to 127, and else drops the chapter.
  init(for tag: ID3Tag) {
    let hasLongPart = tag.chapters.contains { chapter in
      chapter.image != nil || chapter.title.utf8.count > 126
        || (chapter.url?.utf8.count ?? 0) > 127 - 13
    }
    self = hasLongPart ? .v23 : .v24
  }

  /// The byte that says how text is written (2.3.0 §3.3, 2.4.0 structure §4).
  var textEncoding: UInt8 { self == .v24 ? 3 : 1 }

  func text(_ text: String) throws(ID3TagError) -> [UInt8] {
    guard !text.utf8.contains(0) else {
      throw ID3TagError("'\(text.filter { $0 != "\0" })' holds a zero byte, which no tag can")
    }
    guard self == .v23 else { return Array(text.utf8) }
    return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  /// What ends a text that is followed by something else.
  var terminator: [UInt8] { self == .v24 ? [0] : [0, 0] }

  /// What stands between values in one frame: 2.4.0 frames §4.2, 2.3.0 §4.2.1.
  var valueSeparator: String { self == .v24 ? "\0" : "/" }

  func frameSize(_ size: Int) throws(ID3TagError) -> [UInt8] {
    let syncsafe = try Self.syncsafe(size)
    return self == .v24 ? syncsafe : [24, 16, 8, 0].map { UInt8(size >> $0 & 0xFF) }
  }

  /// Seven bits a byte, so that no size looks like a sync word (2.4.0 structure §6.2).
  static func syncsafe(_ size: Int) throws(ID3TagError) -> [UInt8] {
    guard size < 1 << 28 else {
      throw ID3TagError("an ID3 tag holds less than 256 MiB, and this one would have \(size) bytes")
    }
    return [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
  }
}
