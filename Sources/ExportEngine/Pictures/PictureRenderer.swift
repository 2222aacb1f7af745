import LibAV
import MediaComposition
import MediaTime

/// Makes the packets of an output's picture by decoding ranges of sources, bringing them into one form, and
/// encoding all of them.
///
/// The form is that of the settings, or of the first source as it is shown. Memory is bounded by what the
/// decoder and the encoder hold.
final class PictureRenderer {
  let encoder: PictureEncoder
  /// The source that is read.
  private(set) var source = 0

  private let settings: VideoSettings
  private let form: PictureForm
  private let reels: PictureReels
  /// When the output ends.
  private let end: Time
  private var ranges: ArraySlice<PictureRange>
  private var passage: PicturePassage?
  private var decoder: RangeDecoder?
  private var scaler: (plan: PictureScaler.Plan, scaler: PictureScaler)?
  private var isDone = false
  private var isEmpty = true
  private var pending: ArraySlice<Packet> = []
  /// The picture that is shown until the next one comes, and since which of the output's pictures.
  private var held: (frame: Frame, since: Int64)?

  /// A picture of `ranges`, in order.
  ///
  /// - Throws: What the encoder refuses, or that there is none.
  init(
    _ ranges: [PictureRange], of reels: PictureReels, _ settings: VideoSettings,
    timescale: Int32, until end: Time
  ) throws(LibAVError) {
    (self.ranges, self.reels, self.settings, self.end) = (ranges[...], reels, settings, end)
    guard let first = ranges.first else { throw LibAVError.streamMissing }
    let reel = try reels.reel(first.source)
    form = try Self.form(settings, like: reel)
    let codec = settings.codec.codecName
    guard PictureEncoder.exists(for: codec) else {
      let library = PictureEncoder.library(for: codec) ?? codec
      throw LibAVError.refusedPicture(
        "cannot be encoded as \(settings.codec.rawValue): this FFmpeg lacks \(library); install one with "
          + "it, or choose another codec")
    }
    let rate = settings.frameRate
    let base =
      rate.map { TimeBase(numerator: $0.denominator, denominator: $0.numerator) }
      ?? TimeBase(numerator: 1, denominator: timescale)
    encoder = try PictureEncoder.open(
      PictureEncoder.Settings(
        codec: codec, form: form,
        for: .stream(
          quality: settings.quality ?? settings.codec.usualQuality,
          preset: settings.codec.hasPresets ? settings.preset ?? "medium" : nil, base)),
      like: reel.stream)
  }

  /// The form of the output: sides are even, colours have every second pixel, as all players show them.
  private static func form(
    _ settings: VideoSettings, like reel: PictureReel
  ) throws(LibAVError) -> PictureForm {
    guard let source = reel.form else {
      throw LibAVError.refusedPicture("has no picture that can be decoded; check the file")
    }
    let isDeep = ["10", "12", "14", "16"].contains {
      source.pixelFormat?.contains("p\($0)") ?? false
    }
    let pixelFormat = isDeep ? "yuv420p10le" : "yuv420p"
    if let size = settings.size {
      return PictureForm(width: size.width, height: size.height, pixelFormat: pixelFormat)
    }
    var size = (source.width / 2 * 2, source.height / 2 * 2)
    if reel.stream.rotation % 180 == 90 { size = (size.1, size.0) }
    return PictureForm(width: size.0, height: size.1, pixelFormat: pixelFormat)
  }

  /// The next packet in order of decoding, in ticks of the encoder; nil at the end.
  func next() throws(LibAVError) -> Packet? {
    while true {
      if let packet = pending.popFirst() { return packet }
      guard !isDone else { return nil }
      if let picture = try decoded() {
        isEmpty = false
        try show(picture.frame, from: picture.time)
      } else {
        if isEmpty { throw LibAVError.noPicture }
        try showHeld(until: slot(end))
        try encode(nil)
        isDone = true
      }
    }
  }

  /// The next picture of all ranges, in the output's form.
  private func decoded() throws(LibAVError) -> (frame: Frame, time: Time)? {
    while true {
      if let passage, let decoder, let picture = try decoder.next() {
        return (try scaled(picture.frame, of: passage.reel), passage.time(of: picture.shown))
      }
      (passage, decoder) = (nil, nil)
      guard let range = ranges.popFirst() else { return nil }
      source = range.source
      var next = PicturePassage(range, of: try reels.reel(range.source))
      guard let entrance = try next.enter() else { continue }
      decoder = try RangeDecoder(next, entrance.window, from: entrance.first)
      passage = next
    }
  }

  private func scaled(_ frame: Frame, of reel: PictureReel) throws(LibAVError) -> Frame {
    let plan = PictureScaler.Plan(
      frame.form, aspect: reel.stream.pixelAspect, rotation: reel.stream.rotation, to: form,
      isCut: settings.fit == .cover)
    if plan.isNeedless { return frame }
    if scaler?.plan != plan { scaler = (plan, try PictureScaler.open(plan)) }
    return try scaler?.scaler.scaled(frame) ?? frame
  }

  // MARK: - Times

  /// Shows a picture from a moment on: of a constant rate from the nearest of its moments.
  private func show(_ frame: Frame, from time: Time) throws(LibAVError) {
    guard settings.frameRate != nil else { return try encode(frame, at: ticks(time)) }
    let since = min(slot(time), slot(end))
    try showHeld(until: since)
    held = (frame, since)
  }

  private func showHeld(until end: Int64) throws(LibAVError) {
    guard let held else { return }
    for slot in stride(from: held.since, to: end, by: 1) { try encode(held.frame, at: slot) }
  }

  private func encode(_ frame: Frame?, at shown: Int64 = 0) throws(LibAVError) {
    try encoder.send(frame, at: shown)
    while let packet = try encoder.next() { pending.append(packet) }
  }

  private func slot(_ time: Time) -> Int64 { settings.frameRate == nil ? 0 : ticks(time) }

  private func ticks(_ time: Time) -> Int64 {
    let base = encoder.timeBase
    let scaled = time.multiplied(by: Int64(base.denominator), over: Int64(base.numerator))
    return scaled.frames(atRate: 1)
  }
}
