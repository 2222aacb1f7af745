import ExportGraph
import LibAV
import MediaTime

/// A range of a source whose picture is shown.
struct PictureRange {
  /// Of the plan's sources.
  let source: Int
  /// From where to where by the file's clock; nil: from its first picture, or to its last.
  let from: Time?
  let to: Time?
  /// When a moment of the file's clock is shown, by the output's clock.
  let place: (Time) -> Time
  /// Its moves from and to black, by the output's clock.
  var fades: [PictureFade] = []
  /// What comes in over its pictures, in order of time.
  var entering: [EnteringRange] = []
  /// Whether fades change its pictures, or it comes in over others.
  var isFaded = false
}

/// A range that comes in over another one.
struct EnteringRange {
  let range: PictureRange
  /// From when on it is seen, and how it comes in, by the output's clock.
  let start: Time
  let fade: PictureFade
}

extension PictureRange {
  /// The share of its pictures' light at a moment of the output's clock.
  func light(at time: Time) -> Double { fades.reduce(1) { $0 * $1.share(at: time) } }

  /// Which picture comes in over its own at a moment, and its share; nil where none does.
  ///
  /// What came in last stays, so that no picture of the range is seen whole behind it.
  func entering(at time: Time) -> (index: Int, share: Double)? {
    guard let index = entering.lastIndex(where: { $0.start < time }) else { return nil }
    let share = entering[index].fade.share(at: time)
    return share > 0 ? (index, share) : nil
  }

  /// The fade that changes a picture at a moment, by its key, and how long it lasts; nil where none does.
  func fade(at time: Time) -> (key: String, duration: Time)? {
    if let coming = entering(at: time) {
      return ("crossfade", entering[coming.index].fade.range.duration)
    }
    return fades.first { $0.share(at: time) < 1 }.map { ($0.key, $0.range.duration) }
  }
}

/// A range that is under way.
struct PicturePassage {
  let range: PictureRange
  let reel: PictureReel
  let to: PictureBorder?
  /// When its first picture is shown in the source.
  private(set) var first: Int64?
  /// Whether that picture is the one at the cut, and not one that begins later, after a time without any.
  private var startsAtCut = false
  /// Entries that turned out to be none.
  var unusable: Set<Int64> = []

  init(_ range: PictureRange, of reel: PictureReel) {
    (self.range, self.reel) = (range, reel)
    to = range.to.map { PictureBorder(time: $0, base: reel.base) }
  }

  /// Whether a picture that is shown until `end` stands before the range's end.
  func includes(_ shown: Int64, until end: Int64) -> Bool {
    to?.isBehind(shown, until: end) ?? true
  }

  /// Whether pictures can be copied from one on that is shown until `end`, behind the first one of the
  /// range.
  func isEntry(_ picture: CodedPicture, until end: Int64, behind first: Int64) -> Bool {
    picture.kind != .other && picture.shown >= first && !picture.isHidden
      && !unusable.contains(picture.shown) && to?.isBehind(picture.shown) ?? true
      && !isChanged(picture.shown, until: end)
  }

  /// When a picture of the source is shown in the output: the first one from the very moment of the cut.
  func time(of tick: Int64) -> Time {
    if tick == first, startsAtCut, let from = range.from { return range.place(from) }
    return range.place(reel.time(of: tick))
  }

  /// The middle of a picture's time in the output, in which fades are looked at: as for ends of ranges.
  func middle(of shown: Int64, until end: Int64) -> Time {
    let (start, end) = (range.place(reel.time(of: shown)), range.place(reel.time(of: end)))
    return start + (end - start).multiplied(by: 1, over: 2)
  }

  /// The fade that changes a picture which is shown until `end`; nil where none does.
  func fade(_ shown: Int64, until end: Int64) -> (key: String, duration: Time)? {
    guard range.isFaded else { return nil }
    return range.fade(at: middle(of: shown, until: end))
  }

