internal import CFFmpeg
import Tagging

/// Writes one stream of sound into a container (`AVFormatContext`).
///
/// Owns its format context and the way to its output; no FFmpeg protocol is ever opened. One
/// thread at a time. The bytes depend on what is put in alone (`AVFMT_FLAG_BITEXACT`): no dates,
/// no name of an encoder.
package final class Muxer {
  package enum Container: Sendable, Hashable {
    case flac
    /// AIFF, or AIFF-C for floats; title, artist and the like as text chunks.
    case aiff
    /// Apple's Core Audio Format, with PCM.
    case caf
    /// The same with AAC, Apple Lossless or IMA4, of which its packet table says what is sound.
    case codedCAF
    /// Nothing around the packets.
    case raw
    /// A head before each packet of AAC (ISO 14496-3, 1.A.2), and nothing else.
    case adts
    /// AMR's own file (RFC 4867, 5).
    case amr
    /// MPEG-4 for sound alone (`ipod`), with an edit list that hides the encoder's delay.
    case m4a
    /// MPEG-4 for pictures and sound (`mp4`).
    case mp4
    /// QuickTime's.
    case mov
    /// Matroska (RFC 9559), and the part of it that is WebM: of milliseconds.
    case matroska, webm
    /// Ogg (RFC 3533), whose stream bears the number `serial`; its highest bit is not used.
    case ogg(serial: UInt32)
  }

  /// A named range of the sound, in frames.
  package struct Chapter: Sendable, Hashable {
    package var frames: Range<Int64>
    package var title: String
    /// A page about it, which Vorbis comments alone hold.
    package var url: String?
    /// Its number in Vorbis comments; nil: its place, from 0 on.
    package var number: Int?

    package init(frames: Range<Int64>, title: String, url: String? = nil, number: Int? = nil) {
      (self.frames, self.title, self.url, self.number) = (frames, title, url, number)
    }
  }

  let context: UnsafeMutablePointer<AVFormatContext>
  let output: OutputContext
  private let timeBase: AVRational
  /// What stands beside the sound, and the index of its first stream.
  var companions: (streams: any CompanionStreams, first: Int)?
  /// Frames that are added to the times of the sound's packets: those of Opus begin before the sound by
  /// its pre-skip, which readers of Matroska subtract (`CodecDelay`; RFC 9559, 5.1.4.1.26).
  private var lead: Int64 = 0
  /// Of a CAF with coded sound, its packets so far.
  var codedCAF: CodedCAF?
  /// The clock of the sound's track, where that counts frames of the core of HE-AAC.
  let core: CoreClock?
  /// Where the sounds of an MP4 or MOV lie so far, by their streams.
  var soundSpans: [Int: SoundSpan] = [:]
  /// Of Ogg, until the sound's first page has ended; nil for other containers.
  private var (firstPage, isOgg) = (FirstPage?.none, false)

  /// The packets of sound that came before it is known whether there are more than two.
  private struct FirstPage {
    var packetCount = 0
    var second: Packet?
  }

  private init(
    _ context: UnsafeMutablePointer<AVFormatContext>, _ output: OutputContext,
    _ timeBase: AVRational, _ core: CoreClock?
  ) {
    self.context = context
    self.output = output
    self.timeBase = timeBase
    self.core = core
  }

  deinit { avformat_free_context(context) }

  /// Where the packets of sound come from.
  package enum Source {
    /// An encoder, opened.
    case encoder(Encoder)
    /// Another file's stream, whose packets are timed anew, in frames. `padding` is how many frames of
    /// them lie before the sound; `header` stands instead of its own where that is not in its container;
    /// `coreRate` is how many frames a second HE-AAC codes.
    case stream(Stream, padding: Int, header: [UInt8]? = nil, coreRate: Int? = nil)
    /// An encoder of AAC that is not FFmpeg's.
    case aac(AACStream)

    fileprivate var sampleRate: Int {
      switch self {
      case .encoder(let encoder): encoder.sampleRate
      case .stream(let stream, _, _, _): stream.sampleRate
      case .aac(let stream): stream.sampleRate
      }
    }

    fileprivate var timeBase: AVRational {
      switch self {
      case .encoder(let encoder): encoder.context.pointee.time_base
      case .stream(let stream, _, _, _): AVRational(num: 1, den: stream.parameters.sample_rate)
      case .aac(let stream): AVRational(num: 1, den: Int32(clamping: stream.sampleRate))
      }
    }
  }

  /// Writes the header for packets of sound.
  ///
  /// - Parameters:
  ///   - container: The file's format.
  ///   - output: Where the bytes go.
  ///   - source: Its packets go to `write`.
  ///   - metadata: Tags by FFmpeg's generic names; a container leaves out those it has no place for.
  ///   - chapters: In order. AIFF, CAF, ADTS and AMR do not hold them.
  ///   - picture: A front cover. AIFF, CAF, ADTS and AMR do not hold one.
  ///   - companions: Streams beside the sound, which begins as much later than the file.
  /// - Returns: A muxer whose header is written.
  /// - Throws: FFmpeg's refusal, or the errno of `output`.
  package static func open(
    _ container: Container, to output: any ByteOutput, for source: Source,
    metadata: [(key: String, value: String)] = [], chapters: [Chapter] = [],
    picture: Picture? = nil, companions: Companions? = nil
  ) throws(LibAVError) -> Muxer {
    let output = try OutputContext.open(output)
    var context: UnsafeMutablePointer<AVFormatContext>?
    try check(
      avformat_alloc_output_context2(&context, nil, container.muxerName, nil),
      "avformat_alloc_output_context2")
    let opened = try checkAllocated(context, "avformat_alloc_output_context2")
    opened.pointee.pb = output.pointer
    opened.pointee.flags |= AVFMT_FLAG_BITEXACT | AVFMT_FLAG_CUSTOM_IO
    opened.pointee.io_open = refuseToOpen
    // From here on the muxer's deinit frees what was made.
    let muxer = Muxer(opened, output, source.timeBase, container.isMovie ? CoreClock(source) : nil)
    var picture = picture
    var chapters = chapters
    var tags = metadata
    if container.hasVorbisComments {
      tags += Chapter.comments(chapters, sampleRate: source.sampleRate)
      chapters = []
    }
    var options = container.options(sampleRate: source.sampleRate)
    let delay = companions?.streams.setting.delay ?? 0
    chapters = chapters.map { $0.moved(by: delay) }
    if container.isMovie, !chapters.isEmpty {
      chapters = Chapter.withoutGap(chapters)
      options += Chapter.trackOptions(chapters, sampleRate: source.sampleRate)
    }
    if case .ogg = container {
      (muxer.firstPage, muxer.isOgg) = (FirstPage(), true)
      // FFmpeg's Ogg muxer takes no stream of pictures; its comments hold one (Xiph's
      // "VorbisComment", METADATA_BLOCK_PICTURE).
      if let cover = picture {
        tags.append(("METADATA_BLOCK_PICTURE", try base64(cover.flacBlock)))
        picture = nil
      }
    }
    let sound = try muxer.addSound(source)
    if container.isMatroska {
      opened.pointee.avoid_negative_ts = 0
      muxer.lead = avjob_matroska_lead(sound.pointee.codecpar)
      if let cover = picture { try muxer.attach(cover) }
      picture = nil
    }
    if let picture { try muxer.addCover(picture) }
    if let companions { try muxer.add(companions.streams, beside: sound) }
    try muxer.addChapters(chapters, sampleRate: source.sampleRate)
    try muxer.writeHeader(tags, options, of: sound)
    switch container {
    case .m4a, .mp4, .mov: try muxer.setMovieTimescale(source.sampleRate)
    case .caf: try muxer.nameChannels(of: sound, inChunk: "chan", sizeBytes: 8)
    case .aiff: try muxer.nameChannels(of: sound, inChunk: "CHAN", sizeBytes: 4)
    case .codedCAF: try muxer.beginCodedCAF(of: sound, tags: tags)
    case .raw, .adts, .amr, .flac, .ogg, .matroska, .webm: break
    }
    if let picture { try muxer.write(picture) }
    return muxer
  }

  private func writeHeader(
    _ tags: [(key: String, value: String)], _ options: [(key: String, value: String)],
    of sound: UnsafeMutablePointer<AVStream>
  ) throws(LibAVError) {
    // An Ogg stream's comments are made when its muxer is initialised. Of a file's own tags,
    // libavformat then takes out what it might have written itself, `encoder` and `encoder-…`, and
    // puts the last one in the gap, in front of what it must follow: they are set after that.
    if isOgg { try set(tags, in: &sound.pointee.metadata) }
    try initialize(options)
    if !isOgg { try set(tags, in: &context.pointee.metadata) }
    try checkOutput(avformat_write_header(context, nil), "avformat_write_header")
  }

  /// The stream is the context's.
  private func addSound(
    _ source: Source
  ) throws(LibAVError) -> UnsafeMutablePointer<AVStream> {
    let stream = try checkAllocated(avformat_new_stream(context, nil), "avformat_new_stream")
    stream.pointee.time_base = timeBase
    switch source {
    case .encoder(let encoder):
      try check(
        avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context),
        "avcodec_parameters_from_context")
    case .stream(let original, let padding, let header, _):
      try check(
        avcodec_parameters_copy(stream.pointee.codecpar, original.pointer.pointee.codecpar),
        "avcodec_parameters_copy")
      if let header { try stream.pointee.codecpar.pointee.replaceHeader(with: header) }
      stream.pointee.codecpar.pointee.pad(by: padding)
      core?.describe(&stream.pointee.codecpar.pointee)
    case .aac(let source): try source.fill(stream.pointee.codecpar)
    }
    return stream
  }

  private func initialize(_ pairs: [(key: String, value: String)]) throws(LibAVError) {
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    try set(pairs, in: &options)
    try checkOutput(avformat_init_output(context, &options), "avformat_init_output")
    // An option that a muxer does not have stays in the dictionary.
    if let entry = av_dict_get(options, "", nil, AV_DICT_IGNORE_SUFFIX) {
      throw LibAVError(
        code: avjob_averror_option_not_found(),
        operation: "setting \(String(cString: entry.pointee.key))")
    }
  }

  /// Writes a packet of its source, and gives it the muxer's timestamps (`av_write_frame`).
  package func write(_ packet: Packet) throws(LibAVError) {
    packet.pointer.pointee.stream_index = 0
    let delay = lead + (companions?.streams.setting.delay ?? 0)
    packet.pointer.pointee.pts += delay
    packet.pointer.pointee.dts += delay
    let start = packet.pointer.pointee.pts
    codedCAF?.add(byteCount: packet.size, start..<start + packet.duration)
    noteSound(packet, clock: timeBase)
    try writeCompanions(before: (packet.pointer.pointee.dts, timeBase))
    if let stream = context.pointee.streams[0] {
      av_packet_rescale_ts(packet.pointer, timeBase, stream.pointee.time_base)
    }
    guard firstPage != nil else {
      return try checkOutput(av_write_frame(context, packet.pointer), "av_write_frame")
    }
    try writeToFirstPage(packet)
  }

  /// Ends the sound's first page early, after two packets, or after one where there are but two:
  /// where it is the last one as well, FFmpeg's demuxer has no start and drops nothing at the
  /// end. (One packet of Vorbis alone gives no sound, and ogginfo warns of a page without any.)
  private func writeToFirstPage(_ packet: Packet) throws(LibAVError) {
    switch firstPage?.packetCount {
    case 0?:
      firstPage?.packetCount = 1
      try checkOutput(av_write_frame(context, packet.pointer), "av_write_frame")
    case 1?:
      firstPage?.packetCount = 2
      firstPage?.second = try Packet(copying: packet)
    default:
      let second = firstPage?.second
      firstPage = nil
      if let second {
        try checkOutput(av_write_frame(context, second.pointer), "av_write_frame")
        try endPage()
      }
      try checkOutput(av_write_frame(context, packet.pointer), "av_write_frame")
    }
  }

  /// Where the next byte will be written, from the output's start on (`avio_tell`): of MP4 the first one
  /// of the packet that is written next.
  package var position: Int64 { avio_seek(output.pointer, 0, SEEK_CUR) }

  private func endPage() throws(LibAVError) {
    try checkOutput(av_write_frame(context, nil), "av_write_frame")
  }

  /// Hands on to the output what was written so far (`avio_flush`): whole packets. In Ogg their page
  /// ends with that, unless it is the first one, which has three packets or more.
  package func flush() throws(LibAVError) {
    if isOgg, firstPage == nil { try endPage() }
    try handOn()
  }

  private func handOn() throws(LibAVError) {
    avio_flush(output.pointer)
    try checkOutput(output.pointer.pointee.error, "avio_flush")
  }

  /// Completes the file: indexes, sizes, checksums (`av_write_trailer`). To be called once, last.
  package func finish() throws(LibAVError) {
    if let second = firstPage?.second {
      try endPage()
      try checkOutput(av_write_frame(context, second.pointer), "av_write_frame")
    }
    firstPage = nil
    try writeCompanions()
    try writeTrailer()
    try endCodedCAF()
    try handOn()
  }

  /// The output's own errno is more exact than libavformat's status.
  func checkOutput(_ status: Int32, _ operation: String) throws(LibAVError) {
    if output.failure != 0 {
      throw LibAVError(code: avjob_averror(output.failure), operation: "write")
    }
    try check(status, operation)
  }
}

