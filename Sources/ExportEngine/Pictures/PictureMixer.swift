import ExportGraph
import LibAV
import MediaTime

/// Changes the pictures of a range as its fades say: each is made of its own light, of black, and of the
/// picture that comes in over it and is shown in the middle of its time.
///
/// One thread at a time. It holds two pictures of what comes in.
final class PictureMixer {
  /// Brings a picture of a source into the form that both must have.
  typealias Preparation = (Frame, PictureReel) throws(LibAVError) -> Frame

  private let passage: PicturePassage
  private let reels: PictureReels
  private let prepare: Preparation
  /// What comes in: which of the range's, and its pictures; nil where it has none.
  private var entering: (index: Int, pictures: EnteringFrames?)?

  init(
    _ passage: PicturePassage, of reels: PictureReels,
    _ prepare: @escaping Preparation = { frame, _ in frame }
  ) {
    (self.passage, self.reels, self.prepare) = (passage, reels, prepare)
  }

  /// A picture of the range as it is shown. They are asked for in order.
  ///
  /// - Throws: Also what is wrong with what comes in, with the failure of its source as `cause`.
  func frame(of picture: DecodedPicture) throws(LibAVError) -> Frame {
    let own = try prepare(picture.frame, passage.reel)
    guard passage.range.isFaded else { return own }
    let time = passage.middle(of: picture.shown, until: picture.end)
    let light = passage.range.light(at: time)
    if let (index, share) = passage.range.entering(at: time),
      let other = try frame(ofEntering: index, at: time)
    {
      let others = passage.range.entering[index].range.light(at: time)
      return try own.blended(light * (1 - share), with: (frame: other, share: share * others))
    }
    return light < 1 ? try own.blended(light) : own
  }

  private func frame(ofEntering index: Int, at time: Time) throws(LibAVError) -> Frame? {
    let range = passage.range.entering[index].range
    do throws(LibAVError) {
      if entering?.index != index {
        entering = (index, try EnteringFrames(range, of: reels))
      }
      return try entering?.pictures?.frame(at: time, prepare)
    } catch {
      throw reels.blame(error, on: range.source)
    }
  }
}

/// The pictures of a range that comes in over another one, as they are shown there.
private final class EnteringFrames {
  private let passage: PicturePassage
  private let decoder: RangeDecoder
  /// The picture that is shown, prepared.
  private var current: Frame?
  /// The one behind it.
  private var coming: DecodedPicture?

  /// nil where no picture of the source is in the range.
  init?(_ range: PictureRange, of reels: PictureReels) throws(LibAVError) {
    // Another range of the same source may be read meanwhile.
    var passage = PicturePassage(range, of: try reels.reel(range.source, entering: true))
    guard let entrance = try passage.enter() else { return nil }
    decoder = try RangeDecoder(passage, entrance.window, from: entrance.first)
    self.passage = passage
  }

  /// The picture that is shown at a moment of the output's clock, which is later than the one before;
  /// nil before the first.
  func frame(at time: Time, _ prepare: PictureMixer.Preparation) throws(LibAVError) -> Frame? {
    var latest: Frame?
    while true {
      if coming == nil { coming = try decoder.next() }
      guard let next = coming, passage.time(of: next.shown) <= time else { break }
      (latest, coming) = (next.frame, nil)
    }
    if let latest { current = try prepare(latest, passage.reel) }
    return current
  }
}