  /// Whether a fade changes a picture, which cannot be copied then.
  func isChanged(_ shown: Int64, until end: Int64) -> Bool { fade(shown, until: end) != nil }

  // MARK: - Entering

  /// Where a range begins in its source, at the picture with which decoding begins.
  struct Entrance {
    var window: PictureWindow
    /// When the first picture of the range is shown.
    let first: Int64
    /// When pictures of the window are shown before it, ascending; nil: they are too many to be remembered.
    let hidden: [Int64]?
    /// When the picture before it is shown in the source; nil where there is none.
    let earlier: Int64?
    /// Whether the window begins with that picture, it is shown as it is, and nothing before it is needed.
    let isCopied: Bool
    /// Whether the window begins with the file's first picture.
    let isFromStart: Bool
  }

  /// Twelve days: beyond it a file is read from its start.
  static let mostSecondsBack: Int64 = 1 << 20

  /// Goes to where the range begins, or goes on with the picture of a tick; nil where no picture of the
  /// source is in it. `encodes` says whether pictures may be encoded that cannot be copied.
  mutating func enter(
    at tick: Int64? = nil, encodes: Bool = true
  ) throws(LibAVError) -> Entrance? {
    guard let (survey, found, seek) = try find(tick),
      includes(found.first, until: found.firstEnd)
    else { return nil }
    if first == nil {
      first = found.first
      let distance = range.from.map { reel.time(of: found.first) - $0 } ?? .zero
      startsAtCut = distance <= reel.time(of: found.firstEnd) - reel.time(of: found.first)
    }
    var window = try window(from: found.entry, survey, seek)
    let isChanged = isChanged(found.first, until: found.firstEnd)
    // What would make an open group known is not read where nothing may be encoded.
    let isOpened = !encodes && found.isEntry && !found.isCopied && !isChanged
    if isOpened { try window.drop { $0.shown != found.first } }
    guard let picture = window.pictures.first else { throw LibAVError.streamMissing }
    return Entrance(
      window: window, first: found.first, hidden: isOpened ? [] : found.hidden,
      earlier: found.earlier, isCopied: (found.isCopied || isOpened) && !isChanged,
      isFromStart: seek == nil && picture.shown == reel.firstShown)
  }

  /// What is decoded from an entry on, which is read again where too much was seen behind it.
  private func window(
    from entry: Int64?, _ survey: PictureSurvey, _ seek: Int64?
  ) throws(LibAVError) -> PictureWindow {
    if let read = survey.pictures(from: entry) {
      var window = PictureWindow(reel, ahead: read)
      try window.fill(1)
      return window
    }
    if let seek { try reel.seek(to: seek) } else { try reel.rewind() }
    let window = try window(at: entry)
    guard window.pictures.isEmpty else { return window }
    // A demuxer adds to its index as it reads, and may seek otherwise from then on.
    try reel.rewind()
    return try self.window(at: entry)
  }

  /// The pictures from an entry on, which is at or behind the reel's place; none where it is not.
  private func window(at entry: Int64?) throws(LibAVError) -> PictureWindow {
    var window = PictureWindow(reel)
    try window.drop { picture in entry.map { picture.shown != $0 } ?? false }
    return window
  }

  /// Where it begins, what was seen there, and the tick that leads the demuxer there or before it; nil: the
  /// file's start.
  private func find(
    _ tick: Int64?
  ) throws(LibAVError) -> (PictureSurvey, PictureSurvey.Entrance, seek: Int64?)? {
    guard let from = tick.map(reel.time) ?? range.from else {
      try reel.rewind()
      let survey = try PictureSurvey(reel, around: nil)
      guard case .found(let found) = survey.entrance(unusable, isComplete: true) else { return nil }
      return (survey, found, nil)
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
      switch survey.entrance(unusable, isComplete: isComplete) {
      case .found(let found): return (survey, found, isComplete ? nil : target)
      case .nothing: return nil
      case .further:
        if isComplete { return nil }
        seconds = seconds == 0 ? 1 : seconds * 4
      }
    }
  }
}
