import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import VideoBitstream

/// The packets of an output's picture, which come from ranges of sources.
protocol CopiedPictures: AnyObject {
  /// The source that is read.
  var source: Int { get }

  /// The picture that is shown first: its source, and when it is shown there.
  var first: (source: Int, shown: Int64)? { get }

  /// The next packet in order of decoding, in ticks of the output; nil at the end.
  func next() throws(LibAVError) -> Packet?
}

extension PictureCutter: CopiedPictures {}

/// Makes the packets of an output's picture by copying alone (`video: { copy: edits }`).
///
/// Each range is copied from the entry (`PictureKind`) at or before its first picture on, up to the last
/// packet that a picture of it needs. Packets have times of their own, one range behind the other;
/// `edits` says what of them is shown, and when. By these times a picture that is hidden lasts one tick:
/// readers that ignore the list, or count a range from the first packet of it that is shown, as
/// libavformat's do (`mov_fix_index`), are out of step by some ticks at most.
final class EditedPictureCopy: CopiedPictures {
  private let ranges: [PictureRange]
  private var number = 0
  private let reels: PictureReels
  private var assembler: PictureAssembler
  /// Ticks a second of the output.
  private let timescale: Int32
  /// When the output ends.
  private let end: Time
  /// How far behind an edit's end hidden pictures stand: both of its ends are rounded to a sample in the
  /// file, and its length to a tick by its readers.
  private let distance: Int64
  /// How many pictures may be decoded before one that is shown before them.
  private let depth: Int
  private var run: Run?
  /// One alone: `edits` are to be known no farther than what is given.
  private var ahead = PacketsAhead(atMost: 1)
  /// When all packets up to now are over, by their own clock.
  private var mediaEnd = Int64.min
  private(set) var source = 0
  private(set) var first: (source: Int, shown: Int64)?
  /// What is shown: whole when all packets were given.
  let edits = PictureEdits()

  /// A range that is under way.
  private struct Run {
    let passage: PicturePassage
    var window: PictureWindow
    /// When the entry is shown: what is decoded behind it and shown before it is left out; nil: nothing.
    let entry: Int64?
    /// When the first picture of the range is shown, and those before it.
    let first: Int64
    let hidden: [Int64]
    var rewriter: RunRewriter
    /// By how many ticks its packets are later than the output.
    let lead: Int64
    var clock: DecodingClock
    /// Ticks from one of the first packets to the next, which are decoded before anything is shown.
    let step: Int64
    /// When those behind the range's end are shown, and where they stand by their packets; nil: they are not
    /// known yet.
    var behind: (shown: [Int64], start: Int64)?

    /// Whether a picture must be there, with all that is decoded before it.
    func needs(_ picture: CodedPicture) -> Bool {
      picture.shown <= first || !isBehind(picture)
    }

    /// Whether it belongs to what is behind the range.
    func isBehind(_ picture: CodedPicture) -> Bool {
      guard picture.shown > first else { return false }
      return picture.isHidden
        || !passage.includes(picture.shown, until: window.next(after: picture.shown))
    }
  }

  /// A picture of `ranges`, in order, whose packets are put together by `assembler`, in an output that
  /// ends at `end` and has so many samples a second. At most `depth` pictures are decoded before one that is
  /// shown before them.
  init(
    _ ranges: [PictureRange], of reels: PictureReels, _ assembler: PictureAssembler,
    depth: Int, until end: Time, atRate sampleRate: Int
  ) {
    (self.ranges, self.reels, self.assembler, self.end) = (ranges, reels, assembler, end)
    (self.depth, timescale) = (depth, assembler.timescale)
    distance = Int64(timescale) / Int64(max(1, sampleRate)) + 2
  }

  func next() throws(LibAVError) -> Packet? {
    let packet = try ahead.next(ready, finish: extend)
    if packet == nil, assembler.isEmpty { throw LibAVError.noPicture }
    return packet
  }

  /// Lets the last packet last to the output's end by both clocks. MP4 adds up the times of decoding (ISO
  /// 14496-12, 8.6.1.2), by which the first packets of a range take a tick each: a track that ended by them
  /// would end before its last edit, by as many pictures as are decoded ahead.
  private func extend(_ ending: PacketsAhead.Ending) {
    let packet = ending.last
    guard let shown = packet.timestamp, let decoded = packet.decodingTime, let run else { return }
    let start = min(shown, decoded + ending.lateness)
    packet.place(
      shown: shown, decoded: decoded, lasting: max(packet.duration, edits.end + run.lead - start))
  }

