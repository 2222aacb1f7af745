import LibAV
import MediaTime

/// The pictures around the beginning of a range, in order of decoding, as far as they tell where it begins
/// and from where it is decoded.
struct PictureSurvey {
  private struct Seen {
    let shown: Int64
    let duration: Int64
    let kind: PictureKind
    let isHidden: Bool
  }

  /// Where a range begins.
  struct Entrance {
    /// When the picture is shown with which decoding begins; nil: the first of the file.
    let entry: Int64?
    /// When the first picture of the range is shown, and when the one behind it.
    let first: Int64
    let firstEnd: Int64
    /// When the picture before it is shown; nil where there is none.
    let earlier: Int64?
    /// Whether copying begins with it, and nothing before it is needed.
    let isCopied: Bool
    /// Whether decoding could begin with it.
    let isEntry: Bool
    /// When pictures are shown that are decoded from the entry on and shown before it, ascending; nil: they
    /// are too many to be remembered.
    let hidden: [Int64]?
  }

  enum Result {
    case found(Entrance)
    /// No picture of the source is shown in the range.
    case nothing
    /// More must be seen of what stands before it.
    case further
  }

  private let border: PictureBorder?
  private var seen: [Seen] = []
  /// Whether some of them are forgotten, and from where on none is.
  private var (hasForgotten, firstWhole) = (false, 0)
  /// What may be decoded next, so that it is not read again.
  private var kept = KeptPictures()
  /// Whether it began with the file's first picture.
  private(set) var isFromStart = true
  /// Whether an open entry needs what is decoded before it, for its references to be counted.
  private let observesBefore: Bool

  /// Reads from where the reel stands until all that is shown around a border is known; nil: around the
  /// first picture that is shown.
  init(_ reel: PictureReel, around border: PictureBorder?) throws(LibAVError) {
    self.border = border
    observesBefore = if case .h264 = reel.coding { true } else { false }
    var behind = 0
    // A file may begin far before its first entry, as a recording of a broadcast does.
    var (hasEntry, count) = (false, 0)
    while behind <= PictureOrder.most + 1, let picture = try reel.next() {
      if seen.isEmpty { isFromStart = picture.shown == reel.firstShown }
      count += 1
      hasEntry = hasEntry || picture.kind != .other || count > Self.mostBeforeEntry
      forgetFarOnes()
      seen.append(
        Seen(
          shown: picture.shown, duration: picture.duration, kind: picture.kind,
          isHidden: picture.isHidden))
      kept.add(picture, isBehind: behind > 0)
      let isBefore = border.map { $0.isBehind(picture.shown) } ?? false
      guard behind > 0 || !picture.isHidden && !isBefore else { continue }
      behind = isFromStart && !hasEntry ? 1 : behind + 1
    }
  }

  /// Pictures that a file may begin with before its first entry: some minutes.
  private static let mostBeforeEntry = 1 << 13

  /// Pictures, and entries among them, that are remembered: some more than are decoded in an order of their
  /// own, and more than are tried one after the other.
  private static let mostSeen = (all: 1 << 14, recent: 1 << 8, entries: 1 << 10)

  /// Of what stands far before the border, entries alone are asked for, and what follows the last of them.
  private mutating func forgetFarOnes() {
    guard seen.count == Self.mostSeen.all else { return }
    let far = seen.dropLast(Self.mostSeen.recent)
    let last = far.lastIndex { $0.kind != .other } ?? 0
    let recent = seen[(last >= Self.mostSeen.all / 2 ? last : far.endIndex)...]
    let entries = seen[..<recent.startIndex].filter { $0.kind != .other }
      .suffix(Self.mostSeen.entries)
    (hasForgotten, firstWhole) = (true, entries.count)
    seen = Array(entries) + recent
  }

  /// The pictures that were seen from an entry on, or from the file's first one on; nil where they are too
  /// many to be kept.
  func pictures(from entry: Int64?) -> ArraySlice<CodedPicture>? { kept.pictures(from: entry) }

