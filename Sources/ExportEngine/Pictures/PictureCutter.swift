import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import VideoBitstream

/// Makes the packets of an output's picture from ranges of sources: copied wherever decoding can begin
/// with a picture of the range and no picture beyond its end is needed, and encoded around cuts.
///
/// For each range: from its first picture to the next entry (`PictureKind`) pictures are encoded; from
/// there on they are copied in order of decoding, up to the last one behind which no picture of the
/// range is missing; what is left before the end is encoded. Memory is bounded by the pictures that are
/// read ahead.
final class PictureCutter {
  /// A range of a source.
  struct Span {
    /// Of the plan's sources.
    let source: Int
    /// From where to where by the file's clock; nil: from its first picture, or to its last.
    let from: Time?
    let to: Time?
    /// When a moment of the file's clock is shown, by the output's clock.
    let place: (Time) -> Time
  }

  private var spans: ArraySlice<Span>
  private let reels: PictureReels
  private var assembler: PictureAssembler
  private var pending: ArraySlice<Packet> = []
  private var work = Work.next
  /// The packet behind the one that was given last.
  private var held: Packet?
  /// The source that is read.
  private(set) var source = 0

  /// What is to be done next.
  private enum Work {
    /// The next range.
    case next
    /// On in a range: from its start, or from the picture of a tick.
    case enter(Passage, Int64?)
    case encode(Passage, RangeEncoder, EncodedRun?)
    case copy(Passage, Copy)
  }

  /// A range that is under way.
  fileprivate struct Passage {
    let span: Span
    let reel: PictureReel
    let to: PictureBorder?
    /// When its first picture is shown in the source.
    var first: Int64?
    /// Entries that turned out to be none.
    var unusable: Set<Int64> = []

    init(_ span: Span, _ reel: PictureReel) {
      (self.span, self.reel) = (span, reel)
      to = span.to.map { PictureBorder(time: $0, base: reel.base) }
    }

    /// Whether a picture that is shown until `end` belongs to it.
    func includes(_ shown: Int64, until end: Int64) -> Bool {
      to?.isBehind(shown, until: end) ?? true
    }
  }

  /// Pictures that are copied from an entry on.
  private struct Copy {
    var window: PictureWindow
    /// When the entry is shown: what is decoded behind it and shown before it is left out; nil: nothing.
    let entry: Int64?
    var rewriter: RunRewriter
    var isFirst = true
  }

  /// A picture of `spans`, in order, whose packets are put together by `assembler`.
  init(_ spans: [Span], of reels: PictureReels, _ assembler: PictureAssembler) {
    (self.spans, self.reels, self.assembler) = (spans[...], reels, assembler)
  }

  /// The next packet in order of decoding, in ticks of the output; nil at the end. What is shown last is
  /// shown to the output's end.
  func next() throws(LibAVError) -> Packet? {
    if held == nil { held = try ready() }
    guard let packet = held else { return nil }
    held = try ready()
    if held == nil { assembler.extend(packet) }
    return packet
  }

  private func ready() throws(LibAVError) -> Packet? {
    while pending.isEmpty {
      switch work {
      case .next:
        guard let span = spans.popFirst() else { return nil }
        source = span.source
        work = .enter(Passage(span, try reels.reel(span.source)), nil)
      case .enter(let passage, let tick): try enter(passage, at: tick)
      case .encode(let passage, let encoder, let run): try encodeOn(passage, encoder, run)
      case .copy(let passage, let copy): try copyOn(passage, copy)
      }
    }
    return pending.popFirst()
  }

  // MARK: - Entering

  /// Twelve days: beyond it a file is read from its start.
  private static let mostSecondsBack: Int64 = 1 << 20

  /// Where a range begins in its source.
  private struct Entrance {
    /// The tick that leads the demuxer to the entry, or before it; nil: the file's start.
    let seek: Int64?
    /// When the picture is shown with which decoding begins; nil: the first that is read.
    let entry: Int64?
    /// When the first picture of the range is shown.
    let first: Int64
    /// Whether the entry is that picture, and needs nothing before it.
    let isCopied: Bool
  }

  private func enter(_ old: Passage, at tick: Int64?) throws(LibAVError) {
    work = .next
    var passage = old
    guard let entrance = try entrance(of: passage, at: tick) else { return }
    if passage.first == nil { passage.first = entrance.first }
    let reel = passage.reel
    if let seek = entrance.seek { try reel.seek(to: seek) } else { try reel.rewind() }
    var window = PictureWindow(reel)
    try window.fill(1)
    while let entry = entrance.entry, let picture = window.pictures.first, picture.shown != entry {
      _ = window.take(1)
      try window.fill(1)
    }
    guard let picture = window.pictures.first else { throw LibAVError.streamMissing }
    if entrance.isCopied {
      // At the very start what follows the entry is as it is in the source.
      let isWhole = entrance.seek == nil && picture.shown == reel.firstShown && assembler.isEmpty
      work = .copy(
        passage,
        Copy(
          window: window, entry: isWhole ? nil : picture.shown,
          rewriter: try assembler.beginCopy(of: reel, from: isWhole ? .entry : picture.kind)))
    } else {
      try beginEncoding(passage, window, from: entrance.first)
    }
  }

