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

/// The facts of one stream of an Ogg link, by its pages.
struct OggStream: Sendable {
  /// Missing pages among those of sound, in order.
  var gaps: [OggGap]
  /// Whether pages are missing there, be it ones without frames.
  var lacksPages: Bool
  /// How many pages are missing before its sound.
  var missingFirst: Int
  /// What its packets hold; nil where their lengths are not known.
  var count: OggCount?
}

/// Walks over the pages of one stream. One thread at a time.
struct OggStreamWalk {
  private var gaps = OggGapFinder()
  private var counter = OggCounter()
  private var sequence: UInt32?

  /// How many granule positions of the file may still be corrected.
  var room: Int {
    get { counter.room }
    set { counter.room = newValue }
  }

  /// Takes the next page that is whole, of which `bytes` are all: where it lies in the medium and in its
  /// link.
  mutating func add(
    _ page: OggPage, _ bytes: ArraySlice<UInt8>, at offset: Int64, inLink place: Int64
  ) {
    let missing = sequence.map { page.sequence &- $0 &- 1 } ?? 0
    // Numbers that go back begin another count.
    let isBehindGap = 1..<1 << 31 ~= missing
    let granule = counter.add(page, bytes, at: offset, isBehindGap: isBehindGap)
    gaps.add(page, at: place, granule: granule, missing: isBehindGap ? Int(missing) : 0)
    sequence = page.sequence
  }

  /// What was found, at the end of the link.
  mutating func finish() -> OggStream {
    gaps.finish()
    return OggStream(
      gaps: gaps.gaps, lacksPages: gaps.lacksPages, missingFirst: gaps.missingFirst,
      count: counter.finish())
  }
}

/// Finds the gaps of one stream, page by page.
struct OggGapFinder {
  /// More are not kept.
  static let most = 10_000

  /// Complete ones, in order.
  private(set) var gaps: [OggGap] = []
  /// Whether a page of sound is missing behind others, be it one without frames.
  private(set) var lacksPages = false
  /// How many are missing before the first page on which sound ends.
  private(set) var missingFirst = 0

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

  /// Takes the next page that is whole, which lies at `place`, with its granule position, if it has one,
  /// behind so many that are missing.
  mutating func add(_ page: OggPage, at place: Int64, granule end: Int64?, missing: Int) {
    let isWithinPacket = page.isContinued && isOpen
    if frames != nil, sought == nil {
      // The first page behind the one whose granule ends the gap.
      sought = (false, isWithinPacket)
    }
    settle(page, at: place)
    if granule == nil { missingFirst += missing }
    if missing > 0, let granule {
      lacksPages = true
      if before == nil, gaps.count < Self.most {
        before = granule
        sought = (true, isWithinPacket)
        settle(page, at: place)
      }
    }
    if let end {
      if let before, frames == nil { frames = end - before }
      // Pages of headers have 0.
      if end > 0 { granule = end }
    }
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
