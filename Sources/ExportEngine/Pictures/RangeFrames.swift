import LibAV
import MediaComposition
import MediaTime

/// The pictures of ranges of sources, one range after the other.
final class RangeFrames: PictureFrames {
  /// Of all pictures: that of the settings, or of the first source as it is shown.
  let form: PictureForm
  private(set) var source = 0
  private let reels: PictureReels
  private let isCut: Bool
  private var ranges: ArraySlice<PictureRange>
  private var passage: PicturePassage?
  private var decoder: RangeDecoder?
  private var mixer: PictureMixer?
  /// Those of the first picture, into which all others are brought.
  private var colours: PictureColours?
  /// The last ones: in a cross-fade pictures of two sources take turns.
  private var scalers: [(plan: PictureScaler.Plan, scaler: PictureScaler)] = []
  /// The first picture of all, whose colours are those of the output; nil where there is none.
  private(set) var first: (frame: Frame, time: Time)?
  private var isFresh = true

  /// Pictures of `ranges`, of which `first` is the source of the first.
  init(
    _ ranges: [PictureRange], of reels: PictureReels, _ settings: VideoSettings,
    _ first: PictureReel
  ) throws(LibAVError) {
    (self.ranges, self.reels) = (ranges[...], reels)
    isCut = settings.fit == .cover
    form = PictureForm(
      like: try first.requiredForm(), pixels: first.stream.pixelShape,
      rotation: first.stream.rotation, settings.size
    ).limited(to: settings.mostSize)
    self.first = try decoded()
  }

  func next() throws(LibAVError) -> (frame: Frame, time: Time)? {
    guard isFresh else { return try decoded() }
    isFresh = false
    defer { first = nil }
    return first
  }

  private func decoded() throws(LibAVError) -> (frame: Frame, time: Time)? {
    while true {
      if let passage, let mixer, let picture = try decoder?.next() {
        return (try mixer.frame(of: picture), passage.time(of: picture.shown))
      }
      (passage, decoder, mixer) = (nil, nil, nil)
      guard let range = ranges.popFirst() else { return nil }
      source = range.source
      var next = PicturePassage(range, of: try reels.reel(range.source))
      guard let entrance = try next.enter() else { continue }
      decoder = try RangeDecoder(next, entrance.window, from: entrance.first)
      passage = next
      mixer = PictureMixer(next, of: reels) { [unowned self] (frame, reel) throws(LibAVError) in
        try scaled(frame, of: reel)
      }
    }
  }

  /// Refuses sources whose pictures cannot be decoded here, or are not brought into the form of the first
  /// one, by the first picture of each: so that nothing is encoded before. Called before `next`.
  func requireFit(of sources: Range<Int>) throws(LibAVError) {
    guard let colours else { return }
    // The one that is read was looked at, and stands behind its first picture.
    for index in sources where index != source {
      do throws(LibAVError) {
        let reel = try reels.reel(index)
        _ = try reel.decoder(isFaded: false)
        if let frame = try reel.firstFrame() {
          _ = try self.colours(of: frame, reel, fitting: colours)
        }
      } catch {
        throw reels.blame(error, on: index)
      }
    }
  }

  /// A picture's colours, which can be brought into others.
  private func colours(
    of frame: Frame, _ reel: PictureReel, fitting target: PictureColours?
  ) throws(LibAVError) -> PictureColours {
    guard !reel.stream.isMirrored else {
      throw LibAVError.refusedPicture(
        "is mirrored by its matrix, which is not encoded; mirror it first")
    }
    let own = frame.colours(of: reel.stream)
    if let target { try own.requireConvertible(to: target, target.usualMatrix) }
    return own
  }

  private func scaled(_ frame: Frame, of reel: PictureReel) throws(LibAVError) -> Frame {
    let own = try colours(of: frame, reel, fitting: colours)
    let target = colours ?? own
    colours = target
    let matrix = target.usualMatrix
    let plan = PictureScaler.Plan(
      frame.form, own, pixels: reel.stream.pixelShape, rotation: reel.stream.rotation, to: form,
      in: matrix, isCut: isCut)
    if plan.isNeedless { return frame }
    if let known = scalers.first(where: { $0.plan == plan }) {
      return try known.scaler.scaled(frame)
    }
    let scaler = try plan.opened()
    if scalers.count == 2 { scalers.removeFirst() }
    scalers.append((plan, scaler))
    return try scaler.scaled(frame)
  }
}

extension PictureColours {
  /// That of an output whose first picture has them.
  fileprivate var usualMatrix: Matrix { matrix ?? .bt709 }

  /// Refuses colours that are not brought into those of an output's first picture, which has `matrix`.
  fileprivate func requireConvertible(
    to first: PictureColours, _ matrix: Matrix
  ) throws(LibAVError) {
    guard transfer == first.transfer else {
      throw LibAVError.refusedPicture(
        "has a picture with \(transfer.rawValue), and the first one has \(first.transfer.rawValue), between "
          + "which tones are not mapped; convert it first, as with FFmpeg's filters zscale and tonemap"
      )
    }
    guard self.matrix != matrix else { return }
    for matrix in [self.matrix, matrix].compactMap(\.self) where matrix.filterName == nil {
      throw LibAVError.refusedPicture(
        "has other colours than the first picture, and those of matrix \(matrix.rawValue) (ITU-T H.273) are "
          + "not converted; encode it again in BT.709")
    }
  }
}

extension PictureForm {
  /// That of an output: pixels are square, sides even, and every second pixel has a colour, as all players
  /// show it.
  init(
    like source: PictureForm, pixels: (width: Int, height: Int) = (1, 1), rotation: Int = 0,
    _ size: VideoSettings.Size?
  ) {
    let pixelFormat = source.bitDepth > 8 ? "yuv420p10le" : "yuv420p"
    if let size {
      self.init(width: size.width, height: size.height, pixelFormat: pixelFormat)
      return
    }
    let width = Double(source.width) * Double(pixels.width) / Double(pixels.height)
    // A lying shape is not to make a picture that no encoder takes.
    let across = Int(min(max(width.rounded(), 2), 16_384))
    var sides = (across / 2 * 2, max(2, source.height / 2 * 2))
    if rotation % 180 == 90 { sides = (sides.1, sides.0) }
    self.init(width: sides.0, height: sides.1, pixelFormat: pixelFormat)
  }

  /// The same shape, no larger than a box, which is turned where the shape is higher than wide; sides are
  /// even.
  func limited(to box: VideoSettings.Size?) -> PictureForm {
    guard let box else { return self }
    let longer = max(box.width, box.height)
    let shorter = min(box.width, box.height)
    let most = height > width ? (shorter, longer) : (longer, shorter)
    guard width > most.0 || height > most.1 else { return self }
    // The side that touches the box has all of it; the other one is rounded.
    let isFlat = width * most.1 >= height * most.0
    let (whole, other, limit) =
      isFlat ? (width, height, most.0) : (height, width, most.1)
    let rounded = max(2, (other * limit + whole) / (2 * whole) * 2)
    return PictureForm(
      width: isFlat ? limit : rounded, height: isFlat ? rounded : limit, pixelFormat: pixelFormat)
  }

  /// The same shape, where its longer side has more than so many pixels with as many; sides are then even.
  func limited(to most: Int) -> PictureForm {
    let longer = max(width, height)
    guard longer > most else { return self }
    func side(_ length: Int) -> Int { max(2, (length * most + longer / 2) / longer / 2 * 2) }
    return PictureForm(width: side(width), height: side(height), pixelFormat: pixelFormat)
  }
}