  private func ready() throws(LibAVError) -> Packet? {
    while true {
      if let packet = try copied() { return packet }
      guard number < ranges.count else { return nil }
      let range = ranges[number]
      number += 1
      try begin(range, until: number < ranges.count ? start(of: ranges[number]) : end)
    }
  }

  private func start(of range: PictureRange) -> Time {
    range.from.map(range.place) ?? .zero
  }

  private func ticks(_ time: Time) -> Int64 { time.frames(atRate: Int(timescale)) }

  // MARK: - Ranges

  /// Goes to where a range begins; its last picture is shown until `end`.
  private func begin(_ range: PictureRange, until end: Time) throws(LibAVError) {
    source = range.source
    let reel = try reels.reel(range.source)
    var passage = PicturePassage(range, of: reel)
    guard let entrance = try passage.enterForEdit(isFirst: edits.edits.isEmpty) else { return }
    let (picture, isWhole, hidden) = (entrance.picture, entrance.isWhole, entrance.hidden)
    let start = ticks(passage.time(of: entrance.first))
    // The first one is decoded `depth` ticks before it is shown.
    let lead =
      edits.edits.isEmpty ? 0 : mediaEnd + Int64(depth + 1 + hidden.count) - start
    edits.append(
      PictureEdits.Edit(start: start, media: start + lead), until: max(start, ticks(end)))
    if first == nil { first = (source, entrance.first) }
    run = Run(
      passage: passage, window: entrance.window, entry: isWhole ? nil : picture.shown,
      first: entrance.first, hidden: hidden,
      rewriter: try assembler.beginCopy(of: reel, from: isWhole ? .entry : picture.kind),
      lead: lead, clock: DecodingClock(depth: depth, step: 1),
      // What is shown before a file's first entry stays in it.
      step: isWhole ? Int64(hidden.count + 1) : 1)
  }

  // MARK: - Packets

  /// The next packet of the range that is under way; nil at its end.
  private func copied() throws(LibAVError) -> Packet? {
    guard var run else { return nil }
    while true {
      try run.window.fill(1)
      guard run.window.pictures.contains(where: run.needs),
        let picture = run.window.take(1).first
      else {
        mediaEnd = max(mediaEnd, edits.end + run.lead + distance)
        self.run = run
        return nil
      }
      guard let packet = try packet(of: picture, &run) else { continue }
      self.run = run
      return packet
    }
  }

  /// A picture's packet, in its place; nil where it is left out.
  private func packet(of picture: CodedPicture, _ run: inout Run) throws(LibAVError) -> Packet? {
    try run.passage.reel.requireUnchanged(picture)
    let rewritten: [RewrittenPicture]
    do throws(BitstreamRefusal) {
      rewritten = try run.rewriter.rewrite(
        [picture],
        isLeading: { [entry = run.entry] picture in
          entry.map { picture.shown < $0 } ?? false
        })
    } catch {
      throw LibAVError(refusing: error)
    }
    guard !rewritten.isEmpty else { return nil }
    let (isHidden, isBehind) = (picture.shown < run.first, run.isBehind(picture))
    let shown = isBehind ? placeBehind(picture, &run) : place(of: picture, run)
    let packets = try assembler.copied(rewritten, of: run.passage.reel) { [run] tick in
      let later = max(shown + 1, ticks(run.passage.time(of: tick)) + run.lead)
      return Time(value: tick == picture.shown ? shown : later, timescale: timescale)
    }
    guard let packet = packets.first else { return nil }
    guard let decoded = run.clock.decoded(shown, lasting: run.step) else {
      throw LibAVError.disordered
    }
    // What the last picture of a range lasts beyond it would add up from one range to the next.
    let isToEnd = run.passage.to == nil
    let most = isToEnd ? packet.duration : max(1, edits.end + run.lead - shown)
    let length = isHidden || isBehind ? 1 : min(packet.duration, most)
    packet.place(shown: shown, decoded: decoded, lasting: length)
    if !isHidden, !isBehind { reels.count(copied: rewritten, of: run.passage.reel) }
    mediaEnd = max(mediaEnd, shown + length)
    // Pictures after the end of their sound are shown, where the source is played to its end.
    if isToEnd, !isBehind { edits.extend(until: shown + length - run.lead) }
    return packet
  }

