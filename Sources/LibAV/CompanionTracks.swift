internal import CFFmpeg

/// One stream beside a sound, whose packets are made one by one.
protocol CompanionTrack: AnyObject {
  /// That of its packets.
  var timeBase: AVRational { get }

  /// nil where it has none.
  var language: String? { get }

  /// The next packet in order of decoding; nil at the end.
  var ready: Packet? { get }

  /// By how many ticks the times of that packet are later than the moments at which it is shown, as an edit
  /// list has it.
  var lead: Int64 { get }

  /// When a sound begins, behind its encoder's delay; nil for others.
  var soundStart: Int64? { get }

  /// Goes on to the packet behind `ready`.
  func advance() throws(LibAVError)

  /// Describes the stream to a container.
  func describe(
    to own: UnsafeMutablePointer<AVStream>, in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError)
}

extension CompanionTrack {
  var lead: Int64 { 0 }

  var soundStart: Int64? { nil }
}

/// A picture that is made, and other sounds and texts that go with it.
package final class CompanionTracks: CompanionStreams {
  let setting: CompanionSetting
  private let picture: PictureTrack
  private let tracks: [any CompanionTrack]

  /// One picture, and sounds and texts in the order of the file.
  package init(_ picture: PictureTrack, _ sounds: [SoundTrack] = [], _ texts: [CueTrack] = []) {
    setting = picture.setting
    self.picture = picture
    tracks = [picture] + (sounds as [any CompanionTrack]) + (texts as [any CompanionTrack])
  }

  var edits: (list: PictureEdits, firstDecoded: Int64)? { picture.edits }

  var timeBases: [AVRational] { tracks.map(\.timeBase) }

  var languages: [String?] { tracks.map(\.language) }

  func soundStart(_ place: Int) -> Int64? { tracks[place].soundStart }

  func describe(
    _ place: Int, to own: UnsafeMutablePointer<AVStream>,
    in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    try tracks[place].describe(to: own, in: container)
    own.pointee.time_base = tracks[place].timeBase
    // They are the source's, and are counted anew.
    own.pointee.start_time = avjob_nopts()
    own.pointee.duration = 0
  }

  func take(
    before moment: (ticks: Int64, base: AVRational)?,
    _ body: (Packet, Int) throws(LibAVError) -> Void
  ) throws(LibAVError) {
    while let place = earliest, let packet = tracks[place].ready {
      if let moment, compare(packet, tracks[place], moment) >= 0 { return }
      try body(packet, place)
      try tracks[place].advance()
    }
  }

  /// The track whose next packet is decoded first; nil at the end of all.
  private var earliest: Int? {
    var found: (place: Int, ticks: Int64, base: AVRational)?
    for (place, track) in tracks.enumerated() {
      guard let packet = track.ready else { continue }
      if let found, compare(packet, track, (found.ticks, found.base)) >= 0 { continue }
      found = (place, packet.pointer.pointee.dts &- track.lead, track.timeBase)
    }
    return found?.place
  }

  private func compare(
    _ packet: Packet, _ track: any CompanionTrack, _ moment: (ticks: Int64, base: AVRational)
  ) -> Int32 {
    av_compare_ts(
      packet.pointer.pointee.dts &- track.lead, track.timeBase, moment.ticks, moment.base)
  }
}

/// Texts that are shown with a picture.
package final class CueTrack: CompanionTrack {
  /// A text, or what is shown while there is none.
  package struct Sample: Sendable, Hashable {
    package var ticks: Range<Int64>
    /// The text, as its codec has it: 3GPP's timed text with its length in two bytes before it, and boxes
    /// with its styles behind it; ASS as Matroska has it.
    package var bytes: [UInt8]
    /// Where WebVTT shows it, as `align:start`.
    package var settings: [UInt8] = []
    /// Its name in WebVTT.
    package var identifier: [UInt8] = []

    package init(ticks: Range<Int64>, bytes: [UInt8]) { (self.ticks, self.bytes) = (ticks, bytes) }
  }

  let timeBase: AVRational
  let language: String?
  private(set) var ready: Packet?
  /// Whose disposition and styles it has; nil: it is like none.
  private let like: Stream?
  private let codec: String
  private var samples: any IteratorProtocol<Sample>

  /// A track of samples in order of their starts, in ticks of which `timescale` are a second; those of
  /// `mov_text` have no gaps. Each is asked for when the one before it was written. Its language, its
  /// disposition and, in the same codec, its styles are those of `stream`. `codec` is one of texts, by
  /// FFmpeg's name.
  package init(
    like stream: Stream, as codec: String, timescale: Int32, _ samples: some Sequence<Sample>
  ) throws(LibAVError) {
    (like, self.codec, self.samples) = (stream, codec, samples.makeIterator())
    language = stream.metadata.first { $0.key == "language" }?.value
    timeBase = AVRational(num: 1, den: timescale)
    try advance()
  }

  /// A track of timed text without styles, in a language by its code of three letters (ISO 639-2).
  package init(
    language: String?, timescale: Int32, _ samples: some Sequence<Sample>
  ) throws(LibAVError) {
    (like, codec, self.samples) = (nil, "mov_text", samples.makeIterator())
    self.language = language
    timeBase = AVRational(num: 1, den: timescale)
    try advance()
  }

  func advance() throws(LibAVError) {
    guard let sample = samples.next() else {
      ready = nil
      return
    }
    let packet = try sample.bytes.span.withUnsafeBytes { bytes throws(LibAVError) in
      try Packet(copying: bytes, timestamp: sample.ticks.lowerBound)
    }
    packet.pointer.pointee.duration = sample.ticks.upperBound - sample.ticks.lowerBound
    packet.isKey = true
    try packet.setSideData(sample.settings, AV_PKT_DATA_WEBVTT_SETTINGS)
    try packet.setSideData(sample.identifier, AV_PKT_DATA_WEBVTT_IDENTIFIER)
    ready = packet
  }

  /// The name of the sample entries of timed text, `tx3g`, as libavformat holds it.
  private static let sampleEntry = "tx3g".utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }

  func describe(
    to own: UnsafeMutablePointer<AVStream>, in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    if let like { try own.describe(likePartOf: like, in: container) }
    guard let parameters = own.pointee.codecpar,
      let id = avcodec_descriptor_get_by_name(codec)?.pointee.id
    else { return }
    let isTimed = id == AV_CODEC_ID_MOV_TEXT
    if let known = like?.parameters, known.codec_id == id,
      !isTimed || known.codec_tag == Self.sampleEntry
    {
      return
    }
    parameters.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
    parameters.pointee.codec_id = id
    parameters.pointee.codec_tag = isTimed ? Self.sampleEntry : 0
    try parameters.pointee.replaceHeader(with: isTimed ? Self.plainHeader : [])
  }

  /// White text of 16 points in the middle at the bottom, for samples without styles (TS 26.245, 5.16):
  /// what libavcodec takes for no style of its own.
  private static let plainHeader: [UInt8] =
    [
      // Flags; centred, at the bottom; no background.
      0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0,
      // The box of the text: the whole track's.
      0, 0, 0, 0, 0, 0, 0, 0,
      // From character 0 to 0, in font 1, without a face, 16 points, white.
      0, 0, 0, 0, 0, 1, 0, 16, 0xFF, 0xFF, 0xFF, 0xFF,
      // Font 1.
      0, 0, 0, 18,
    ] + "ftab".utf8 + [0, 1, 0, 1, 5] + "Arial".utf8
}
