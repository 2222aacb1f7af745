import Diagnosis
import LibAV
import Tagging

/// The sound of an Ogg stream by its packets, held against its granule positions.
///
/// A granule position counts the frames of the packets that end on its page and before, and nothing else
/// (RFC 7845, 4 and 4.1; Vorbis I, A.2): one that says more or less, where no page is missing, is wrong,
/// and no hole. `patches` are the right ones, by which libavformat places each packet.
struct OggCount: Sendable {
  /// A granule position that leaps, or goes back, and those behind it with it.
  struct Leap: Sendable, Hashable {
    /// Frames before the packets of its page, with those of missing pages.
    var frame: Int64
    var change: Int64
  }

  /// The granule position at which the first packet begins, and that at which the sound ends.
  var start: Int64 = 0
  var end: Int64 = 0
  /// Frames behind the sound's end that the last packets hold.
  var padding: Int64 = 0
  /// In order; `most` at most.
  var leaps: [Leap] = []
  /// Pages on which packets end, and which have no granule position, and the frames before the first.
  var unnumbered: (count: Int, frame: Int64) = (0, 0)
  /// Frames before the first packet without a length, behind which libavformat reads nothing.
  var brokenFrame: Int64?
  /// Whether it has a packet that no decoder takes, whose length the granule positions alone say.
  var isUncertain = false
  /// Whether all wrong granule positions are among `patches`.
  var isPatched = true
  /// Whether some are not, since the file has more than `mostPatches`.
  var isOverfull = false
  var patches: [BytePatch] = []
  /// Of Opus.
  var modes: OpusModes?

  static let most = 10_000
  /// Of all streams of a file: more pages than 60 hours have with one a second.
  static let mostPatches = 250_000
}

/// Counts what the packets of an Ogg stream hold, page by page. One thread at a time.
struct OggCounter {
  /// Pages without a granule position that are held until a later one has one.
  private static let mostWaiting = 16

  /// How many patches the file may still get.
  var room = 0
  private var packets = OggPackets()
  private var count = OggCount()
  private var hasSound = false
  /// Whether the stream's last page came.
  private var isEnded = false
  /// Frames of all packets so far.
  private var frames: Int64 = 0
  /// Frames of the packets that end on the last page.
  private var lastFrames: Int64 = 0
  /// The granule position of frame 0, in the first run of pages and in the last one; nil until a page
  /// says it.
  private var start: Int64?
  private var base: Int64?
  /// The latest such position.
  private var known: Int64 = 0
  /// Frames that later granule positions count too much, by leaps so far.
  private var shift: Int64 = 0
  /// Frames that the last one counts too much beside these, where they are fewer than a leap has.
  private var deviation: Int64 = 0
  private var waiting: [(page: [UInt8], offset: Int64, frames: Int64)] = []

  /// Takes the next page, of which `bytes` are all.
  ///
  /// - Returns: Its granule position, or the right one, where packets end on it; nil where none is known.
  mutating func add(
    _ page: OggPage, _ bytes: ArraySlice<UInt8>, at offset: Int64, isBehindGap: Bool
  ) -> Int64? {
    let found = packets.add(page, bytes, isBehindGap: isBehindGap)
    let stated = Int64(exactly: page.granule).flatMap { $0 < StreamFacts.farthestFrame ? $0 : nil }
    if case .unknown = packets.clock { return stated }
    if isBehindGap {
      if !waiting.isEmpty { begin(at: known) }
      base = nil
    }
    if found.isBroken, count.brokenFrame == nil { count.brokenFrame = frame(of: 0) }
    guard found.packets > 0 else {
      if page.isLast, page.lacing.isEmpty, let stated {
        _ = end(at: stated - deviation, of: lastFrames)
      }
      return stated
    }
    if found.isUncertain { count.isUncertain = true }
    frames += found.frames
    lastFrames = found.frames
    // libavformat has cut the end that comes before these.
    if isEnded { count.isPatched = false }
    isEnded = page.isLast
    defer { hasSound = true }
    if base == nil {
      guard let stated else {
        wait(bytes, offset)
        return nil
      }
      if page.isLast, !hasSound {
        // libavformat has the sound of a sole page begin at 0.
        begin(at: 0)
        count.end = frames
        _ = end(at: stated, of: found.frames)
        return count.end
      }
      begin(behindGap: stated)
    } else if found.isUncertain, let stated {
      // The granule position alone says how long the packet was.
      begin(behindGap: stated)
    }
    place(page, bytes, offset, stated, found.frames)
    return count.end
  }

