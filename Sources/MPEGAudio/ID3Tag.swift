import MediaTime

/// Tags, cover and chapters of a file, to be written in front of its frames as ID3v2.4, or as 2.3
/// where FFmpeg could not read the chapters otherwise (see `ID3Version`).
///
/// FFmpeg's own muxer writes neither a chapter's link nor its image. Written to the documents "ID3
/// tag version 2.4.0: main structure" and "native frames", "ID3 tag version 2.3.0", and "ID3v2
/// Chapter Frame Addendum".
package struct ID3Tag: Sendable, Hashable {
  /// One tag under FFmpeg's generic name (`title`, `album_artist`), or under a text frame's own
  /// (`TBPM`), as FFmpeg reads those without a generic one; any other becomes a `TXXX` frame.
  package struct Item: Sendable, Hashable {
    package var key: String
    package var value: String

    package init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// A stretch of the sound, with what a player shows meanwhile.
  package struct Chapter: Sendable, Hashable {
    /// From the start of the sound, stored in whole milliseconds; up to 49 days.
    package var range: TimeRange
    package var title: String
    /// Where the title leads.
    package var url: String?
    /// A whole JPEG or PNG file.
    package var image: [UInt8]?

    package init(range: TimeRange, title: String, url: String? = nil, image: [UInt8]? = nil) {
      self.range = range
      self.title = title
      self.url = url
      self.image = image
    }
  }

  /// In the order in which they are written; a key that stands twice has two values. Empty values
  /// are left out.
  package var items: [Item]
  /// The front cover: a whole JPEG or PNG file.
  package var cover: [UInt8]?
  /// In order of time, at most 255.
  package var chapters: [Chapter]

  package init(items: [Item] = [], cover: [UInt8]? = nil, chapters: [Chapter] = []) {
    self.items = items
    self.cover = cover
    self.chapters = chapters
  }
}

/// What ID3v2.4 cannot hold.
package struct ID3TagError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One line for the user, to stand after `file:line:column: error: `.
  package let message: String

  init(_ message: String) { self.message = message }

  package var description: String { message }
}

extension ID3Tag {
  /// The tag's bytes; none where there is nothing to write.
  ///
  /// - Throws: `ID3TagError` for what the format cannot hold: a zero byte in a text, an image that
  ///   is neither JPEG nor PNG, a link that is not ASCII, more than 255 chapters, 256 MiB.
  package func encoded() throws(ID3TagError) -> [UInt8] {
    let writer = ID3Writer(version: ID3Version(for: self))
    var body = try writer.texts(items)
    body += try writer.chapters(chapters)
    if let cover { body += try writer.picture(cover, type: 3, name: "the cover") }
    guard !body.isEmpty else { return [] }
    let size = try ID3Version.syncsafe(body.count)
    return Array("ID3".utf8) + [writer.version.rawValue, 0, 0] + size + body
  }
}
