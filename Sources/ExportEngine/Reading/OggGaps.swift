import Diagnosis
import Tagging

/// Pages that are missing from an Ogg stream: the numbers of those around them leave some out (RFC 3533,
/// 6, field 6), and their granules say how many frames these had.
struct OggGap: Sendable, Hashable {
  /// A place between two packets.
  struct Boundary: Sendable, Hashable {
    /// Where the first page behind it lies on which a packet begins, as libavformat counts bytes.
    var place: Int64
    /// Whether a packet that began before it ends behind it.
    var isWithinPacket: Bool
  }

  /// Frames from the last packet's end before it to that of the first page behind it on which one ends.
  var frames: Int64
  /// Between the sound before it and that behind it.
  var start: Boundary
  /// Behind that page; nil: the stream's end.
  var end: Boundary?
}

/// Finds the gaps of one stream, page by page.
struct OggGapFinder {
  /// More are not kept.
  static let most = 10_000

  /// Complete ones, in order.
  private(set) var gaps: [OggGap] = []
  /// Whether a page is missing, be it one without frames.
  private(set) var lacksPages = false

  private let serial: UInt32
  private var sequence: UInt32?
  /// Of the last page on which a packet of sound ended.
  private var granule: Int64?
  /// Whether the last packet goes on behind the last page.
  private var isOpen = false
  /// The gap that is not complete.
  private var frames: Int64?
  private var before: Int64?
  private var start: OggGap.Boundary?
  /// Whether a packet of the boundary that is looked for, whose page has not come, ends behind it.
  private var sought: (isStart: Bool, isWithinPacket: Bool)?

  init(serial: UInt32) { self.serial = serial }

  /// Takes the next page that is whole, which lies at `place`.
  mutating func add(_ page: OggPage, at place: Int64) {
    guard page.serial == serial else { return }
    let isWithinPacket = page.isContinued && isOpen
    if frames != nil, sought == nil {
      // The first page behind the one whose granule ends the gap.
      sought = (false, isWithinPacket)
    }
    settle(page, at: place)
    if let sequence, let granule, 1..<1 << 31 ~= page.sequence &- sequence &- 1 {
      lacksPages = true
      if before == nil, gaps.count < Self.most {
        before = granule
        sought = (true, isWithinPacket)
        settle(page, at: place)
      }
    }
    if let end = Int64(exactly: page.granule), end < StreamFacts.farthestFrame {
      if let before, frames == nil { frames = end - before }
      // Pages of headers have 0.
      if end > 0 { granule = end }
    }
    sequence = page.sequence
    if let last = page.lacing.last { isOpen = last == 255 }
  }

  /// Takes `page` for the one of the boundary that is looked for.
  private mutating func settle(_ page: OggPage, at place: Int64) {
    guard let sought, page.beginsPacket else { return }
    self.sought = nil
    let boundary = OggGap.Boundary(place: place, isWithinPacket: sought.isWithinPacket)
    if sought.isStart { start = boundary } else { finish(boundary) }
  }

  /// Takes the end of the stream.
  mutating func finish() { finish(nil) }

  private mutating func finish(_ end: OggGap.Boundary?) {
    if let start, let frames { gaps.append(OggGap(frames: frames, start: start, end: end)) }
    (before, frames, start, sought) = (nil, nil, nil, nil)
  }
}

/// Finds the holes that gaps leave while a stream's frames are counted. One thread at a time.
struct OggHoles {
  private let gaps: [OggGap]
  private let places: Set<Int64>
  /// By the place of a page: frames before the first packet that begins on it, and before the packet
  /// ahead of that one.
  private var counts: [Int64: (first: Int64, previous: Int64)] = [:]
  private var last: (place: Int64?, frame: Int64) = (nil, 0)

  init(_ gaps: [OggGap]) {
    self.gaps = gaps
    places = Set(gaps.flatMap { [$0.start.place, $0.end?.place].compactMap { $0 } })
  }

