import MediaTime
import Tagging

/// An ID3v2 tag as it lies in a file, read without its pictures: these are places in the file, so
/// that a cover of ten megabytes costs nothing until it is read.
///
/// Reads 2.2, 2.3 and 2.4 as they are found: unsynchronised, with an extended header, with plain
/// sizes where 2.4 has syncsafe ones, with compressed frames. Frames that are encrypted or broken are
/// left out, and what follows a frame whose size cannot be true.
package struct StoredID3Tag: Sendable, Hashable {
  /// Where a picture lies.
  package struct Image: Sendable, Hashable, Codable {
    /// The bytes of the file that have to be read for it.
    package let stored: Range<Int>
    /// Whether these are unsynchronised: behind each 0xFF stands a zero that does not belong there
    /// (2.4.0 structure §6.1).
    let isUnsynchronised: Bool

    /// Takes the picture out of what was read for it.
    ///
    /// - Parameter stored: What stands at `stored` of the file, or the first of these bytes.
    /// - Returns: The picture's own bytes, a JPEG or PNG file as a rule; as many of the first ones
    ///   as there are.
    /// - Complexity: O(n) in the bytes that are stored
    package func bytes(from stored: [UInt8]) -> [UInt8] {
      isUnsynchronised ? SynchronisedBytes(stored, at: 0).bytes : stored
    }
  }

  /// A picture of the whole file (native frames §4.14).
  package struct Picture: Sendable, Hashable {
    /// 3 is a front cover; the other numbers are those of the standard.
    package let type: UInt8
    package let mime: String
    package let description: String
    package let image: Image
  }

  /// A chapter (Chapter Frame Addendum §3.1).
  package struct Chapter: Sendable, Hashable {
    /// From the start of the sound, in milliseconds.
    package let range: TimeRange
    /// Empty where there is none.
    package let title: String
    package let url: String?
    package let image: Image?
  }

  /// 2, 3 or 4: ID3v2.2, 2.3, 2.4.
  package let version: UInt8
  /// From the header's first byte to where the sound or another tag begins.
  package let byteCount: Int
  /// Tags under the keys that `ID3Tag` writes them from, in the order of the file; several values
  /// of one key follow each other. At most 10,000, with 16 MiB of text.
  package internal(set) var items: [ID3Tag.Item] = []
  /// In the order of the file; at most 1000.
  package internal(set) var pictures: [Picture] = []
  /// In order of time, whatever tables of contents say, since many files have none, or none that is
  /// whole; at most 65,025. Their texts count towards the 16 MiB.
  package internal(set) var chapters: [Chapter] = []
  /// What is not read, each once: identifiers of frames without a place here, `TIT2 (encrypted)`. At
  /// most 100.
  package internal(set) var unread: [String] = []
  /// Whether a text is no UTF-8 though its frame says so, and is taken for Windows-1252.
  package internal(set) var hasGuesses = false

  /// Inflates what a frame has compressed (RFC 1950) to a known number of bytes; nil where it is no
  /// such thing.
  package typealias Inflater = (_ bytes: [UInt8], _ size: Int) -> [UInt8]?

  init(version: UInt8, byteCount: Int) {
    self.version = version
    self.byteCount = byteCount
  }

  /// The front cover, or else the picture that is the most like one: an icon is the least.
  package var cover: Picture? {
    pictures.min { PictureType.rank(Int($0.type)) < PictureType.rank(Int($1.type)) }
  }

  /// Reads the tag at the start of a file, or at `offset` of it.
  ///
  /// - Parameters:
  ///   - offset: Where the tag begins: 0, or a chunk's content in AIFF and WAV.
  ///   - byteCount: The file's size.
  ///   - inflate: For compressed frames, which are not read without it.
  ///   - read: Fills bytes from an offset of the file on, and gives how many there were; called
  ///     with places within the file, for 256 KiB at most each.
  /// - Returns: nil where no tag begins there.
  /// - Complexity: O(n) in the tag's size, in time; in memory what the texts of the tag take, or a
  ///   few times what is unsynchronised: in 2.2 and 2.3 all of the tag, in 2.4 a frame
  package static func read(
    at offset: Int = 0, byteCount: Int, inflating inflate: Inflater? = nil,
    reading read: @escaping (_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int
  ) -> StoredID3Tag? {
    var reader = ID3Reader(
      FileWindow(count: byteCount, reading: read), at: offset, inflating: inflate)
    return reader?.tag()
  }
}

extension ID3Tag {
  /// The tag that `bytes` begin with, with its pictures; nil where they begin with none.
  ///
  /// - Complexity: as `StoredID3Tag.read`, and a copy of each picture
  package init?(parsing bytes: [UInt8]) {
    let stored = StoredID3Tag.read(byteCount: bytes.count) { offset, target in
      target.copyBytes(from: bytes[offset..<offset + target.count])
      return target.count
    }
    guard let stored else { return nil }
    func content(_ image: StoredID3Tag.Image) -> [UInt8] {
      image.bytes(from: Array(bytes[image.stored]))
    }
    self.init(
      items: stored.items, cover: stored.cover.map { content($0.image) },
      chapters: stored.chapters.map {
        Chapter(range: $0.range, title: $0.title, url: $0.url, image: $0.image.map(content))
      })
  }
}