  /// When a picture is shown by its packet: as in the output, or, before the range, a tick before the next.
  private func place(of picture: CodedPicture, _ run: Run) -> Int64 {
    guard picture.shown < run.first else {
      return ticks(run.passage.time(of: picture.shown)) + run.lead
    }
    let left = run.hidden.count - run.hidden.partitioningIndex { $0 >= picture.shown }
    return ticks(run.passage.time(of: run.first)) + run.lead - Int64(max(1, left))
  }

  /// The same of one behind the range's end. They are known when the first one in order of decoding is:
  /// others that are needed follow it in the window.
  private func placeBehind(_ picture: CodedPicture, _ run: inout Run) -> Int64 {
    let behind: (shown: [Int64], start: Int64)
    if let known = run.behind {
      behind = known
    } else {
      var end = edits.end
      if run.passage.to == nil {
        for other in run.window.pictures where !run.isBehind(other) {
          let tick = other.shown + max(1, other.duration)
          end = max(end, ticks(run.passage.time(of: tick)))
        }
      }
      let all = [picture] + run.window.pictures.filter(run.isBehind)
      behind = (all.map(\.shown).sorted(), end + distance + run.lead)
      run.behind = behind
    }
    return behind.start + Int64(behind.shown.count { $0 < picture.shown })
  }
}

extension PicturePassage {
  /// Where a range begins that is copied without encoding.
  struct EditEntrance {
    let window: PictureWindow
    /// The first one that is copied.
    let picture: CodedPicture
    /// When the first picture of the range is shown, and those that are copied before it.
    let first: Int64
    let hidden: [Int64]
    /// Whether what follows the entry is as it is in the source: at its very start.
    let isWhole: Bool
  }

  /// Goes to where the range begins, so that it is copied for an edit; nil where nothing is shown of the
  /// first ranges. `isFirst` says whether nothing was shown before.
  ///
  /// - Throws: Also a refusal of what no edit shows, and of an entry that changes the form or the coding.
  mutating func enterForEdit(isFirst: Bool) throws(LibAVError) -> EditEntrance? {
    // Readers, too, begin with the last key picture.
    guard let entrance = try enter(encodes: false) else {
      guard isFirst else { throw emptyRange }
      return nil
    }
    guard let picture = entrance.window.pictures.first else { throw LibAVError.streamMissing }
    try reel.requireUnchanged(picture)
    // Otherwise the last picture of the range before would have to be shown longer.
    guard isFirst || range.from.map(range.place) == time(of: entrance.first) else {
      throw emptyRange
    }
    let isWhole = entrance.isFromStart && isFirst
    let place = reel.readableTime(of: entrance.first)
    guard isWhole || picture.kind != .other else {
      throw LibAVError.refusedPicture(
        "has no key picture before the one at \(place), with which a copy could begin; write 'video: copy'"
      )
    }
    guard let hidden = entrance.hidden else {
      throw LibAVError.refusedPicture(
        "has thousands of pictures between the one at \(place) and the key picture before it, more than "
          + "'copy: edits' hides; write 'video: copy'")
    }
    return EditEntrance(
      window: entrance.window, picture: picture, first: entrance.first, hidden: hidden,
      isWhole: isWhole)
  }

  private var emptyRange: LibAVError {
    let place = range.from.map(reel.readable) ?? Time.zero.readableText
    return .refusedPicture(
      "has no picture that begins where a range of it does, at \(place), and 'copy: edits' shows none "
        + "longer; move the range, or write 'video: copy'")
  }
}

extension PictureReels {
  /// The packets of a picture that is not encoded throughout, and what of them is shown, where an edit list
  /// says it.
  func packets(
    _ ranges: [PictureRange], _ assembler: PictureAssembler, of plan: PicturePlan,
    depth: Int, delayedBy delay: Time, atRate sampleRate: Int
  ) -> (packets: any CopiedPictures, edits: PictureEdits?) {
    guard plan.isEdited else { return (PictureCutter(ranges, of: self, assembler), nil) }
    let copy = EditedPictureCopy(
      ranges, of: self, assembler, depth: depth, until: plan.duration + delay, atRate: sampleRate)
    return (copy, copy.edits)
  }
}