  /// Where the range begins; `isComplete` says that nothing stands before what was seen, `unusable` are
  /// entries from which nothing can be copied.
  func entrance(_ unusable: Set<Int64>, isComplete: Bool) -> Result {
    let visible = seen.filter { !$0.isHidden }.sorted { $0.shown < $1.shown }
    let earlier = visible.lastIndex { border?.isBehind($0.shown) ?? false }
    if border != nil, earlier == nil, !isComplete { return .further }
    var place = earlier.map { $0 + 1 } ?? 0
    if let earlier, let border {
      let one = visible[earlier]
      let end = place < visible.count ? visible[place].shown : one.shown + max(1, one.duration)
      if !border.isBehind(one.shown, until: end) { place = earlier }
    }
    guard place < visible.count else { return .nothing }
    return entrance(visible, place, unusable, isComplete: isComplete)
  }

  private func entrance(
    _ visible: [Seen], _ place: Int, _ unusable: Set<Int64>, isComplete: Bool
  ) -> Result {
    func found(
      _ place: Int, entry: Int64?, isCopied: Bool, isEntry: Bool = false
    ) -> Result {
      let first = visible[place]
      let end =
        place + 1 < visible.count
        ? visible[place + 1].shown : first.shown + max(1, first.duration)
      let start = entry.flatMap { entry in seen.firstIndex { $0.shown == entry } }
      let hidden =
        start.map { $0 < firstWhole } ?? hasForgotten
        ? nil : seen[(start ?? 0)...].map(\.shown).filter { $0 < first.shown }.sorted()
      return .found(
        Entrance(
          entry: entry, first: first.shown, firstEnd: end,
          earlier: place > 0 ? visible[place - 1].shown : nil, isCopied: isCopied,
          isEntry: isCopied || isEntry, hidden: hidden))
    }
    let first = visible[place]
    guard let index = seen.firstIndex(where: { $0.shown == first.shown && !$0.isHidden }) else {
      return .nothing
    }
    let entries = seen[...index].filter { $0.kind != .other && $0.shown <= first.shown }
    let own = first.kind != .other && !unusable.contains(first.shown) ? first : nil
    if let own, own.kind == .entry || !observesBefore {
      return found(place, entry: own.shown, isCopied: true)
    }
    if let entry = entries.last(where: { own == nil || $0.shown < first.shown }) {
      return found(place, entry: entry.shown, isCopied: false, isEntry: own != nil)
    }
    if !isComplete { return .further }
    if let own { return found(place, entry: own.shown, isCopied: true) }
    // What stands before a file's first entry cannot be decoded: it is not shown in the source either.
    let next = visible.indices.first { $0 > place && visible[$0].kind != .other }
    guard let next else { return found(place, entry: nil, isCopied: false) }
    return found(
      next, entry: visible[next].shown, isCopied: !unusable.contains(visible[next].shown))
  }
}

/// Pictures in order of decoding, of the last two groups before a border and of what stands behind it.
private struct KeptPictures {
  private var pictures: [CodedPicture] = []
  private var bytes = 0
  /// Where the last entry stands among them.
  private var entry = 0
  /// Whether none was left out.
  private var isAll = true
  /// Whether they are too many up to the next entry.
  private var isFull = false

  /// Two groups of ten seconds at 12 Mbit/s; longer ones are read again.
  private static let mostBytes = 1 << 25

  /// Adds the picture that is read next; `isBehind` says whether a border stands before it.
  mutating func add(_ picture: CodedPicture, isBehind: Bool) {
    if picture.kind != .other, !isBehind {
      leaveOut(entry)
      entry = pictures.count
      isFull = false
    }
    guard !isFull else { return }
    pictures.append(picture)
    bytes += picture.packet.size
    if bytes > Self.mostBytes { leaveOut(entry) }
    if bytes > Self.mostBytes {
      leaveOut(pictures.count)
      isFull = true
    }
  }

  private mutating func leaveOut(_ count: Int) {
    guard count > 0 else { return }
    isAll = false
    bytes -= pictures.prefix(count).reduce(0) { $0 + $1.packet.size }
    pictures.removeFirst(count)
    entry = 0
  }

  /// Those from an entry on, or all that there are.
  func pictures(from entry: Int64?) -> ArraySlice<CodedPicture>? {
    guard let entry else { return isAll ? pictures[...] : nil }
    return pictures.firstIndex { $0.shown == entry && $0.kind != .other }.map { pictures[$0...] }
  }
}
