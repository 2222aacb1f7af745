import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Threads
import VideoBitstream

/// One coded picture of a source, in ticks of its stream.
struct CodedPicture {
  let packet: Packet
  /// When it is shown, by the file's clock.
  let shown: Int64
  let kind: PictureKind
  /// How long it is shown, as its container says: 0 where it does not.
  let duration: Int64
  /// What changes with it that a container describes once, for people; nil: nothing, or all of the source is
  /// decoded. `PictureReel.requireUnchanged` refuses it where it is used.
  let change: String?
  /// Whether an edit list hides it: it is decoded for others alone.
  var isHidden: Bool { packet.isDiscarded }
}

/// The pictures of one source, in order of decoding, from any of its entries.
///
/// One thread at a time.
final class PictureReel {
  /// Its place among the sources of a plan.
  let index: Int
  let stream: LibAV.Stream
  let coding: PictureCoding
  /// The stream's seconds in a tick.
  let base: TimeBase
  /// How many pictures may be decoded before one that is shown before them.
  let reorderDepth: Int
  /// When the first picture in order of decoding is shown.
  let firstShown: Int64?
  /// When the first picture is shown.
  let start: Int64
  /// The form of its pictures; nil where none of the first can be decoded.
  let form: PictureForm?
  /// 20,000 hours, beyond which no picture is placed: so that times of the output can be counted.
  private let farthestTick: UInt64
  /// What decoders must be told of its encoder before any of its pictures; nil where they need not be.
  let encoderNote: [UInt8]?
  /// Whether all of it is decoded: a decoder may go over to another coding, and copies may not.
  let isDecoded: Bool
  /// When the sound begins by the file's clock, from which people count.
  private let origin: Time
  /// The codecs that there are.
  let codecs: PictureCodecs
  /// The form in the headers of the first key picture that has one; nil: none of the first packets has.
  private let codedForm: CodedForm?
  private let packets: PicturePackets
  /// How many pictures were read.
  private(set) var readCount = 0

  /// Opens the picture of a plan's source, at its first packet; its sound begins at `origin` by the file's
  /// clock.
  ///
  /// - Throws: `LibAVError.streamMissing`, and a refusal of pictures whose headers cannot be read.
  init(
    _ index: Int, _ demuxer: Demuxer, of track: AssetTrack?, from origin: Time = .zero,
    isDecoded: Bool = false, by codecs: PictureCodecs = PictureCodecs(),
    unless cancellation: CancellationFlag
  ) throws(LibAVError) {
    guard let track, demuxer.streams.indices.contains(track.index) else {
      throw LibAVError.streamMissing
    }
    demuxer.select(stream: track.index)
    stream = demuxer.streams[track.index]
    base = stream.timeBase
    let (numerator, denominator) = (
      UInt64(max(1, base.numerator)), UInt64(max(1, base.denominator))
    )
    farthestTick = max(1, 72_000_000 * denominator / numerator)
    (self.index, self.isDecoded, self.origin, self.codecs) = (index, isDecoded, origin, codecs)
    packets = try PicturePackets(demuxer, stream, unless: cancellation)
    // For what a header leaves open, and for how pictures are reordered.
    let first = try PicturePackets.first(reading: packets.read)
    if demuxer.formatName == MovieContainer.mkv.demuxer,
      first.contains(where: { $0.timestamp == nil })
    {
      throw LibAVError.timedByDecoding(lasting: stream.pictureDuration)
    }
    // AVI has the header in the first packet alone.
    if stream.codecName == "mpeg4", stream.header.isEmpty,
      let header = first.first.flatMap({ MPEGPicture.header(ofMPEG4: $0.bytes) })
    {
      try stream.setHeader(header)
    }
    do throws(BitstreamRefusal) {
      coding = try PictureCoding(stream, first: first)
    } catch {
      throw LibAVError(refusing: error)
    }
    encoderNote = first.first.flatMap(coding.encoderNote)
    codedForm = first.lazy.filter(\.isKey).compactMap { [coding] in coding.form(saidBy: $0) }.first
    var order = PictureOrder()
    for case let shown? in first.map(\.timestamp) { order.add(shown) }
    firstShown = first.first?.timestamp
    start =
      first.filter { !$0.isDiscarded }.compactMap(\.timestamp)
      .filter { [farthestTick] in $0.magnitude < farthestTick }.min() ?? 0
    let known = coding.form ?? stream.pictureForm
    if let known, known.pixelFormat?.hasPrefix("yuv444") != true {
      form = known
    } else {
      // Parameter sets have RGB as 4:4:4.
      let decoded = try Self.firstFrame(of: stream, in: first, by: codecs)?.form
      form = decoded?.pixelFormat?.hasPrefix("gbr") == true ? decoded : known ?? decoded
    }
    reorderDepth = max(stream.reorderDepth, coding.reorderDepth ?? 0, order.depth)
    try rewind()
  }

