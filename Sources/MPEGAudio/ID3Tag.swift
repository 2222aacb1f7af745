import MediaTime

/// Tags, cover and chapters of a file, to be written in front of its frames as ID3v2.4 or 2.3.
///
/// FFmpeg's own muxer writes neither a chapter's link nor its image. Written to the documents "ID3
/// tag version 2.4.0: main structure" and "native frames", "ID3 tag version 2.3.0", and "ID3v2
/// Chapter Frame Addendum".
package struct ID3Tag: Sendable, Hashable {
  /// One tag, under a name of `ID3Keys` (FFmpeg's generic ones: `title`, `album_artist`), or under a
  /// frame's own (`TBPM`), as FFmpeg reads those without a generic one. A comment, lyrics and a link
  /// may have a description behind a colon, `comment:Source`; `TXXX:title` is a `TXXX` frame beside
  /// `title`'s own. Any other key becomes a `TXXX` frame.
  package struct Item: Sendable, Hashable {
    package var key: String
    package var value: String
    /// Of a comment or of lyrics, a code of three letters (ISO 639-2), `XXX` where it is not known; nil:
    /// that of the tag's `language`, if it has one.
    package var language: String?

    package init(key: String, value: String, language: String? = nil) {
      self.key = key
      self.value = value
      self.language = language
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

  /// What is said or sung, for players that show it, at its times where they can.
  package struct Lyrics: Sendable, Hashable {
    package struct Line: Sendable, Hashable {
      /// From the start of the sound, stored in whole milliseconds; up to 49 days.
      package var start: Time
      package var text: String

      package init(start: Time, text: String) { (self.start, self.text) = (start, text) }
    }

    /// In order of time.
    package var lines: [Line]
    /// As `en`, `en-GB` or `eng`; nil: not known.
    package var language: String?

    package init(lines: [Line], language: String? = nil) {
      (self.lines, self.language) = (lines, language)
    }
  }

  /// In the order in which they are written; a key that stands twice has two values. Empty values
  /// are left out.
  package var items: [Item]
  /// The front cover: a whole JPEG or PNG file.
  package var cover: [UInt8]?
  /// In order of time, at most 65,025.
  package var chapters: [Chapter]

  /// nil: none beside those of `items`. They are not read.
  package var lyrics: Lyrics?

  package init(
    items: [Item] = [], cover: [UInt8]? = nil, chapters: [Chapter] = [], lyrics: Lyrics? = nil
  ) {
    self.items = items
    self.lyrics = lyrics
    self.cover = cover
    self.chapters = chapters
  }

  /// The names of tags that players show, in lower case.
  package static let tagNames: [String] = ID3Keys.names

  /// The known name before a language, of a name in any case: `comment` of `comment-eng`, as ID3 has it, and
  /// `title` of `title-de-AT`, as Matroska has it; nil where no language stands behind one. O(1)
  package static func name(beforeLanguage name: String) -> String? {
    // Longer than any name with a language.
    guard name.utf8.count <= 64 else { return nil }
    let parts = name.lowercased().unicodeScalars
    for index in parts.indices where parts[index] == "-" {
      let known = String(parts[..<index])
      let language = String(parts[parts.index(after: index)...])
      guard tagNames.contains(known) else { continue }
      // The texts with a language of their own in ID3 take any of three letters (`ID3Slot`).
      let isTrusted = ["comment", "lyrics"].contains(known) && language.utf8.count == 3
      if isTrusted ? ID3Languages.code(language) != nil : ID3Languages.isKnown(language) {
        return known
      }
    }
    return nil
  }

  /// The key of what FFmpeg calls by its frame's identifier, `bpm` of `TBPM`; nil where there is no
  /// other name.
  package static func key(ofFrame identifier: String) -> String? {
    ID3Keys.key(ofFrame: identifier)
  }

  /// The name of a free-form tag in ID3 and MP4 for a key, `MusicBrainz Album Id` of
  /// `musicbrainz_albumid`; nil where it is the key.
  package static func description(ofKey key: String) -> String? {
    ID3Keys.foreignDescription(for: key)
  }

  /// The key of such a name; nil where it is its own key.
  package static func key(ofDescription text: String) -> String? {
    ID3Keys.key(ofForeignDescription: text)
  }

  /// The name of a genre of ID3v1, with Winamp's; nil where it has none.
  package static func genre(_ number: Int) -> String? { ID3Genres.name(number) }

  /// FFmpeg's generic name of a tag that other programs call otherwise, `date` of `year`, in any
  /// case; nil where it is none of those.
  package static func key(ofTag name: String) -> String? {
    ID3Keys.frame(for: name).flatMap { ID3Keys.key(ofFrame: $0) }
  }
}

/// What ID3v2 cannot hold.
package struct ID3TagError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One line for the user, to stand after `file:line:column: error: `.
  package let message: String

  init(_ message: String) { self.message = message }

  package var description: String { message }
}

extension ID3Tag {
  /// Makes sure that a tag can have so many bytes.
  package static func requireRoom(for byteCount: Int) throws(ID3TagError) {
    _ = try ID3Version.syncsafe(byteCount)
  }

  /// The frames of tags, as `encoded` has them one behind the other.
  ///
  /// - Throws: As `encoded`.
  package static func frames(
    of items: [Item], as version: ID3Version
  ) throws(ID3TagError) -> [UInt8] {
    try ID3Writer(version: version).texts(items)
  }

  /// The version that all players read these chapters in (see `ID3Version.init(forChapters:)`).
  package var usualVersion: ID3Version {
    ID3Version(
      forChapters: chapters.lazy.map {
        ID3Version.ChapterShape(title: $0.title, url: $0.url, hasImage: $0.image != nil)
      })
  }

  /// The tag as a file has it.
  ///
  /// - Parameters:
  ///   - version: nil: `usualVersion`.
  ///   - padding: Zeros behind the frames (2.4.0 structure §3.3), into which a tagger can put a few
  ///     words without moving all of the sound.
  /// - Returns: Bytes that depend on nothing else; none where there is nothing to write.
  /// - Throws: `ID3TagError` for what the format cannot hold: a zero byte in a text, an image that
  ///   is neither JPEG nor PNG, a chapter's link that is not ASCII, more than 65,025 chapters,
  ///   lyrics beyond 49 days, 256 MiB.
  package func encoded(
    as version: ID3Version? = nil, padding: Int = 0
  ) throws(ID3TagError) -> [UInt8] {
    let writer = ID3Writer(version: version ?? usualVersion)
    var body = try writer.texts(items)
    body += try writer.chapters(chapters, of: items)
    if let lyrics { body += try writer.lyrics(lyrics, beside: items) }
    if let cover { body += try writer.picture(cover, type: 3, name: "the cover") }
    guard !body.isEmpty else { return [] }
    body += [UInt8](repeating: 0, count: padding)
    let size = try ID3Version.syncsafe(body.count)
    return Array("ID3".utf8) + [writer.version.rawValue, 0, 0] + size + body
  }
}