extension AVCodecParameters {
  /// Has so many frames before the sound; in Opus also in its own header (RFC 7845, 5.1).
  fileprivate mutating func pad(by frames: Int) {
    // The container's own number for the codec: another one may have another.
    codec_tag = 0
    initial_padding = Int32(clamping: frames)
    guard codec_id == AV_CODEC_ID_OPUS, extradata_size > 11, let header = extradata else { return }
    let preSkip = UInt16(clamping: frames)
    header[10] = UInt8(preSkip & 0xFF)
    header[11] = UInt8(preSkip >> 8)
  }
}

extension Muxer.Container {
  fileprivate var hasVorbisComments: Bool {
    switch self {
    case .flac, .ogg: true
    case .aiff, .caf, .codedCAF, .raw, .adts, .amr, .m4a, .mp4, .mov, .matroska, .webm: false
    }
  }

  package var isMatroska: Bool { self == .matroska || self == .webm }

  /// Whether it is of ISO/IEC 14496-12, or QuickTime's, from which that was made.
  fileprivate var isMovie: Bool {
    switch self {
    case .m4a, .mp4, .mov: true
    case .flac, .aiff, .caf, .codedCAF, .raw, .adts, .amr, .ogg, .matroska, .webm: false
    }
  }

  fileprivate var muxerName: String {
    switch self {
    case .flac: "flac"
    case .aiff: "aiff"
    case .caf: "caf"
    // It writes the packets of any codec as they are.
    case .raw, .codedCAF: "data"
    case .adts: "adts"
    case .amr: "amr"
    case .m4a: "ipod"
    case .mp4: "mp4"
    case .mov: "mov"
    case .matroska: "matroska"
    case .webm: "webm"
    case .ogg: "ogg"
    }
  }

