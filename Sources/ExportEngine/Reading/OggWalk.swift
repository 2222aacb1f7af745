import Diagnosis
import LibAV
import Tagging
import Threads

/// A link of an Ogg file: one of the files that were put behind one another, each with headers of its
/// own (chaining; RFC 3533, 4); or all of a file that is not chained.
struct OggLink: Sendable {
  /// How it ends.
  enum End: Sendable, Hashable {
    /// With a page that is whole and ends a stream (RFC 3533, 6).
    case whole
    /// Of a link before others: with a page that is whole and ends no stream. Its last pages are missing, or
    /// a stream was recorded that changed to the next link.
    case open
    /// With a page that is incomplete or, of the last link, ends no stream.
    case missing
    /// With a page of another checksum than it names, which libavformat leaves out.
    case damaged
  }

  /// Where its pages lie.
  var range: Range<Int64>
  /// The bytes behind them that no page has.
  var rest: Range<Int64>
  var end = End.whole
  /// What its streams hold, by their serial numbers.
  var streams: [UInt32: OggStream] = [:]
  /// Whether it has more streams than are looked at.
  var isOverfull = false
  /// Whether only some of its pages were looked at.
  var isSampled = false
}

/// One walk over all pages of an Ogg file, which finds everything that they say. One thread at a time.
///
/// A page is one if its checksum is right; libavformat leaves out others as well. Behind one that is
/// damaged, or that was cut short and reaches over pages that follow, the next page is looked for from
/// its second byte on.
struct OggWalk {
  /// More links than any honest file has: a year of hours.
  static let most = 10_000
  /// Damaged pages that are looked into for others; more are passed over by the size that they name.
  private static let mostSearches = 10_000
  /// Streams of a link that are looked at.
  static let mostStreams = 64

  private var window: Window
  private let size: Int64
  private var links: [OggLink] = []
  /// The link that the walk is in: where it begins, where its last page ends, and its streams.
  private var start: Int64 = 0
  private var end: Int64 = 0
  private var streams: [UInt32: OggStreamWalk] = [:]
  /// How many granule positions of the file may still be corrected.
  private var room = OggCount.mostPatches
  private var hasContent = false
  private var isOverfull = false
  private var last: OggPage?
  /// A damaged page right behind the last one, if no other lies within it.
  private var damaged: Range<Int64>?

  private init(_ medium: MediumBytes) throws(Failure) {
    (window, size) = (Window(medium), try medium.size())
  }

  /// The links of an Ogg file; one of a file that is not chained.
  ///
  /// A page that begins a stream, behind pages of sound, begins a link, whatever its serial number is:
  /// files that are put together may have the same.
  ///
  /// - Returns: The links in order, `most` + 1 at most.
  /// - Throws: Where the medium cannot be read, and the code `cancelled`.
  /// - Complexity: O(bytes)
  static func links(in medium: MediumBytes) throws(Failure) -> [OggLink] {
    var walk = try OggWalk(medium)
    try walk.walk()
    return walk.links
  }

  private mutating func walk() throws(Failure) {
    var offset: Int64 = 0
    var searches = 0
    while offset < size, links.count < Self.most {
      guard let page = OggPage(try window.bytes(at: offset, count: OggPage.longestHead)),
        offset + Int64(page.size) <= size
      else {
        guard let next = try window.nextPage(from: offset + 1) else { break }
        offset = next
        continue
      }
      let bytes = try window.bytes(at: offset, count: page.size)
      let next = offset + Int64(page.size)
      if page.isIntact(bytes) {
        if page.isFirst, hasContent { try finish(before: offset) }
        add(page, bytes, at: offset)
        offset = next
        continue
      }
      if offset == damaged?.upperBound ?? end { damaged = offset..<next }
      searches += 1
      if searches > Self.mostSearches {
        offset = next
      } else {
        guard let next = try window.nextPage(from: offset + 1) else { break }
        offset = next
      }
    }
    try finish(before: size)
  }

  private mutating func add(_ page: OggPage, _ bytes: ArraySlice<UInt8>, at offset: Int64) {
    if !page.isFirst { hasContent = true }
    (last, damaged, end) = (page, nil, offset + Int64(page.size))
    if streams[page.serial] == nil {
      guard streams.count < Self.mostStreams else { return isOverfull = true }
      streams[page.serial] = OggStreamWalk()
    }
    streams[page.serial]?.room = room
    streams[page.serial]?.add(page, bytes, at: offset, inLink: offset - start)
    room = streams[page.serial]?.room ?? room
  }

  /// Ends the link that the walk is in, at the beginning of the next one or at the end of the file.
  private mutating func finish(before next: Int64) throws(Failure) {
    // A page that reaches into the next link was cut short. What lies behind the end of one that is
    // damaged is none of its link.
    if let page = damaged {
      if page.upperBound > next { damaged = nil } else { end = page.upperBound }
    }
    // A page that was cut short is the link's.
    let isCut = end < next ? try beginsPage(at: end) : false
    var link = OggLink(range: start..<next, rest: next..<next)
    if start < end, !isCut { (link.range, link.rest) = (start..<end, end..<next) }
    link.end =
      last == nil || isCut
      ? .missing
      : damaged != nil ? .damaged : last?.isLast == true ? .whole : next == size ? .missing : .open
    link.isOverfull = isOverfull
    for (serial, stream) in streams {
      var stream = stream
      stream.room = room
      link.streams[serial] = stream.finish()
      room = stream.room
    }
    links.append(link)
    (start, end, streams, isOverfull, hasContent) = (next, next, [:], false, false)
    (last, damaged) = (nil, nil)
  }

  /// Whether a page begins at `offset`, be it that the file ends within its head.
  private mutating func beginsPage(at offset: Int64) throws(Failure) -> Bool {
    let head = try window.bytes(at: offset, count: OggPage.longestHead)
    let isCut = head.count < OggPage.longestHead && "OggS".utf8.starts(with: head.prefix(4))
    return isCut || OggPage(head) != nil
  }

  /// The bytes around a place, of which each is read once as it moves on.
  private struct Window {
    private static let blockSize = 1 << 18
    private let medium: MediumBytes
    private var start: Int64 = 0
    private var block: [UInt8] = []

    init(_ medium: MediumBytes) { self.medium = medium }

    /// `count` bytes, 65,307 at most, from `offset` on; fewer at the end.
    mutating func bytes(at offset: Int64, count: Int) throws(Failure) -> ArraySlice<UInt8> {
      if offset < start || offset + Int64(count) > start + Int64(block.count) {
        try CancellationFlag.requireWanted(at: medium.location)
        (start, block) = (offset, try medium.bytes(at: offset, count: Self.blockSize))
      }
      return block.dropFirst(Int(offset - start)).prefix(count)
    }

    /// Where the next bytes lie that look like a page, at or behind `offset`; nil where none do.
    mutating func nextPage(from offset: Int64) throws(Failure) -> Int64? {
      var offset = offset
      while true {
        let first = try bytes(at: offset, count: OggPage.longestHead).startIndex
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

extension OggPage {
  /// Whether bytes are all of this page, with the checksum that it names (RFC 3533, 6, field 7). O(n)
  func isIntact(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count == size else { return false }
    let place = bytes.startIndex + 22
    let stated = bytes[place..<place + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return bytes.withUnsafeBytes(Checksum.oggPage) == stated
  }
}
