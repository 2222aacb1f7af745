import Tagging

/// All tags around the frames of an MP3, in order of precedence: ID3v2 at the start, then ID3v2.4 at the
/// end, APEv2 and ID3v1. What an earlier one has, a later one does not change.
package struct MPEGTags: Sendable {
  package private(set) var id3: [StoredID3Tag] = []
  package private(set) var ape: [APETag] = []
  /// The last one of the file.
  package private(set) var id3v1: ID3v1Tag?
  /// Names of other tags, which are not read.
  package private(set) var unread: [String] = []

  /// More than any honest file has, at the start and at the end.
  private static let tagLimit = 8

  /// Reads the tags of a file.
  ///
  /// - Parameters:
  ///   - byteCount: The file's size.
  ///   - inflate: For compressed frames.
  ///   - read: As of `StoredID3Tag.read`.
  /// - Returns: All that there are, at most eight at the start and eight at the end.
  /// - Complexity: O(n) in the tags' sizes
  package static func read(
    byteCount: Int, inflating inflate: StoredID3Tag.Inflater? = nil,
    reading read: @escaping (_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int
  ) -> MPEGTags {
    let window = FileWindow(count: byteCount, reading: read)
    var tags = MPEGTags()
    var front = 0
    for _ in 0..<tagLimit {
      let place = front
      guard let end = tags.addTag(in: window, at: &front, inflate) else { break }
      front = max(end, place + 1)
    }
    var end = window.count
    for _ in 0..<tagLimit {
      guard let start = TagBoundary.start(ofTagEndingAt: end, in: window), start >= front,
        start < end
      else { break }
      if window.holds("TAG", at: start), end - start == ID3v1Tag.size {
        tags.id3v1 = tags.id3v1 ?? ID3v1Tag(ID3Bytes.file(window).copy(start..<end))
      } else if window.holds("TAG+", at: start) {
        tags.unread.append("TAG+")
      } else if window.holds("LYRICSBEGIN", at: start) {
        tags.unread.append("Lyrics3")
      } else if window.holds("ID3", at: start) {
        var reader = ID3Reader(window, at: start, inflating: inflate)
        if let tag = reader?.tag() { tags.id3.append(tag) }
      } else if let size = APETag.itemSize(
        ofFooter: ID3Bytes.file(window).copy(max(0, end - APETag.footerSize)..<end)),
        size <= end - APETag.footerSize
      {
        let items = end - APETag.footerSize - size..<end - APETag.footerSize
        tags.ape.append(APETag(items: ID3Bytes.file(window).copy(items)))
      }
      end = start
    }
    return tags
  }

  /// The bytes between the tags that begin at `start`, if any do, and those at the file's end.
  ///
  /// - Parameters:
  ///   - start: Where to look for the first ones.
  ///   - byteCount: The file's size.
  ///   - read: As of `StoredID3Tag.read`.
  /// - Returns: Where they lie; empty at the end where tags take all.
  /// - Complexity: O(tags)
  package static func between(
    from start: Int, byteCount: Int,
    reading read: @escaping (_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int
  ) -> Range<Int> {
    let window = FileWindow(count: byteCount, reading: read)
    let end = TagBoundary.end(in: window)
    return min(end, TagBoundary.start(in: window, from: start, end: end))..<end
  }

  /// Reads the tag at the start of what is left; gives where it ends.
  private mutating func addTag(
    in window: FileWindow, at place: inout Int, _ inflate: StoredID3Tag.Inflater?
  ) -> Int? {
    guard let end = TagBoundary.end(ofTagAt: place, in: window), end <= window.count else {
      return nil
    }
    if var reader = ID3Reader(window, at: place, inflating: inflate) {
      id3.append(reader.tag())
    } else if window.holds("APETAGEX", at: place), end - place <= APETag.sizeLimit {
      // The header is followed by the items and a footer.
      let items =
        place
        + APETag.footerSize..<max(
          place + APETag.footerSize, end - APETag.footerSize)
      ape.append(APETag(items: ID3Bytes.file(window).copy(items)))
    }
    return end
  }
}