  fileprivate func options(sampleRate: Int) -> [(key: String, value: String)] {
    switch self {
    case .flac, .caf, .codedCAF, .raw, .adts, .amr, .aiff, .matroska, .webm: []
    case .ogg(let serial): [("serial_offset", String(serial & 0x7FFF_FFFF))]
    case .m4a, .mp4, .mov: [("movie_timescale", String(sampleRate)), ("use_editlist", "1")]
    }
  }
}

/// Puts texts into a dictionary of FFmpeg's (`av_dict_set`).
private func set(
  _ pairs: [(key: String, value: String)], in dictionary: inout OpaquePointer?
) throws(LibAVError) {
  for (key, value) in pairs { try check(av_dict_set(&dictionary, key, value, 0), "av_dict_set") }
}

/// `bytes` as text (`av_base64_encode`).
private func base64(_ bytes: [UInt8]) throws(LibAVError) -> String {
  let size = (bytes.count + 2) / 3 * 4 + 1
  let memory = try checkAllocated(av_malloc(size), "av_malloc")
  defer { av_free(memory) }
  let text = memory.bindMemory(to: CChar.self, capacity: size)
  let written = av_base64_encode(text, Int32(clamping: size), bytes, Int32(clamping: bytes.count))
  return String(cString: try checkAllocated(written, "av_base64_encode"))
}

/// Formed at file scope: C calls it without Swift's isolation.
private func refuseToOpen(
  _: UnsafeMutablePointer<AVFormatContext>?,
  _: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?, _: UnsafePointer<CChar>?,
  _: Int32, _: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 { avjob_averror(EPERM) }