  /// Finds where a range begins, or where it goes on with the picture of a tick; nil where no picture of
  /// the source is in it.
  private func entrance(of passage: Passage, at tick: Int64?) throws(LibAVError) -> Entrance? {
    let reel = passage.reel
    guard let from = tick.map(reel.time) ?? passage.span.from else {
      return try entrance(atStartOf: passage)
    }
    let border = PictureBorder(time: from, base: reel.base)
    // The demuxer goes by times of decoding, or not as far back as is needed: it is then asked again.
    var seconds: Int64 = 0
    while true {
      let target =
        reel.tick(atOrBefore: border.time) - (seconds == 0 ? 0 : reel.ticks(seconds: seconds))
      let isFromStart = seconds > Self.mostSecondsBack
      if isFromStart { try reel.rewind() } else { try reel.seek(to: target) }
      let survey = try PictureSurvey(reel, around: border)
      let isComplete = isFromStart || survey.isFromStart
      switch survey.entrance(passage.unusable, isComplete: isComplete) {
      case .found(let found): return self.entrance(found, in: passage, isComplete ? nil : target)
      case .nothing: return nil
      case .further:
        if isComplete { return nil }
        seconds = seconds == 0 ? 1 : seconds * 4
      }
    }
  }

  private func entrance(atStartOf passage: Passage) throws(LibAVError) -> Entrance? {
    let reel = passage.reel
    try reel.rewind()
    let survey = try PictureSurvey(reel, around: nil)
    guard case .found(let found) = survey.entrance(passage.unusable, isComplete: true) else {
      return nil
    }
    return entrance(found, in: passage, nil)
  }

  private func entrance(
    _ found: PictureSurvey.Entrance, in passage: Passage, _ seek: Int64?
  ) -> Entrance? {
    guard passage.includes(found.first, until: found.firstEnd) else { return nil }
    return Entrance(
      seek: seek, entry: found.entry, first: found.first, isCopied: found.isCopied)
  }

  // MARK: - Encoding

  /// Begins to encode with the picture of a tick.
  private func beginEncoding(
    _ passage: Passage, _ window: PictureWindow, from first: Int64
  ) throws(LibAVError) {
    let bounds = RangeEncoder.Bounds(
      first: first, includes: passage.includes,
      isEntry: { picture in
        picture.kind != .other && picture.shown >= first && !picture.isHidden
          && !passage.unusable.contains(picture.shown)
          && passage.to?.isBehind(picture.shown) ?? true
      })
    let encoder = try RangeEncoder(
      passage.reel, window, bounds, assembler.observer(of: passage.reel))
    work = .encode(passage, encoder, nil)
  }

  /// Encodes the next pictures, up to an entry or to the range's end.
  private func encodeOn(
    _ passage: Passage, _ encoder: RangeEncoder, _ run: EncodedRun?
  ) throws(LibAVError) {
    guard let pictures = try encoder.next() else {
      work = .next
      guard let entry = encoder.entry else { return }
      work = .copy(
        passage,
        Copy(
          window: encoder.window, entry: entry.shown,
          rewriter: try assembler.beginCopy(
            of: passage.reel, from: entry.kind, after: encoder.observer)))
      return
    }
    var run = run
    if run == nil, !pictures.isEmpty {
      run = try assembler.beginRun(of: passage.reel, encoder.header)
    }
    pending += try run?.packets(of: pictures, &assembler, passage.place) ?? []
    work = .encode(passage, encoder, run)
  }

  // MARK: - Copying

  /// Copies the next pictures behind which none is missing, or goes over to encoding.
  private func copyOn(_ passage: Passage, _ old: Copy) throws(LibAVError) {
    work = .next
    var copy = old
    func isLeading(_ picture: CodedPicture) -> Bool {
      old.entry.map { picture.shown < $0 } ?? false
    }
    var count = 0
    var latest = Int64.min
    repeat {
      count += 1
      try copy.window.fill(count)
      guard copy.window.pictures.count >= count else { break }
      let picture = copy.window.pictures[count - 1]
      if !isLeading(picture) { latest = max(latest, picture.shown) }
    } while copy.window.pictures.dropFirst(count).prefix(PictureOrder.most + 1).contains {
      !isLeading($0) && $0.shown < latest
    }
    let chunk = copy.window.take(count)
    guard !chunk.isEmpty else { return }
    let shown = chunk.filter { !isLeading($0) }
    let isWhole = shown.allSatisfy {
      !$0.isHidden && passage.includes($0.shown, until: copy.window.next(after: $0.shown))
    }
    // What cannot be rewritten is encoded, from here to the next entry.
    if isWhole, let pictures = try? copy.rewriter.rewrite(chunk, isLeading: isLeading) {
      pending += try assembler.copied(pictures, of: passage.reel, passage.place)
      copy.isFirst = false
      work = .copy(passage, copy)
      return
    }
    let rest = shown.filter {
      !$0.isHidden && passage.includes($0.shown, until: copy.window.next(after: $0.shown))
    }
    guard let tick = rest.map(\.shown).min() else {
      // Behind what an edit list hides more may follow.
      if !isWhole, shown.contains(where: \.isHidden), !shown.contains(where: { !$0.isHidden }) {
        work = .copy(passage, copy)
      }
      return
    }
    var passage = passage
    if copy.isFirst, let entry = old.window.pictures.first { passage.unusable.insert(entry.shown) }
    work = .enter(passage, tick)
  }
}

extension PictureCutter.Passage {
  /// When a picture of the source is shown in the output: the first one from the very moment of the cut.
  fileprivate var place: (Int64) -> Time {
    let (span, reel, first) = (span, reel, first)
    return { tick in
      let time = reel.time(of: tick)
      if tick == first, let from = span.from { return span.place(from) }
      return span.place(time)
    }
  }
}
