import Diagnosis

/// The links of an Ogg file: files that were put behind one another, each with headers of its own
/// (chaining; RFC 3533, 4).
enum OggLinks {
  /// More than any honest file has: a year of hours.
  static let most = 10_000

  /// Where each link lies; one for a file that is not chained.
  ///
  /// A page that begins a stream, behind pages of sound, begins a link, whatever its serial number is:
  /// files that are put together may have the same.
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
    while offset + 27 <= size, starts.count <= most {
      let head = try medium.bytes(at: offset, count: 27 + 255)
      guard let page = Page(head) else {
        guard let next = try search.nextPage(from: offset + 1) else { break }
        offset = next
        continue
      }
      if page.beginsStream {
        // Bytes that only look like a page split nothing.
        if hasContent, Page.isWhole(try medium.bytes(at: offset, count: page.size)) {
          starts.append(offset)
          hasContent = false
        }
      } else {
        hasContent = true
      }
      offset += Int64(page.size)
    }
    return zip(starts, starts.dropFirst() + [size]).map { $0..<max($0, $1) }
  }

  /// Looks for pages in damaged bytes, of which it reads each once.
  private struct Search {
    private static let blockSize = 1 << 16
    /// Of a page's head, at most.
    private static let longestHead = 27 + 255

    private let medium: MediumBytes
    private var start: Int64 = 0
    private var block: [UInt8] = []

    init(_ medium: MediumBytes) { self.medium = medium }

    /// Where the next bytes lie that look like a page, at or behind `offset`; nil where none do.
    mutating func nextPage(from offset: Int64) throws(Failure) -> Int64? {
      var offset = offset
      while true {
        if offset < start || offset + Int64(Self.longestHead) > start + Int64(block.count) {
          (start, block) = (offset, try medium.bytes(at: offset, count: Self.blockSize))
        }
        let first = Int(offset - start)
        guard block.count - first >= 27 else { return nil }
        let isLast = block.count < Self.blockSize
        let end = block.count - (isLast ? 26 : Self.longestHead - 1)
        for index in first..<end where block[index] == UInt8(ascii: "O") {
          if Page(Array(block[index...].prefix(Self.longestHead))) != nil {
            return start + Int64(index)
          }
        }
        if isLast { return nil }
        offset = start + Int64(end)
      }
    }
  }

  /// The head of a page (RFC 3533, 6).
  struct Page {
    /// Bytes of all of it.
    let size: Int
    let beginsStream: Bool

    /// nil where there is none.
    init?(_ bytes: [UInt8]) {
      guard bytes.count >= 27, bytes[..<4].elementsEqual("OggS".utf8), bytes[4] == 0, bytes[5] < 8
      else { return nil }
      let count = Int(bytes[26])
      guard bytes.count >= 27 + count else { return nil }
      size = bytes[27..<27 + count].reduce(27 + count) { $0 + Int($1) }
      beginsStream = bytes[5] & 2 != 0
    }

    /// Whether a page has the checksum that it names.
    static func isWhole(_ page: [UInt8]) -> Bool {
      guard page.count >= 27, page.count == Page(page)?.size else { return false }
      var sum: UInt32 = 0
      for (index, byte) in page.enumerated() {
        sum = sum << 8 ^ table[Int(sum >> 24) ^ Int((22..<26).contains(index) ? 0 : byte)]
      }
      return (0..<4).allSatisfy { page[22 + $0] == UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    /// Of the polynomial 0x04C11DB7, whose highest bit comes first.
    private static let table: [UInt32] = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte) << 24) { sum, _ in
        sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04C1_1DB7
      }
    }
  }
}
