import Diagnosis
import Tagging

/// The facts of one stream of an Ogg link, by its pages.
struct OggStream: Sendable {
  /// Missing pages among those of sound, in order.
  var gaps: [SoundGap]
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
  private(set) var gaps: [SoundGap] = []
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
  private var start: SoundGap.Boundary?
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
    let boundary = SoundGap.Boundary(place: place, isWithinPacket: sought.isWithinPacket)
    if sought.isStart { start = boundary } else { finish(boundary) }
  }

  /// Takes the end of the stream.
  mutating func finish() { finish(nil) }

  private mutating func finish(_ end: SoundGap.Boundary?) {
    if let start, let frames { gaps.append(SoundGap(frames: frames, start: start, end: end)) }
    (before, frames, start, sought) = (nil, nil, nil, nil)
  }
}
