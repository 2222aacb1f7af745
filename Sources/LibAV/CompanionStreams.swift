internal import CFFmpeg
import Tagging

/// Streams that stand beside the sound of a file, and whose packets come in order of decoding.
///
/// One thread at a time: that of the muxer which it is given to.
protocol CompanionStreams: AnyObject {
  var setting: CompanionSetting { get }

  /// The time base of each stream's packets.
  var timeBases: [AVRational] { get }

  /// The language of each stream, or nil.
  var languages: [String?] { get }

  /// What is shown of the first stream, a picture, in place of the muxer's own edit list, and when its first
  /// packet is decoded; nil: all from 0 on. It is whole when all packets were taken.
  var edits: (list: PictureEdits, firstDecoded: Int64)? { get }

  /// When the sound at a place of `timeBases` begins, behind its encoder's delay; nil: as its packets say
  /// (`AV_PKT_DATA_SKIP_SAMPLES`).
  func soundStart(_ place: Int) -> Int64?

  /// Describes the stream at a place of `timeBases` to a container.
  func describe(
    _ place: Int, to own: UnsafeMutablePointer<AVStream>,
    in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError)

  /// Gives the packets that are decoded before a moment, each with its stream's place; all that are left
  /// without one.
  func take(
    before moment: (ticks: Int64, base: AVRational)?,
    _ body: (Packet, Int) throws(LibAVError) -> Void
  ) throws(LibAVError)
}

/// What is said of the streams beside a sound.
package struct CompanionSetting: Sendable {
  /// Frames from the start of the file's clock to the sound's first one.
  package var delay: Int64
  /// The language of the sound; nil where the source has none.
  package var language: String?
  /// The title, handler and roles of the sound's track.
  package var labels = TrackLabels()
  /// The forms of pictures, by their streams: libavformat leaves some to a decoder, which it is not given.
  package var forms: [Int: PictureForm] = [:]
  /// How many pictures may be decoded before one that is shown before them, by their streams, of a file
  /// that has no times of decoding; nil: it has them.
  package var depths: [Int: Int]?
  /// Whether pictures keep a record of Dolby Vision.
  package var keepsDolbyVision = true

  package init(delay: Int64, language: String?) {
    (self.delay, self.language) = (delay, language)
  }

  /// Completes what a container is told of the picture of a stream.
  func complete(_ parameters: inout AVCodecParameters, ofPicture index: Int) {
    guard let form = forms[index] else { return }
    if parameters.width == 0 {
      (parameters.width, parameters.height) = (
        Int32(clamping: form.width), Int32(clamping: form.height)
      )
    }
    if parameters.format < 0, let name = form.pixelFormat {
      parameters.format = av_get_pix_fmt(name).rawValue
    }
  }
}

/// What every picture of a stream has in common.
package struct PictureForm: Sendable, Hashable {
  /// Pixels across and down.
  package var width: Int
  package var height: Int
  /// FFmpeg's name of how pixels lie, such as `yuv420p`; nil where it is not known.
  package var pixelFormat: String?

  package init(width: Int, height: Int, pixelFormat: String? = nil) {
    (self.width, self.height, self.pixelFormat) = (width, height, pixelFormat)
  }
}

/// What a muxer is to write beside the sound.
package enum Companions {
  case copied(CopiedStreams)
  case made(CompanionTracks)
  case captioned(CaptionedStreams)

  var streams: any CompanionStreams {
    switch self {
    case .copied(let streams): streams
    case .made(let tracks): tracks
    case .captioned(let streams): streams
    }
  }
}

