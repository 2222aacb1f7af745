import LibAV
import MediaTime

/// Pictures that were read ahead of what is done with them, in order of decoding.
///
/// So many are read ahead that all that is shown before any of them is known: no more than
/// `PictureOrder.most` pictures are decoded before one that is shown before them.
struct PictureWindow {
  private let reel: PictureReel
  /// Read, and not yet taken.
  private(set) var pictures: [CodedPicture] = []
  /// When pictures that were read are shown, ascending; hidden ones are not shown.
  private var times: [Int64] = []
  /// Pictures that were read before, and come next.
  private var ahead: ArraySlice<CodedPicture>
  private var isAtEnd = false
  /// When the picture that is shown last ends, once all were read.
  private var end: Int64 = .min

  /// Pictures of a reel from where it stands; `ahead` are those before it, if some were read.
  init(_ reel: PictureReel, ahead: ArraySlice<CodedPicture> = []) {
    (self.reel, self.ahead) = (reel, ahead)
  }

  /// Times that are remembered: some more than are read ahead.
  private static let mostTimes = 8 * PictureOrder.most

  /// Reads until there are so many, and as many more as may be shown before these; fewer at the end.
  mutating func fill(_ count: Int) throws(LibAVError) {
    while !isAtEnd, pictures.count < count + PictureOrder.most + 1 {
      guard let picture = try read() else {
        isAtEnd = true
        return
      }
      pictures.append(picture)
      guard !picture.isHidden else { continue }
      let place = times.lastIndex { $0 <= picture.shown }.map { $0 + 1 } ?? 0
      times.insert(picture.shown, at: place)
      if times.count > Self.mostTimes { times.removeFirst() }
      end = max(end, picture.shown + max(1, picture.duration))
    }
  }

  private mutating func read() throws(LibAVError) -> CodedPicture? {
    guard let picture = ahead.popFirst() else { return try reel.next() }
    // An empty part of an array holds all of it.
    if ahead.isEmpty { ahead = [] }
    return picture
  }

  /// Takes the first pictures out.
  mutating func take(_ count: Int) -> [CodedPicture] {
    let taken = Array(pictures.prefix(count))
    pictures.removeFirst(taken.count)
    return taken
  }

  /// Leaves out the first pictures, as long as `isLeftOut` says so.
  mutating func drop(while isLeftOut: (CodedPicture) -> Bool) throws(LibAVError) {
    try fill(1)
    while let picture = pictures.first, isLeftOut(picture) {
      _ = take(1)
      try fill(1)
    }
  }

  /// When the picture behind the one of a moment is shown, or where that one ends.
  func next(after shown: Int64) -> Int64 {
    times.first { $0 > shown } ?? max(end, shown + 1)
  }
}

/// Where a range of a source begins or ends, by the file's clock.
///
/// It falls on the start of the picture that is nearest, and on the later one of two that are as near.
struct PictureBorder {
  let time: Time
  let base: TimeBase

  /// Whether a moment lies before it.
  func isBehind(_ tick: Int64) -> Bool { doubled(2 * Int128(tick)) < 0 }

  /// Whether it falls behind a picture that is shown until `end`.
  func isBehind(_ tick: Int64, until end: Int64) -> Bool {
    isBehind(tick) && doubled(Int128(tick) + Int128(end)) <= 0
  }

  /// Half of so many ticks less its own time, in some unit.
  private func doubled(_ ticks: Int128) -> Int128 {
    ticks * Int128(base.numerator) * Int128(time.timescale) - 2 * Int128(time.value)
      * Int128(base.denominator)
  }
}