  /// The first picture that can be decoded; nil where none of the first can be, or `codecs` have no decoder.
  /// Behind it the reel stands at its first picture.
  func firstFrame() throws(LibAVError) -> Frame? {
    try rewind()
    let first = try PicturePackets.first(reading: packets.read)
    try rewind()
    return try Self.firstFrame(of: stream, as: coding.form, in: first, by: codecs)
  }

  private static func firstFrame(
    of stream: LibAV.Stream, as form: PictureForm? = nil, in packets: [Packet],
    by codecs: PictureCodecs
  ) throws(LibAVError) -> Frame? {
    guard codecs.decodes(stream) else { return nil }
    let decoder = try Decoder.open(stream, removesPadding: true, as: form)
    let frame = try Frame()
    for packet in packets + [nil] {
      do throws(LibAVError) {
        try decoder.send(packet)
        if try decoder.receive(into: frame) { return frame }
      } catch {
        guard error.isDamage else { throw error }
      }
    }
    return nil
  }

  /// The next picture; nil at the end.
  ///
  /// - Throws: Also for a picture without a time, and where nobody waits for it any more.
  func next() throws(LibAVError) -> CodedPicture? {
    guard let packet = try packets.read() else { return nil }
    readCount += 1
    guard let shown = packet.timestamp else { throw LibAVError.untimedPicture }
    guard shown.magnitude < farthestTick else {
      throw LibAVError.refusedPicture(
        "has a picture more than 20,000 hours from its beginning; remux it")
    }
    let (kind, isChange) = coding.kind(of: packet, isFirst: shown == firstShown)
    let duration = min(max(0, packet.duration), Int64(clamping: farthestTick))
    return CodedPicture(
      packet: packet, shown: shown, kind: kind, duration: duration,
      change: isDecoded ? nil : change(in: packet, isChange))
  }

  /// Refuses a picture that is used and changes what a container describes once.
  func requireUnchanged(_ picture: CodedPicture) throws(LibAVError) {
    guard let change = picture.change else { return }
    throw LibAVError.refusedPicture(
      "changes the \(change) midway, at \(readableTime(of: picture.shown)); encode all of it, as 'video: { "
        + "h264: crf 20 }'")
  }

  /// What a packet changes, which the container describes once; nil: nothing. `isCoding` says whether it has
  /// other parameter sets.
  private func change(in packet: Packet, _ isCoding: Bool) -> String? {
    let header = packet.newHeader
    if isCoding || !header.isEmpty && header != stream.header { return "coding of its picture" }
    guard packet.isKey, let codedForm else { return nil }
    return coding.form(saidBy: packet)?.change(from: codedForm)
  }

  /// Goes to the first picture.
  func rewind() throws(LibAVError) { try packets.rewind() }

  /// Goes to a picture at or before a tick; where the container finds none, to the first.
  func seek(to tick: Int64) throws(LibAVError) { try packets.seek(to: tick) }

  /// A packet with which decoding begins, behind what a decoder must be told.
  func introduced(_ packet: Packet) throws(LibAVError) -> Packet {
    guard let encoderNote, let framing = coding.framing else { return packet }
    let bytes: [UInt8]
    do throws(BitstreamRefusal) {
      let units = try framing.units(of: packet.bytes[...])
      bytes = try framing.packet(of: coding.putting([encoderNote], before: units))
    } catch {
      throw LibAVError(refusing: error)
    }
    return try bytes.packet(like: packet)
  }

  /// The form of its pictures.
  ///
  /// - Throws: A refusal where none of them can be decoded, or where FFmpeg lacks the decoder.
  func requiredForm() throws(LibAVError) -> PictureForm {
    if let form { return form }
    guard codecs.decodes(stream) else {
      throw LibAVError.missingCodec(
        "FFmpeg's decoder of \(stream.codecName)", to: "learn the form of the picture",
        or: "leave it out with 'video: none'")
    }
    throw LibAVError.undecodable
  }

  /// A decoder for its pictures; `isFaded` says whether fades are why it is needed.
  ///
  /// - Throws: A refusal where FFmpeg lacks one, as that of the bundle does.
  func decoder(isFaded: Bool) throws(LibAVError) -> Decoder {
    guard codecs.decodes(stream) else {
      let isForFade = isFaded && !isDecoded
      throw LibAVError.missingCodec(
        "FFmpeg's decoder of \(stream.codecName)",
        to: isDecoded
          ? "encode the picture"
          : isForFade ? "decode pictures that fades change" : "decode pictures around cuts",
        or: isDecoded
          ? "copy the picture with 'video: copy'"
          : isForFade ? LibAVError.cutInFade : LibAVError.cutAtKeys)
    }
    return try Decoder.open(stream, removesPadding: true, as: coding.form)
  }

  /// A moment of the file's clock.
  func time(of tick: Int64) -> Time { base.time(of: tick) }

  /// When a picture is shown, for people: counted from the start of the sound, as in job files.
  func readableTime(of tick: Int64) -> String { readable(time(of: tick)) }

