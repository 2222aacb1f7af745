/// The two versions of ID3v2 that are in use, as files have them.
package enum ID3Version: UInt8, Sendable, Hashable, CaseIterable, Codable {
  /// 2.3: UTF-16, plain sizes.
  case v23 = 3
  /// 2.4: UTF-8, sizes of seven bits a byte.
  case v24 = 4
}

extension ID3Version: CustomStringConvertible {
  /// `2.3`, `2.4`
  package var description: String { "2.\(rawValue)" }
}

extension ID3Version {
  /// The properties of a chapter that decide the version.
  package struct ChapterShape: Sendable, Hashable {
    /// Its title.
    package var title: String
    /// Where it leads.
    package var url: String?
    /// Whether it has an image.
    package var hasImage: Bool

    /// A chapter with these.
    package init(title: String, url: String?, hasImage: Bool) {
      self.title = title
      self.url = url
      self.hasImage = hasImage
    }

    /// Whether FFmpeg drops such a chapter from a tag of version 2.4.
    ///
    /// It takes the sizes inside a chapter for plain ones in both versions (`read_chapter` in
    /// libavformat's id3v2.c, in all releases so far). They agree up to 127; beyond that the part
    /// seems to be longer than its chapter. Before a title stands one byte, before a link the
    /// thirteen of `chapter url`.
    package var isLostToFFmpeg: Bool {
      hasImage || title.utf8.count > 127 - 1 || (url?.utf8.count ?? 0) > 127 - 13
    }
  }

  /// The version that all players read: 2.4, but 2.3 where FFmpeg would drop a chapter otherwise.
  package init(forChapters chapters: some Sequence<ChapterShape>) {
    self = chapters.contains(where: \.isLostToFFmpeg) ? .v23 : .v24
  }
}

extension ID3Version {
  /// A text as its frame has it: how it is written (2.3.0 §3.3, 2.4.0 structure §4), and its bytes.
  /// What is ASCII is so in 2.3 as well: numbers have to be, and old players read nothing else.
  func text(_ text: String) throws(ID3TagError) -> (encoding: UInt8, bytes: [UInt8]) {
    let encoding = encoding(of: [text])
    return (encoding, try bytes(of: text, encoding: encoding))
  }

  /// How texts that stand in one frame are written.
  func encoding(of texts: [String]) -> UInt8 {
    if self == .v24 { return 3 }
    return texts.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } } ? 0 : 1
  }

  /// A text in one of the encodings that this version chooses.
  func bytes(of text: String, encoding: UInt8) throws(ID3TagError) -> [UInt8] {
    guard !text.utf8.contains(0) else {
      throw ID3TagError("'\(text.filter { $0 != "\0" })' holds a zero byte, which no tag can")
    }
    guard encoding == 1 else { return Array(text.utf8) }
    return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  /// What ends a text that is followed by something else.
  static func terminator(encoding: UInt8) -> [UInt8] { encoding == 1 ? [0, 0] : [0] }

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
