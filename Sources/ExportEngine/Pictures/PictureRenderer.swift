import LibAV
import MediaComposition
import MediaTime

/// Pictures to be encoded, in the output's form and in order of showing.
protocol PictureFrames: AnyObject {
  /// Which of the plan's sources is read.
  var source: Int { get }

  /// The next picture, and from when on it is shown; nil at the end.
  func next() throws(LibAVError) -> (frame: Frame, time: Time)?
}

/// Makes the packets of an output's picture by encoding pictures. Memory is bounded by what their source
/// and the encoder hold.
final class PictureRenderer {
  let encoder: PictureEncoder
  private let frames: any PictureFrames
  private let hasConstantRate: Bool
  /// When the output ends.
  private let end: Time
  private var isDone = false
  private var isEmpty = true
  private var pending: ArraySlice<Packet> = []
  /// The picture that is shown until the next one comes, and since which of the output's pictures.
  private var held: (frame: Frame, since: Int64)?

  /// A picture of `frames`; `encoder` is that of `open`.
  init(
    _ frames: any PictureFrames, _ encoder: PictureEncoder, hasConstantRate: Bool, until end: Time
  ) {
    (self.frames, self.encoder, self.end) = (frames, encoder, end)
    self.hasConstantRate = hasConstantRate
  }

  /// An encoder for an output.
  ///
  /// - Parameters:
  ///   - settings: Its settings.
  ///   - form: Of all its pictures.
  ///   - stream: Whose colours they have; nil for stills.
  ///   - timescale: Ticks a second, where the settings have no rate.
  /// - Returns: The encoder, before its first picture.
  /// - Throws: What the encoder refuses, or that there is none.
  static func open(
    _ settings: VideoSettings, _ form: PictureForm, like stream: LibAV.Stream?, timescale: Int32
  ) throws(LibAVError) -> PictureEncoder {
    let codec = settings.codec.codecName
    guard PictureEncoder.exists(for: codec) else {
      let library = PictureEncoder.library(for: codec) ?? codec
      throw LibAVError.refusedPicture(
        "cannot be encoded as \(settings.codec.rawValue): this FFmpeg lacks \(library); install one with "
          + "it, or choose another codec")
    }
    let base =
      settings.frameRate.map { TimeBase(numerator: $0.denominator, denominator: $0.numerator) }
      ?? TimeBase(numerator: 1, denominator: timescale)
    return try PictureEncoder.open(
      PictureEncoder.Settings(
        codec: codec, form: form,
        for: .stream(
          quality: settings.quality ?? settings.codec.usualQuality,
          preset: settings.codec.hasPresets ? settings.preset ?? "medium" : nil, base)),
      like: stream)
  }

  /// The source that is read.
  var source: Int { frames.source }

  /// The next packet in order of decoding, in ticks of the encoder; nil at the end.
  func next() throws(LibAVError) -> Packet? {
    while true {
      if let packet = pending.popFirst() { return packet }
      guard !isDone else { return nil }
      if let picture = try frames.next() {
        isEmpty = false
        try show(picture.frame, from: picture.time)
      } else {
        if isEmpty { throw LibAVError.noPicture }
        try showHeld(until: ticks(end))
        try encode(nil)
        isDone = true
      }
    }
  }

  // MARK: - Times

  /// Shows a picture from a moment on: of a constant rate from the nearest of its moments.
  private func show(_ frame: Frame, from time: Time) throws(LibAVError) {
    guard hasConstantRate else { return try encode(frame, at: ticks(time)) }
    let since = min(ticks(time), ticks(end))
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

  private func ticks(_ time: Time) -> Int64 {
    let base = encoder.timeBase
    let scaled = time.multiplied(by: Int64(base.denominator), over: Int64(base.numerator))
    return scaled.frames(atRate: 1)
  }
}