/// One picture whose packets are made, or copied, one by one.
package final class PictureTrack: CompanionTrack {
  /// What a container is told of it.
  package enum Source {
    /// Its encoder says it; its packets have a time base of their own.
    case encoder(PictureEncoder, TimeBase)
    /// It is like the stream that it was cut from.
    case stream(Description)

    fileprivate var timeBase: AVRational {
      switch self {
      case .encoder(_, let base): AVRational(num: base.numerator, den: base.denominator)
      case .stream(let description):
        AVRational(
          num: description.timeBase.numerator, den: description.timeBase.denominator)
      }
    }
  }

  /// What a container is told of a picture that is like a stream.
  package struct Description {
    /// The stream: its size, its colours, its matrix.
    package var like: Stream
    /// The decoder's configuration; nil: the stream's own.
    package var header: [UInt8]?
    /// The sample entry's name, such as `hev1`; nil: the container's usual one.
    package var sampleEntry: String?
    /// That of the packets.
    package var timeBase: TimeBase

    package init(
      like stream: Stream, header: [UInt8]?, sampleEntry: String?, timeBase: TimeBase
    ) {
      like = stream
      (self.header, self.sampleEntry, self.timeBase) = (header, sampleEntry, timeBase)
    }
  }

  let setting: CompanionSetting
  /// The timecode of the picture that is shown first, such as `01:00:00:00`; nil: none.
  package var timecode: String?
  /// How long each picture is shown, but for those at cuts; nil: not equally long, or not known.
  package var pictureDuration: TimeBase?
  /// The stream as which pictures are seen that are encoded throughout (`Stream.projection`); nil: flat.
  package var projected: Stream?
  private let source: Source
  /// What is shown of its packets; nil: all of them, from 0 on.
  private let list: PictureEdits?
  private let firstDecoded: Int64
  private let next: () throws(LibAVError) -> Packet?
  private(set) var ready: Packet?

  /// A track at its first packet; `next` gives one after the other in order of decoding, with times in
  /// ticks of the source's base, and nil at the end. `edits` are known up to the packet that was given
  /// last, and perhaps to the one behind it, so that packets at an edit may be interleaved some ticks apart.
  package init(
    _ source: Source, _ setting: CompanionSetting, edits: PictureEdits? = nil,
    _ next: @escaping () throws(LibAVError) -> Packet?
  ) throws(LibAVError) {
    (self.source, self.setting, self.next) = (source, setting, next)
    list = edits
    ready = try next()
    firstDecoded = ready?.decodingTime ?? 0
  }

  /// As of `CompanionStreams`.
  var edits: (list: PictureEdits, firstDecoded: Int64)? { list.map { ($0, firstDecoded) } }

  var lead: Int64 { list?.lead ?? 0 }

  var timeBase: AVRational { source.timeBase }

  var language: String? { nil }

  func advance() throws(LibAVError) { ready = try next() }

  func describe(
    to own: UnsafeMutablePointer<AVStream>, in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    switch source {
    case .encoder(let encoder, _):
      try describe(encoder, to: own, in: container)
      if let projected { try own.takeProjection(of: projected) }
    case .stream(let description): try describe(description, to: own, in: container)
    }
    own.pointee.setPictureDuration(pictureDuration, in: container)
  }

  private func describe(
    _ encoder: PictureEncoder, to own: UnsafeMutablePointer<AVStream>,
    in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    try check(
      avcodec_parameters_from_context(own.pointee.codecpar, encoder.context),
      "avcodec_parameters_from_context")
    own.pointee.avg_frame_rate = encoder.context.pointee.framerate
    own.pointee.sample_aspect_ratio = encoder.context.pointee.sample_aspect_ratio
    try encoder.light.describe(own)
    // Apple's players know HEVC by this name alone; all parameter sets stand in its header.
    if encoder.context.pointee.codec_id == AV_CODEC_ID_HEVC {
      Self.name("hvc1", &own.pointee.codecpar.pointee, in: container)
    }
  }

  /// Names a sample entry, where the container has such names: Matroska has none.
  private static func name(
    _ entry: String, _ parameters: inout AVCodecParameters,
    in container: UnsafePointer<AVOutputFormat>
  ) {
    let tag: UInt32 = entry.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    guard av_codec_get_id(container.pointee.codec_tag, tag) == parameters.codec_id else { return }
    parameters.codec_tag = tag
  }

  private func describe(
    _ description: Description, to own: UnsafeMutablePointer<AVStream>,
    in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    try own.describe(
      likePartOf: description.like, in: container, keepsDolbyVision: setting.keepsDolbyVision)
    try check(av_dict_set(&own.pointee.metadata, "timecode", timecode, 0), "av_dict_set")
    guard let parameters = own.pointee.codecpar else { return }
    if let entry = description.sampleEntry {
      Self.name(entry, &parameters.pointee, in: container)
    }
    setting.complete(&parameters.pointee, ofPicture: description.like.index)
    if let header = description.header { try parameters.pointee.replaceHeader(with: header) }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Describes what was cut out of a stream, or made of it, as the stream is described: without tags of
  /// the whole of it, such as mkvmerge's statistics, and in Matroska without MP4's names of handlers.
  func describe(
    likePartOf stream: Stream, in container: UnsafePointer<AVOutputFormat>,
    keepsDolbyVision: Bool = true
  ) throws(LibAVError) {
    try check(
      avjob_copy_stream(self, stream.pointer, container, keepsDolbyVision ? 1 : 0),
      "avjob_copy_stream")
    for (key, _) in stream.metadata where TagNames.isTechnical(key) {
      let isOfMovies = ["handler_name", "vendor_id"].contains(key.lowercased())
      guard !isOfMovies || container.pointee.isMatroska else { continue }
      try check(av_dict_set(&pointee.metadata, key, nil, 0), "av_dict_set")
    }
  }
}

extension AVStream {
  /// Says how long each picture of an output lasts, or that it is not known, where a container has a place
  /// for it (RFC 9559, `DefaultDuration`): libavformat would write the mean, and browsers show a picture too
  /// early then after a seek.
  mutating func setPictureDuration(
    _ duration: TimeBase?, in container: UnsafePointer<AVOutputFormat>
  ) {
    guard container.pointee.isMatroska else { return }
    avg_frame_rate = AVRational(
      num: duration?.denominator ?? 0, den: duration?.numerator ?? 1)
    r_frame_rate = avg_frame_rate
  }
}

extension AVOutputFormat {
  /// Whether it is Matroska, or the part of it that is WebM.
  var isMatroska: Bool { ["matroska", "webm"].contains(String(cString: name)) }
}

extension AVCodecParameters {
  /// Gives its decoder other bytes of configuration, behind which decoders may read on.
  mutating func replaceHeader(with header: [UInt8]) throws(LibAVError) {
    let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
    let room = try checkAllocated(av_mallocz(header.count + padding), "av_mallocz")
    av_freep(&extradata)
    extradata = room.assumingMemoryBound(to: UInt8.self)
    extradata_size = Int32(clamping: header.count)
    extradata.update(from: header, count: header.count)
  }
}
