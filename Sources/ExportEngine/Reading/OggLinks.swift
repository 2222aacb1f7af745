import Diagnosis
import Tagging

/// The links of an Ogg file: files that were put behind one another, each with headers of its own
/// (chaining; RFC 3533, 4).
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
  /// - Returns: The links in order, without gaps, `most` + 1 at most.
  /// - Throws: Where the medium cannot be read.
  /// - Complexity: O(pages); O(bytes) where they are damaged
  static func ranges(in medium: MediumBytes) throws(Failure) -> [Range<Int64>] {
    let size = try medium.size()
    var starts: [Int64] = [0]
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
          hasContent = false
        }
      } else {
        hasContent = true
      }
      before = offset
      offset += Int64(page.size)
    }
    return zip(starts, starts.dropFirst() + [size]).map { $0..<max($0, $1) }
  }

  /// Looks for pages in damaged bytes, of which it reads each once.
  private struct Search {
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
