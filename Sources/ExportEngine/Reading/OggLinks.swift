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
    while offset + 27 <= size, starts.count <= most {
      let head = try medium.bytes(at: offset, count: 27 + 255)
      guard let page = Page(head) else {
        guard let next = try nextPage(from: offset + 1, in: medium) else { break }
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

  /// Where the next page may begin.
  private static func nextPage(
    from start: Int64, in medium: MediumBytes
  ) throws(Failure) -> Int64? {
    let sign = Array("OggS".utf8)
    var offset = start
    while true {
      let block = try medium.bytes(at: offset, count: 1 << 16)
      guard block.count >= sign.count else { return nil }
      let found = block.indices.dropLast(3).first { index in
        block[index] == sign[0] && block[index..<index + 4] == sign[...]
      }
      if let found { return offset + Int64(found) }
      offset += Int64(block.count - 3)
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
