import Diagnosis
import Tagging

/// Pages here and there in an Ogg file of a server, by which a chain shows whose links have one serial
/// number: numbers of pages and granule positions begin anew with each link.
///
/// If as many pages as the last ones count, of the size of those at both ends, make all of the file but an
/// eighth, it is one link. Otherwise pages are looked at wherever the place is half as far again. A link
/// that begins between two places has at most half as many bytes before the second one as lie before the
/// first one. So its page there has a lower number, unless its pages are less than half as large as those
/// before it.
struct OggSample {
  private static let headSize: Int64 = 1 << 16
  /// What the cache fetches at a time; most pages are smaller.
  private static let blockSize = 1 << 14
  /// So many are fetched beside the one that is awaited.
  private static let placesAhead = 3
  /// In so many bytes a page begins.
  private static let longest = 1 << 17

  private let medium: MediumBytes
  /// Where the latest page ends.
  private var end: Int64 = 0
  /// The latest page of each stream, and its latest granule position.
  private var latest: [UInt32: (sequence: UInt32, granule: UInt64)] = [:]
  private var hasContent = false
  /// Bytes of a page of sound on average, where these are fewest; 0 before there is one.
  private var pageSize: Int64 = 0

  private init(_ medium: MediumBytes) { self.medium = medium }

  /// Whether a file may be one link.
  ///
  /// - Parameters:
  ///   - medium: The file.
  ///   - tail: Its last bytes.
  /// - Returns: Whether the pages are of the streams that begin at the file's start, and count up.
  /// - Throws: Where it cannot be read.
  /// - Complexity: O(1) of most files that are one link, otherwise O(log(bytes))
  static func countsUp(in medium: MediumBytes, to tail: [UInt8]) throws(Failure) -> Bool {
    var sample = OggSample(medium)
    return try sample.countsUp(to: tail, from: try medium.size() - Int64(tail.count))
  }

  private mutating func countsUp(to tail: [UInt8], from start: Int64) throws(Failure) -> Bool {
    guard take(try medium.bytes(at: 0, count: Int(Self.headSize)), at: 0) else { return false }
    var ends = self
    guard ends.take(tail, at: start) else { return false }
    let size = start + Int64(tail.count)
    if ends.pageCount > 0, (size - size / 8) / ends.pageCount < ends.pageSize { return true }
    let places = sequence(first: Self.place(behind: Self.headSize), next: Self.place)
    for place in places.prefix(while: { $0 < start }) {
      let next = sequence(first: Self.place(behind: place), next: Self.place)
      for place in next.prefix(Self.placesAhead) where place < start {
        medium.prefetch(now: place..<place + Int64(Self.blockSize))
      }
      var bytes = try medium.bytes(at: place, count: Self.blockSize)
      while Self.firstPage(in: bytes[...]) == nil, bytes.count < Self.longest {
        let more = try medium.bytes(at: place + Int64(bytes.count), count: Self.blockSize)
        if more.isEmpty { break }
        bytes += more
      }
      guard take(bytes, at: place) else { return false }
    }
    return take(tail, at: start)
  }

  /// The first byte of a block half as far again.
  private static func place(behind place: Int64) -> Int64 {
    (place + place / 2) / Int64(blockSize) * Int64(blockSize)
  }

  /// Pages of all streams by their numbers.
  private var pageCount: Int64 { latest.values.reduce(0) { $0 + Int64($1.sequence) + 1 } }

  /// Takes the pages of bytes that lie at a place; false where there is none, or one is not of the same
  /// link.
  private mutating func take(_ bytes: [UInt8], at place: Int64) -> Bool {
    var rest = bytes[...]
    var isEmpty = true
    var (count, size): (Int64, Int64) = (0, 0)
    while let (index, page) = Self.firstPage(in: rest) {
      isEmpty = false
      // Pages of headers are short.
      if page.granule != 0 { (count, size) = (count + 1, size + Int64(page.size)) }
      rest = rest.dropFirst(index - rest.startIndex + page.size)
      // Places near one another have pages in common.
      guard place + Int64(index) >= end else { continue }
      end = place + Int64(index + page.size)
      guard take(page) else { return false }
    }
    if count > 0 { pageSize = pageSize > 0 ? min(pageSize, size / count) : size / count }
    return !isEmpty
  }

  private mutating func take(_ page: OggPage) -> Bool {
    let before = latest[page.serial]
    guard page.isFirst != (before != nil), !page.isFirst || !hasContent else { return false }
    if !page.isFirst { hasContent = true }
    // A page on which no packet ends has no position.
    let granule = page.granule == .max ? before?.granule ?? 0 : page.granule
    latest[page.serial] = (page.sequence, granule)
    return before.map { $0.sequence < page.sequence && $0.granule <= granule } ?? true
  }

  private static func firstPage(in bytes: ArraySlice<UInt8>) -> (index: Int, page: OggPage)? {
    for index in bytes.indices where bytes[index] == UInt8(ascii: "O") {
      if let page = OggPage(bytes[index...]) { return (index, page) }
    }
    return nil
  }
}
