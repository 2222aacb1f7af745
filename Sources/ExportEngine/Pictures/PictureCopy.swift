import LibAV

/// Pictures of a range that are copied from an entry on, in order of decoding: `PictureCutter` writes them,
/// and `CutSurvey` counts them.
struct PictureCopy {
  /// What comes next.
  var window: PictureWindow
  /// Makes them stand behind others.
  var rewriter: RunRewriter
  /// Whether a picture is left out, since it is decoded behind the entry and shown before it.
  private let isLeading: (CodedPicture) -> Bool
  private var isFirst = true

  /// Pictures from the first one of `window` on; `entry` is when that is shown, where pictures are left out
  /// that are shown before it.
  init(_ window: PictureWindow, from entry: Int64?, _ rewriter: RunRewriter) {
    (self.window, self.rewriter) = (window, rewriter)
    isLeading = { picture in entry.map { picture.shown < $0 } ?? false }
  }

  /// What is done with the next pictures.
  enum Step {
    case copied([RewrittenPicture])
    /// The range is entered anew, at the picture of a tick.
    case entered(at: Int64)
    /// The range has ended.
    case ended
  }

  /// Goes on by as few pictures as can be copied without one missing behind them. What cannot be
  /// rewritten is encoded, from there to the next entry; an entry from which nothing can be copied is
  /// noted in `passage`.
  ///
  /// - Throws: Also where a picture before the range's end changes the form or the coding.
  mutating func next(of passage: inout PicturePassage) throws(LibAVError) -> Step {
    let count = try closedCount()
    let chunk = window.take(count)
    guard let first = chunk.first else { return .ended }
    for picture in chunk
    where picture.change != nil
      && passage.includes(picture.shown, until: window.next(after: picture.shown))
    {
      try passage.reel.requireUnchanged(picture)
    }
    let shown = chunk.filter { !isLeading($0) }
    let included = shown.filter {
      !$0.isHidden && passage.includes($0.shown, until: window.next(after: $0.shown))
    }
    let isChanged = included.contains {
      passage.isChanged($0.shown, until: window.next(after: $0.shown))
    }
    if included.count == shown.count, !isChanged,
      let pictures = try? rewriter.rewrite(chunk, isLeading: isLeading)
    {
      isFirst = false
      return .copied(pictures)
    }
    guard let tick = included.map(\.shown).min() else {
      // What follows hidden pictures is decoded from them.
      guard shown.allSatisfy(\.isHidden), let next = try window.nextShown() else { return .ended }
      return .entered(at: next)
    }
    if isFirst { passage.unusable.insert(first.shown) }
    return .entered(at: tick)
  }

  /// Pictures that are decoded in an order of their own: several times as many as decoders hold.
  private static let mostTogether = 8 * PictureOrder.most

  /// How many pictures, at least, are decoded before all others that are shown behind them.
  private mutating func closedCount() throws(LibAVError) -> Int {
    var count = 0
    var latest = Int64.min
    repeat {
      count += 1
      guard count <= Self.mostTogether else {
        throw LibAVError.refusedPicture(
          "has a picture far before its time, so that pictures cannot be put in order; remux it")
      }
      try window.fill(count)
      guard window.pictures.count >= count else { break }
      let picture = window.pictures[count - 1]
      if !isLeading(picture) { latest = max(latest, picture.shown) }
    } while window.pictures.dropFirst(count).prefix(PictureOrder.most + 1).contains {
      !isLeading($0) && $0.shown < latest
    }
    return count
  }
}

extension PictureWindow {
  /// When the next picture is shown that an edit list does not hide; nil where there is none.
  fileprivate mutating func nextShown() throws(LibAVError) -> Int64? {
    try fill(1)
    while let picture = take(1).first {
      guard picture.isHidden else { return picture.shown }
      try fill(1)
    }
    return nil
  }
}
