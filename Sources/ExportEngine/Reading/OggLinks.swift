import Diagnosis
import Tagging

/// A link of an Ogg file: one of the files that were put behind one another, each with headers of its
/// own (chaining; RFC 3533, 4).
struct OggLink: Sendable, Hashable {
  /// Where its pages lie.
  var range: Range<Int64>
  /// What follows them that no page has.
  var rest: Range<Int64>
}

/// Finds an Ogg file's links.
enum OggLinks {
  /// More than any honest file has: a year of hours.
  static let most = 10_000
  /// Pages that are looked into for others, of which honest files have one for each cut.
  private static let mostReturns = 1000

  /// Where each link lies; one for a file that is not chained.
  ///
  /// A page that begins a stream, behind pages of sound, begins a link, whatever its serial number is:
  /// files that are put together may have the same. A page that was cut short reaches over the pages
  /// that follow: those within it count.
  ///
  /// - Returns: The links in order, `most` + 1 at most.
  /// - Throws: Where the medium cannot be read.
  /// - Complexity: O(pages); O(bytes) where they are damaged
  static func all(in medium: MediumBytes) throws(Failure) -> [OggLink] {
    let size = try medium.size()
    var starts: [Int64] = [0]
    // Where the last page of each one ends.
    var ends: [Int64] = [0]
    var offset: Int64 = 0
    var hasContent = false
    var search = Search(medium)
    var before: Int64?
    var returns = 0
    while offset < size, starts.count <= most {
      let page = OggPage(try medium.bytes(at: offset, count: OggPage.longestHead))
      guard let page, offset + Int64(page.size) <= size else {
        var place = offset
        if page == nil, let before, returns < mostReturns {
          place = before
          returns += 1
        }
        guard let next = try search.nextPage(from: place + 1) else { break }
        (offset, before) = (next, nil)
        continue
      }
      if page.isFirst {
        // Bytes that only look like a page split nothing.
        if hasContent, OggPage.isIntact(try medium.bytes(at: offset, count: page.size)) {
          starts.append(offset)
          ends.append(offset)
          hasContent = false
        }
      } else {
        hasContent = true
      }
      before = offset
      offset += Int64(page.size)
      ends[ends.count - 1] = offset
    }
    let nexts = starts.dropFirst() + [size]
    return try zip(zip(starts, ends), nexts).map { bounds, next throws(Failure) in
      let (start, end) = bounds
      let next = max(start, next)
      // A page that was cut short is the link's.
      guard start < end, end < next, try !beginsPage(at: end, in: medium) else {
        return OggLink(range: start..<next, rest: next..<next)
      }
      return OggLink(range: start..<end, rest: end..<next)
    }
  }

  /// Whether a page begins at `offset`, be it that the file ends within its head.
  private static func beginsPage(
    at offset: Int64, in medium: MediumBytes
  ) throws(Failure) -> Bool {
    let head = try medium.bytes(at: offset, count: OggPage.longestHead)
    let isCut = head.count < OggPage.longestHead && "OggS".utf8.starts(with: head.prefix(4))
    return isCut || OggPage(head) != nil
  }

  /// Looks for pages in damaged bytes, of which it reads each once.
  struct Search {
    private static let blockSize = 1 << 16
    private let medium: MediumBytes
    private var start: Int64 = 0
    private var block: [UInt8] = []

    init(_ medium: MediumBytes) { self.medium = medium }

    /// Where the next bytes lie that look like a page, at or behind `offset`; nil where none do.
    mutating func nextPage(from offset: Int64) throws(Failure) -> Int64? {
      var offset = offset
      while true {
        if offset < start || offset + Int64(OggPage.longestHead) > start + Int64(block.count) {
          (start, block) = (offset, try medium.bytes(at: offset, count: Self.blockSize))
        }
        let first = Int(offset - start)
        guard block.count - first >= 27 else { return nil }
        let isLast = block.count < Self.blockSize
        let end = block.count - (isLast ? 26 : OggPage.longestHead - 1)
        for index in first..<end where block[index] == UInt8(ascii: "O") {
          if OggPage(block[index...]) != nil { return start + Int64(index) }
        }
        if isLast { return nil }
        offset = start + Int64(end)
      }
    }
  }
}