  /// Holds the granule position of a page against the packets that end on it.
  private mutating func place(
    _ page: OggPage, _ bytes: ArraySlice<UInt8>, _ offset: Int64, _ stated: Int64?,
    _ onPage: Int64
  ) {
    let expected = known + frames
    (count.end, count.padding) = (expected, 0)
    guard let stated else {
      deviation = 0
      noteUnnumbered(with: onPage)
      return patch(Array(bytes), at: offset, to: expected)
    }
    // The last page may leave out the end of its packets (RFC 7845, 4.4).
    if page.isLast, end(at: stated - deviation, of: onPage) {
      if stated != count.end { patch(Array(bytes), at: offset, to: count.end) }
      return
    }
    if stated != expected { patch(Array(bytes), at: offset, to: expected) }
    // Programs that copy from a container with rounded times are off by less, here and there.
    let change = stated - shift - expected
    guard change.magnitude >= UInt64(max(1, packets.rate / 100)) else {
      deviation = change
      return
    }
    (shift, deviation) = (shift + change, 0)
    if count.leaps.count < OggCount.most {
      count.leaps.append(OggCount.Leap(frame: frame(of: onPage), change: change))
    }
  }

  /// Ends the sound at a granule position; false where that is not within the last page's packets.
  private mutating func end(at stated: Int64, of onPage: Int64) -> Bool {
    guard base != nil else { return false }
    let expected = known + frames
    guard expected - onPage...expected ~= stated - shift else { return false }
    (count.end, count.padding) = (stated - shift, expected - (stated - shift))
    return true
  }

  /// Takes the granule position of a page for the right one.
  private mutating func begin(behindGap stated: Int64) {
    // The leap was one page's alone, if this one counts less, or more than any file has.
    let bounds = known - Int64(packets.rate)...StreamFacts.farthestFrame
    if !(bounds ~= stated - shift - frames) { shift = 0 }
    begin(at: stated - shift - frames)
  }

  /// Takes `granule` for that of frame 0, also of the pages that wait for it.
  private mutating func begin(at granule: Int64) {
    (base, known, start, deviation) = (granule, granule, start ?? granule, 0)
    for page in waiting { patch(page.page, at: page.offset, to: granule + page.frames) }
    waiting = []
  }

  private mutating func wait(_ bytes: ArraySlice<UInt8>, _ offset: Int64) {
    noteUnnumbered(with: lastFrames)
    waiting.append((Array(bytes), offset, frames))
    count.end = known + frames
    if waiting.count >= Self.mostWaiting { begin(at: known) }
  }

  /// The frame at which a page with so many begins.
  private func frame(of onPage: Int64) -> Int64 { known - (start ?? known) + frames - onPage }

  private mutating func noteUnnumbered(with onPage: Int64) {
    if count.unnumbered.count == 0 { count.unnumbered.frame = frame(of: onPage) }
    count.unnumbered.count += 1
  }

  private mutating func patch(_ page: [UInt8], at offset: Int64, to granule: Int64) {
    guard room > 0 else { return (count.isPatched, count.isOverfull) = (false, true) }
    room -= 1
    var head = page
    let granule = max(0, granule)
    for index in 0..<8 { head[6 + index] = UInt8(truncatingIfNeeded: granule >> Int64(8 * index)) }
    let sum = head.withUnsafeBytes(Checksum.oggPage) ?? 0
    for index in 0..<4 { head[22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    count.patches.append(BytePatch(offset: offset + 6, bytes: Array(head[6..<26])))
  }

  /// What was found; nil of a stream whose packets have no known lengths, or that has none.
  mutating func finish() -> OggCount? {
    if case .unknown = packets.clock { return nil }
    guard hasSound else { return nil }
    if !waiting.isEmpty { begin(at: known) }
    count.start = start ?? 0
    count.modes = packets.modes
    return count
  }
}