  /// A moment of the file's clock, for people.
  func readable(_ time: Time) -> String { (time - origin).readableText }

  /// The tick at or before a moment of the file's clock.
  func tick(atOrBefore time: Time) -> Int64 { base.tick(atOrBefore: time) }

  /// Ticks of so many seconds.
  func ticks(seconds: Int64) -> Int64 {
    max(1, seconds * Int64(base.denominator) / Int64(max(1, base.numerator)))
  }
}

extension TimeBase {
  /// The moment of a tick.
  func time(of tick: Int64) -> Time {
    Time(value: Int64(clamping: Int128(tick) * Int128(numerator)), timescale: denominator)
  }

  /// The tick at or before a moment.
  func tick(atOrBefore time: Time) -> Int64 {
    let ticks = Int128(time.value) * Int128(denominator)
    let unit = Int128(time.timescale) * Int128(numerator)
    guard unit > 0 else { return 0 }
    return Int64(clamping: ticks >= 0 ? ticks / unit : (ticks - unit + 1) / unit)
  }
}

extension LibAVError {
  /// A source whose picture cannot be copied; `phrase` stands behind its name, with a remedy.
  static func refusedPicture(_ phrase: String) -> LibAVError {
    LibAVError(code: LibAVError.streamMissing.code, operation: phrase, isPhrase: true)
  }

  /// What to do about a fade that cannot be made.
  static let cutInFade =
    "write 'picture: cut' in the fade, as 'fade_in: { duration: 1s, picture: cut }'"

  /// What to do about a cut that cannot be made between key pictures.
  static let cutAtKeys =
    "cut at key pictures, as 'snap: keyframe' does, or write 'video: { copy: edits }' for MP4 and MOV"

  /// A source whose packets do not say when their pictures are shown.
  static let untimedPicture = refusedPicture(
    "has pictures without times, so that none can be placed; remux it, as with "
      + "'ffmpeg -fflags +genpts'")

  /// A Matroska that keeps pictures as AVI does (`V_MS/VFW/FOURCC`). Its blocks have times of decoding where
  /// it was made of an AVI, and of showing where it was made of an MP4: nothing says which.
  /// `duration` is that of each picture; nil: not known.
  static func timedByDecoding(lasting duration: TimeBase?) -> LibAVError {
    let rate = duration.map {
      "\($0.denominator)" + ($0.numerator == 1 ? "" : "/\($0.numerator)")
    }
    return refusedPicture(
      "keeps its pictures as AVI does (V_MS/VFW/FOURCC), so that it is not known when those are shown that "
        + "are decoded in another order; encode it again at its rate, as with 'ffmpeg -r \(rate ?? "RATE") "
        + "-i IN -c:v libx264 -crf 16 -c:a copy OUT.mkv'")
  }

  /// A source in which no picture says when the ones before it are shown.
  static let unreferencedPictures = refusedPicture(
    "has more pictures one behind the other to which no other refers than are read ahead, so that their "
      + "times are not known; encode it again as H.264")

  /// Work that was stopped.
  static let cancelled = refusedPicture("was not read to its end")
    .blamed(on: Failure(.tryAgain, "cancelled"))

  /// A source of whose pictures nothing is known, which MP4 has to say.
  static let undecodable = refusedPicture("has no picture that can be decoded; check the file")

  /// Pictures whose times of decoding cannot be told.
  static let disordered = refusedPicture(
    "has pictures in an order that no decoder of its kind holds; encode it again")

  /// Encoded pictures of which there are more or fewer than were to be encoded.
  static let miscounted = refusedPicture(
    "is not encoded picture by picture by this FFmpeg, so that one would be lost; encode all of it, as "
      + "'video: { h264: crf 20 }'")

  /// Ranges that are shorter than their pictures.
  static let noPicture = refusedPicture(
    "has no picture that begins in what is shown of it, or near; make the range longer, or write the sound "
      + "alone")

  /// A source whose picture is coded in a way that is not copied.
  init(refusing refusal: BitstreamRefusal) {
    self = .refusedPicture(
      "has a picture that cannot be cut and joined: \(refusal); encode it again as H.264")
  }
}

/// How pictures are reordered between decoding and showing.
struct PictureOrder {
  /// The most pictures that H.264 and H.265 let be decoded before one that is shown before them (H.264
  /// A.3.1, `MaxDpbFrames`; H.265 A.4.2, `MaxDpbSize`).
  static let most = 16

  /// The latest times, ascending.
  private var latest: [Int64] = []
  /// How many pictures were decoded before one that is shown before them, at most.
  private(set) var depth = 0

  /// Adds the next picture in order of decoding, with the time at which it is shown.
  mutating func add(_ shown: Int64) {
    let place = latest.firstIndex { $0 > shown } ?? latest.endIndex
    depth = max(depth, latest.count - place)
    latest.insert(shown, at: place)
    if latest.count > Self.most + 1 { latest.removeFirst() }
  }
}
