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
  /// The seconds in a tick of its packets, and how many of these are one of the encoder.
  let timeBase: TimeBase
  private let scale: Int64
  private let endsExactly: Bool
  private let tally: PictureTally
  /// When the output ends.
  private let end: Time
  private var isDone = false
  private var isEmpty = true
  private var pending: ArraySlice<Packet> = []
  /// The picture that is shown until the next one comes, and the output's picture that is next of it.
  private var held: (frame: Frame, next: Int64)?
  /// The picture behind it, and from when on it is shown; nil at the end.
  private var coming: (frame: Frame, time: Time)?
  private var ahead = PacketsAhead()

  /// A picture of `frames`; `encoder` is that of `open`. With `endsExactly` the last picture of a constant
  /// rate ends with the output, and not with its moment: then packets have ticks as fine as samples.
  init(
    _ frames: any PictureFrames, _ encoder: PictureEncoder, hasConstantRate: Bool,
    endsExactly: Bool = false, until end: Time, counting tally: PictureTally
  ) {
    (self.frames, self.encoder, self.end) = (frames, encoder, end)
    (self.hasConstantRate, self.endsExactly, self.tally) = (hasConstantRate, endsExactly, tally)
    let base = encoder.timeBase
    guard endsExactly, base.denominator > 0 else {
      (timeBase, scale) = (base, 1)
      return
    }
    let finer = Int32((48_000 + Int64(base.denominator) - 1) / Int64(base.denominator))
    timeBase = TimeBase(numerator: 1, denominator: base.denominator * finer)
    scale = Int64(base.numerator) * Int64(finer)
  }

  /// An encoder for an output.
  ///
  /// - Parameters:
  ///   - settings: Its settings.
  ///   - form: Of all its pictures.
  ///   - stream: Which they are like; nil for stills.
  ///   - frame: Whose colours they have, where these are known.
  ///   - timescale: Ticks a second, where the settings have no rate.
  /// - Returns: The encoder, before its first picture.
  /// - Throws: What the encoder refuses, or that there is none.
  static func open(
    _ settings: VideoSettings, _ form: PictureForm, like stream: LibAV.Stream?,
    coloursOf frame: Frame? = nil, timescale: Int32
  ) throws(LibAVError) -> PictureEncoder {
    let codec = settings.codec.codecName
    guard PictureEncoder.exists(for: codec) else {
      let library = PictureEncoder.library(for: codec) ?? codec
      throw LibAVError.missingCodec(
        "FFmpeg's \(library)", to: "encode \(settings.codec.rawValue)", or: "choose another codec")
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
      like: stream, coloursOf: frame)
  }

  /// The source that is read.
  var source: Int { frames.source }

  /// The next packet in order of decoding, in ticks of `timeBase`; nil at the end. What is shown last is
  /// shown to the output's end.
  func next() throws(LibAVError) -> Packet? {
    let end = endsExactly ? max(1, ticks(self.end, timeBase)) : lastTick
    return try ahead.next(encoded) { $0.extend(to: end) }
  }

  private func encoded() throws(LibAVError) -> Packet? {
    while true {
      if let packet = pending.popFirst() { return packet }
      guard !isDone else { return nil }
      try hasConstantRate ? showSlot() : showNext()
    }
  }

  // MARK: - Times

  private func showNext() throws(LibAVError) {
    guard let picture = try frames.next() else { return try end(isEmpty) }
    isEmpty = false
    try encode(picture.frame, at: ticks(picture.time))
  }

  /// Shows the picture of the next moment of a constant rate: the last one that begins nearer to it than to
  /// the next moment, or before, or nearest behind.
  private func showSlot() throws(LibAVError) {
    if isEmpty {
      coming = try frames.next()
      if coming == nil { return try end(true) }
      isEmpty = false
    }
    let slot = held?.next ?? coming.map { min(ticks($0.time), lastTick - 1) } ?? 0
    while let next = coming, ticks(next.time) <= slot || held == nil {
      held = (next.frame, slot)
      coming = try frames.next()
    }
    guard let held, slot < lastTick else { return try end(false) }
    try encode(held.frame, at: slot)
    self.held?.next = slot + 1
  }

  private func end(_ isEmpty: Bool) throws(LibAVError) {
    if isEmpty { throw LibAVError.noPicture }
    try encode(nil)
    isDone = true
  }

  /// When the output ends, at least one tick behind its start.
  private var lastTick: Int64 { max(1, ticks(end)) }

  private func encode(_ frame: Frame?, at shown: Int64 = 0) throws(LibAVError) {
    try encoder.send(frame, at: shown)
    while let packet = try encoder.next() {
      tally.encoded += 1
      if endsExactly, let shown = packet.timestamp, let decoded = packet.decodingTime {
        packet.place(shown: shown * scale, decoded: decoded * scale, lasting: 0)
      }
      pending.append(packet)
    }
  }

  private func ticks(_ time: Time) -> Int64 { ticks(time, encoder.timeBase) }

  private func ticks(_ time: Time, _ base: TimeBase) -> Int64 {
    let scaled = time.multiplied(by: Int64(base.denominator), over: Int64(base.numerator))
    return scaled.frames(atRate: 1)
  }
}