  /// Notes a packet before which the stream has `frame` frames, and where the page lies on which the
  /// packet begins.
  mutating func note(_ frame: Int64, at place: Int64?) {
    if let place, place != last.place, places.contains(place), counts[place] == nil {
      counts[place] = (frame, last.frame)
    }
    last = (place, frame)
  }

  /// The holes of a stream: what granules count between the sound around a gap less what is there.
  ///
  /// - Parameters:
  ///   - count: Frames of the stream.
  ///   - least: Fewer frames are no hole.
  /// - Returns: The holes, in order.
  /// - Complexity: O(n) in the number of gaps
  func holes(in count: Int64, least: Int64) -> [HoleFinder.Hole] {
    gaps.compactMap { gap in
      guard let start = frame(gap.start), let end = gap.end.map(frame) ?? count else { return nil }
      let size = gap.frames - (end - start)
      return size >= least ? HoleFinder.Hole(frame: start, count: size) : nil
    }
  }

  private func frame(_ boundary: OggGap.Boundary) -> Int64? {
    counts[boundary.place].map { boundary.isWithinPacket ? $0.previous : $0.first }
  }
}

extension Prober {
  /// The gaps of an Ogg stream. A page that is damaged is missing, as libavformat leaves it out, if
  /// `checksums` are looked at, for which all bytes are read.
  ///
  /// - Complexity: O(pages); O(bytes) with `checksums`, and where pages are damaged
  func oggGaps(
    of opened: OpenedStream, checksums: Bool
  ) throws(Failure) -> OggGapFinder? {
    guard opened.demuxer.formatName == "ogg", let first = opened.first.dataStart else { return nil }
    let range = range ?? 0..<identity.size
    let head = try bytes.bytes(at: range.lowerBound + first, count: OggPage.longestHead)
    guard let serial = OggPage(head)?.serial else { return nil }
    var finder = OggGapFinder(serial: serial)
    var search = OggLinks.Search(bytes)
    var offset = range.lowerBound + first
    while offset < range.upperBound {
      if let page = OggPage(try bytes.bytes(at: offset, count: OggPage.longestHead)),
        offset + Int64(page.size) <= range.upperBound,
        checksums ? OggPage.isIntact(try bytes.bytes(at: offset, count: page.size)) : true
      {
        finder.add(page, at: offset - range.lowerBound)
        offset += Int64(page.size)
      } else {
        guard let next = try search.nextPage(from: offset + 1) else { break }
        offset = next
      }
    }
    finder.finish()
    return finder
  }

  /// Counts a stream's frames, and those that pages of Ogg lack.
  func count(
    _ opened: OpenedStream, _ facts: StreamFacts
  ) throws(Failure) -> CountedStream.Count {
    let gaps = try oggGaps(of: opened, checksums: true)?.gaps ?? []
    return try CountedStream.count(facts, codec: opened.stream.codecName, gaps)
  }

  /// Whether pages are missing from an Ogg file here, by their numbers alone; of a server's file that
  /// would fetch the whole.
  func lacksPages(_ opened: OpenedStream) throws(Failure) -> Bool {
    guard location.url == nil else { return false }
    return try oggGaps(of: opened, checksums: false)?.lacksPages ?? false
  }

  /// Whether the first and the last page of an Ogg file have one serial number (RFC 3533, 6).
  func endsAsItBegins() throws(Failure) -> Bool {
    // A page has at most 65,307 bytes.
    let count = min(identity.size, 1 << 16)
    let first = OggPage(try bytes.bytes(at: 0, count: OggPage.longestHead))
    let tail = try bytes.bytes(at: identity.size - count, count: Int(count))
    let last = tail.indices.reversed().lazy.compactMap { index in
      tail[index] == UInt8(ascii: "O") ? OggPage(tail[index...]) : nil
    }.first
    return first != nil && first?.serial == last?.serial
  }
}
