import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import Threads

/// Single pictures of an output, made small for a screen: as their sources have them, without fades, and in
/// their sources' shape.
///
/// Sources are opened when they are first needed, and few are open at once. A picture shortly behind the
/// last one is decoded from there on, and any other one from the entry before it. One thread at a time.
package final class PictureStills {
  /// A picture in three bytes for each pixel: red, green and blue, from the left, from the top.
  package struct Image: Sendable, Equatable {
    package let width: Int
    package let height: Int
    package let pixels: [UInt8]

    /// A picture of `width` by `height` pixels.
    package init(width: Int, height: Int, pixels: [UInt8]) {
      (self.width, self.height, self.pixels) = (width, height, pixels)
    }
  }

  /// Decoding that goes on with the next picture.
  private struct Position {
    let part: Int
    let passage: PicturePassage
    let decoder: RangeDecoder
    /// The last one that was decoded; nil before the first.
    var picture: DecodedPicture?
  }

  private let plan: PicturePlan
  private let reels: PictureReels
  private let longestSide: Int
  private var position: Position?
  /// The still that was shown last.
  private var still: (picture: Artwork, image: Image)?

  /// Seconds up to which decoding goes on to a later picture: groups are seldom shorter.
  private static let reach: Int64 = 4

  /// The pictures of a plan.
  ///
  /// - Parameters:
  ///   - plan: What is shown.
  ///   - library: Opens the files.
  ///   - longestSide: Pixels of the longer side, at most.
  ///   - cancellation: Once it is set, `image` soon ends.
  package init(
    _ plan: PicturePlan, library: MediaLibrary, longestSide: Int = 320,
    unless cancellation: CancellationFlag
  ) {
    (self.plan, self.longestSide) = (plan, longestSide)
    reels = PictureReels(plan.assets, of: library, areDecoded: true, unless: cancellation)
  }

  /// The picture that is shown at a moment of the output; nil where there is none. Where a source does not
  /// say when its pictures are shown, the one that begins nearest.
  ///
  /// - Throws: Why the file cannot be read, or the picture not be decoded.
  package func image(at time: Time) throws(Failure) -> Image? {
    do throws(LibAVError) {
      guard plan.stills.isEmpty else { return try stillImage(at: time) }
      guard let (frame, reel) = try frame(at: time) else { return nil }
      return try image(
        of: frame, frame.colours(of: reel.stream), pixels: reel.stream.pixelShape,
        reel.stream.orientation)
    } catch {
      // What comes next begins anew.
      position = nil
      throw error.cause as? Failure ?? error.machineFailure
    }
  }

  // MARK: - Stills

  private func stillImage(at time: Time) throws(LibAVError) -> Image? {
    guard let shown = plan.stills.last(where: { $0.start <= time }) else { return nil }
    if let still, still.picture == shown.picture { return still.image }
    let picture: Picture?
    do throws(Failure) {
      picture = try readPicture(shown.picture, as: "the image")
    } catch {
      throw LibAVError.refusedPicture(error.message).blamed(on: error)
    }
    guard let picture else { return nil }
    let frame = try Decoder.decode(picture)
    let image = try image(of: frame, frame.colours(of: nil), picture.orientation)
    still = image.map { (shown.picture, $0) }
    return image
  }

  // MARK: - Moving pictures

  private func frame(at time: Time) throws(LibAVError) -> (frame: Frame, reel: PictureReel)? {
    guard let place = plan.part(at: time) else { return nil }
    let part = plan.parts[place]
    let shown = plan.frame(at: time)?.source ?? part.target.map(time, to: part.source)
    let moment = plan.assets[part.asset].start + shown
    do throws(LibAVError) {
      if position?.part != place || !isAhead(moment) {
        position = try enter(place, at: moment)
      }
      guard let reel = position?.passage.reel else { return nil }
      let tick = reel.tick(atOrBefore: moment)
      while position?.picture.map({ $0.end <= tick }) ?? true {
        guard let next = try position?.decoder.next() else { break }
        position?.picture = next
      }
      return position?.picture.map { ($0.frame, reel) }
    } catch {
      throw reels.blame(error, on: part.asset)
    }
  }

  /// Whether decoding may go on to a moment of the source.
  private func isAhead(_ moment: Time) -> Bool {
    guard let position, let picture = position.picture else { return false }
    let reel = position.passage.reel
    let tick = reel.tick(atOrBefore: moment)
    return picture.shown...picture.end + reel.ticks(seconds: Self.reach) ~= tick
  }

  private func enter(_ place: Int, at moment: Time) throws(LibAVError) -> Position? {
    let source = plan.parts[place].asset
    let range = PictureRange(source: source, from: moment, to: nil, place: { $0 })
    var passage = PicturePassage(range, of: try reels.reel(source))
    guard let entrance = try passage.enter() else { return nil }
    let decoder = try RangeDecoder(passage, entrance.window, from: entrance.first)
    return Position(part: place, passage: passage, decoder: decoder)
  }

  // MARK: - Pixels

  private func image(
    of frame: Frame, _ colours: PictureColours, pixels: (width: Int, height: Int) = (1, 1),
    _ orientation: PictureOrientation
  ) throws(LibAVError) -> Image? {
    var form = PictureForm(
      like: frame.form, pixels: pixels, rotation: orientation.rotation, nil
    ).limited(to: longestSide)
    form.pixelFormat = "yuv420p"
    var plan = PictureScaler.Plan(
      frame.form, colours, pixels: pixels, rotation: orientation.rotation, to: form, in: .bt709,
      isCut: false)
    plan.isMirrored = orientation.isMirrored
    return try PictureScaler.open(plan).scaled(frame).pixels.map {
      Image(width: form.width, height: form.height, pixels: $0)
    }
  }
}
