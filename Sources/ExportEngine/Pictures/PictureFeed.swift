import LibAV

/// What a decoder is given of a range, from a picture with which decoding can begin on: up to the next
/// entry from which can be copied, with what follows that and is shown before it, or beyond the range's
/// end. `RangeDecoder` decodes it, and `CutSurvey` counts it.
struct PictureFeed {
  /// What comes next.
  private(set) var window: PictureWindow
  /// The entry that ends it, which is the first of `window`; nil before it, and where there is none.
  private(set) var entry: CodedPicture?
  /// What was given before the entry.
  private(set) var observer: GroupObserver?
  /// When pictures of the range are shown that were given and not taken, ascending.
  private(set) var expected: [Int64] = []
  /// Whether a fade changes one of them.
  private(set) var isChanged = false

  private let passage: PicturePassage
  private let first: Int64
  private let isEntry: (CodedPicture, Int64) -> Bool
  /// What is given next: an entry, what follows it and is shown before it, and may need what is on both
  /// sides.
  private var around: ArraySlice<CodedPicture> = []

  /// As `RangeDecoder`.
  init(
    _ passage: PicturePassage, _ window: PictureWindow, from first: Int64,
    to isEntry: @escaping (CodedPicture, Int64) -> Bool, _ observer: GroupObserver?
  ) {
    (self.passage, self.window, self.first) = (passage, window, first)
    (self.isEntry, self.observer) = (isEntry, observer)
  }

  /// The next picture in order of decoding; nil behind the last one. One that changes the form or the coding
  /// ends it, where neither it nor what follows it is shown in the range.
  ///
  /// - Throws: Also where such a picture is needed.
  mutating func next() throws(LibAVError) -> CodedPicture? {
    let picture = try following()
    if let picture { try passage.reel.requireUnchanged(picture) }
    return picture
  }

  private mutating func following() throws(LibAVError) -> CodedPicture? {
    guard entry == nil else { return around.popFirst() }
    try window.fill(1)
    guard let picture = window.pictures.first else { return nil }
    if picture.change != nil, !window.pictures.contains(where: isIncluded) { return nil }
    guard isEntry(picture, window.next(after: picture.shown)) else {
      _ = window.take(1)
      observer?.observe(picture)
      expect(picture)
      return picture
    }
    entry = picture
    let leading = window.pictures.prefix(PictureOrder.most + 1)
      .filter { $0.shown < picture.shown }
    leading.forEach { expect($0) }
    around = ArraySlice(leading)
    return picture
  }

  /// Takes the expected picture that is shown first.
  mutating func takeExpected() { expected.removeFirst() }

  /// Whether it is shown before the range's end.
  private func isIncluded(_ picture: CodedPicture) -> Bool {
    passage.includes(picture.shown, until: window.next(after: picture.shown))
  }

  private mutating func expect(_ picture: CodedPicture) {
    guard !picture.isHidden, picture.shown >= first, isIncluded(picture) else { return }
    let end = window.next(after: picture.shown)
    isChanged = isChanged || passage.isChanged(picture.shown, until: end)
    expected.insert(
      picture.shown, at: expected.lastIndex { $0 <= picture.shown }.map { $0 + 1 } ?? 0)
  }
}
