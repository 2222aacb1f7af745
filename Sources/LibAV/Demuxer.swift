internal import CFFmpeg
import SystemPackage
import Tagging

/// A media file opened for reading: streams, tags, chapters, packets.
///
/// Owns its `AVFormatContext`. One thread at a time. It reads the one source that it was opened for
/// (`InputContext`), only with the demuxers of `Demuxer.allowed`, so that a playlist that
/// calls itself `.mp3` cannot reach for other files.
package final class Demuxer {
  let context: UnsafeMutablePointer<AVFormatContext>
  /// Lives as long as `context`, which points to it.
  private let input: InputContext
  private let bounds: ReadingBounds
  /// What a WAV or Wave64 says of itself; nil for other files.
  package let wave: WaveHeader?
  /// Whether the header has more tags or chapters, or larger ones, than are read (`ReadingBounds`).
  package let leavesTagsOut: Bool
  /// Whether durations of the file and its streams are estimates, which no header announces
  /// (`AVFormatContext.duration_estimation_method`).
  package private(set) var estimatesDurations = false
  /// Whether reading ended with fewer bytes than a packet needs.
  package private(set) var breaksOff = false
  /// Where it stood when the header was read.
  private(set) var headerEnd: Int64 = 0
  /// Streams of WebVTT in `S_TEXT/WEBVTT`.
  private var webVTTOfBlocks: Set<Int> = []
  /// The last packet that was read since the source has failed: its end may be missing.
  private var doubtful: Packet?

  private init(
    _ context: UnsafeMutablePointer<AVFormatContext>, _ input: InputContext,
    _ wave: WaveHeader?, _ bounds: ReadingBounds, leavesTagsOut: Bool
  ) {
    (self.context, self.input, self.wave) = (context, input, wave)
    (self.bounds, self.leavesTagsOut) = (bounds, leavesTagsOut)
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = self.context
    avformat_close_input(&context)
  }

  /// Reads the header of a medium (`avformat_open_input`).
  ///
  /// - Parameters:
  ///   - source: Its bytes.
  ///   - range: Which of them; nil: all.
  ///   - name: The file's name: some formats are known by its extension alone.
  ///   - ignoringEditLists: Whether an MP4, which it must be, is read as its media are, and not as
  ///     its edit lists play them.
  ///   - sound: What it holds, of a file without a header.
  /// - Returns: The demuxer, which owns the source from now on.
  /// - Throws: FFmpeg's error; with its `cause` where the source could not be read.
  package static func open(
    _ source: any ByteSource, _ range: Range<Int64>? = nil, named name: FilePath,
    ignoringEditLists: Bool = false, headerless sound: HeaderlessSound? = nil
  ) throws(LibAVError) -> Demuxer {
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    for (key, value) in (ignoringEditLists ? [("ignore_editlist", "1")] : []) + [
      ("format_whitelist", allowed), ("protocol_whitelist", "none"),
      ("codec_whitelist", audioDecoders),
      // Bytes of the index that libavformat collects where a container brings none. Kept small: each
      // packet that is read after a jump back moves what lies behind its place, by default up to a
      // mebibyte.
      ("indexmem", "16384"),
    ] {
      try check(av_dict_set(&options, key, value, 0), "av_dict_set")
    }
    let part = range.map { SplicedBytes(source, [.range($0)]) } ?? source
    let wave = try WaveSource(
      sound.map { sound throws(LibAVError) in try part.headed(sound) } ?? part)
    let aiff = try AIFFSource(wave.source)
    let input = try InputContext(aiff.source)
    var context = avformat_alloc_context()
    defer { withExtendedLifetime(input) { avformat_close_input(&context) } }
    context?.pointee.pb = input.pointer
    // The prefix keeps a colon in the name from reading as a protocol.
    let url =
      [CChar]("file:".utf8.map { CChar(bitPattern: $0) })
      + name.withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
    let bounds = ReadingBounds(fileSize: input.seek(to: 0, whence: AVSEEK_SIZE))
    try input.requireRead()
    let opened = try bounds.call {
      input.status(of: input.recognizing { avformat_open_input(&context, url, nil, &options) })
    }
    try input.requireRead()
    if opened.status < 0 {
      throw aiff.named(LibAVError(code: opened.status, operation: "avformat_open_input"))
    }
    let demuxer = Demuxer(
      try checkAllocated(context, "avformat_open_input"), input, wave.header, bounds,
      leavesTagsOut: opened.leavesTagsOut || wave.header?.hasLongList == true)
    context = nil
    // A list that this FFmpeg does not have would leave other files within reach.
    guard av_dict_count(options) == 0 else {
      throw LibAVError(code: avjob_averror_option_not_found(), operation: "avformat_open_input")
    }
    demuxer.takeHeaderAtItsWord()
    demuxer.webVTTOfBlocks = Set(demuxer.streams.filter(\.isWebVTTOfBlocks).map(\.index))
    demuxer.headerEnd = avio_seek(input.pointer, 0, SEEK_CUR)
    if wave.header?.kind == .rifx { demuxer.swapOrder() }
    try aiff.correct(demuxer)
    return demuxer
  }

  /// Keeps libavformat from looking for DTS in WAV's 16-bit samples: that costs more than all else in
  /// opening such a file, and after each seek it would hold 5 MB of packets meanwhile.
  private func takeHeaderAtItsWord() {
    guard ["wav", "w64"].contains(formatName), streams.first?.codecName == "pcm_s16le" else {
      return
    }
    context.pointee.max_probe_packets = 1
    // Counted again from each seek on, so from one to where the file is now.
    try? seek(stream: 0, to: 0)
  }

  /// Gives samples with the highest byte first their codec: the header that libavformat was given
  /// has no word for them.
  private func swapOrder() {
    guard let parameters = streams.first?.pointer.pointee.codecpar else { return }
    parameters.pointee.codec_id =
      switch parameters.pointee.codec_id {
      case AV_CODEC_ID_PCM_S16LE: AV_CODEC_ID_PCM_S16BE
      case AV_CODEC_ID_PCM_S24LE: AV_CODEC_ID_PCM_S24BE
      case AV_CODEC_ID_PCM_S32LE: AV_CODEC_ID_PCM_S32BE
      case AV_CODEC_ID_PCM_F32LE: AV_CODEC_ID_PCM_F32BE
      case AV_CODEC_ID_PCM_F64LE: AV_CODEC_ID_PCM_F64BE
      case let other: other
      }
  }

  /// Bytes of the medium as it is read.
  package var byteCount: Int64 { input.seek(to: 0, whence: AVSEEK_SIZE) }

  /// Guesses the sound's parameters from packets where the header leaves them open
  /// (`avformat_find_stream_info`), without decoding pictures.
  package func completeParameters() throws(LibAVError) {
    guard hasOpenParameters else { return }
    for index in 0..<Int(context.pointee.nb_streams) {
      guard let stream = context.pointee.streams[index] else { continue }
      if stream.pointee.codecpar.pointee.codec_type != AVMEDIA_TYPE_AUDIO {
        stream.pointee.discard = AVDISCARD_ALL
      }
    }
    try check(
      call { input.recognizing { avformat_find_stream_info(context, nil) } },
      "avformat_find_stream_info")
    // Without a duration in the header, libavformat makes one of the bit rate, or of time stamps at
    // the file's end.
    estimatesDurations = context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_STREAM
  }

  private var hasOpenParameters: Bool {
    streams.contains { $0.isAudio && !$0.hasParameters }
      || !streams.contains(where: \.isAudio)
        && context.pointee.ctx_flags & AVFMTCTX_NOHEADER != 0
  }

  /// FFmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
  package var formatName: String { String(cString: context.pointee.iformat.pointee.name) }

  /// The whole file's duration as its header has it, in microseconds; nil where it has none.
  package var announcedMicroseconds: Int64? {
    let duration = context.pointee.duration
    return duration == avjob_nopts() || duration <= 0 ? nil : duration
  }

  /// All streams, in the file's order.
  package var streams: [Stream] {
    (0..<Int(context.pointee.nb_streams)).compactMap { index in
      context.pointee.streams[index].map { Stream(pointer: $0, owner: self) }
    }
  }

  /// FFmpeg's choice among the streams of sound (`av_find_best_stream`), nil where there is none.
  package var bestAudioStream: Int? {
    let index = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
    return index >= 0 ? Int(index) : nil
  }

  /// Reads only `index` from now on.
  package func select(stream index: Int) { select(streams: [index]) }

  /// Reads only these streams from now on.
  package func select(streams indexes: Set<Int>) {
    for stream in streams {
      let isRead = indexes.contains(stream.index)
      stream.pointer.pointee.discard = isRead ? AVDISCARD_DEFAULT : AVDISCARD_ALL
    }
  }

  /// The file's tags, in its order.
  package var metadata: [(key: String, value: String)] { pairs(of: context.pointee.metadata) }

  /// How often reading a packet may have to be tried again: MPEG-TS looks through 64 KiB each time.
  private static let mostAttempts = 1 << 20

  /// Reads the next packet that holds data (`av_read_frame`).
  ///
  /// Where the source fails, the packets before the bytes that are missing are read first: parsers
  /// hold some back, which libavformat gives then.
  ///
  /// - Parameter isCancelled: Polled wherever MPEG-TS holds no packet in 64 KiB.
  /// - Returns: The packet; nil at the end of the file.
  /// - Throws: FFmpeg's error, or EAGAIN where `isCancelled`.
  package func read(unless isCancelled: () -> Bool = { false }) throws(LibAVError) -> Packet? {
    while true {
      guard let packet = try nextPacket(unless: isCancelled) else { return nil }
      guard input.failure != nil else { return packet }
      defer { doubtful = packet }
      if let doubtful { return doubtful }
    }
  }

  private func nextPacket(unless isCancelled: () -> Bool) throws(LibAVError) -> Packet? {
    let packet = try Packet()
    var attempts = 0
    repeat {
      av_packet_unref(packet.pointer)
      let status = try bounds.call { av_read_frame(context, packet.pointer) }.status
      // The end of what a server sends is not the end of a file.
      if status < 0 || packet.size == 0 || packet.isCutShort { try input.requireRead() }
      if status == avjob_averror_eof() { return nil }
      // MPEG-TS that has lost its place looks for it in the next 64 KiB, and must be called again for
      // more.
      attempts += 1
      if status == avjob_averror_eagain(), attempts < Self.mostAttempts, !isCancelled() { continue }
      try check(status, "av_read_frame")
      // Cameras write Ogg packets of no bytes, which decoders would refuse.
    } while packet.size == 0
    guard webVTTOfBlocks.contains(packet.streamIndex) else { return packet }
    return try packet.webVTT(ofBlocksOf: streams[packet.streamIndex])
  }

  /// Like `read`, but damage that leaves no way on counts as the end, and so do missing bytes, of which
  /// some demuxers say EIO.
  package func readWhatIsThere(
    unless isCancelled: () -> Bool = { false }
  ) throws(LibAVError) -> Packet? {
    do throws(LibAVError) {
      return try read(unless: isCancelled)
    } catch {
      guard error.isInvalidData || error.isMissingBytes else { throw error }
      breaksOff = error.isMissingBytes
      return nil
    }
  }

  /// Goes to a packet of stream `index` that starts at or before `timestamp`, in the stream's
  /// ticks (`av_seek_frame`). Whether it does is for the caller to check by what it then reads.
  package func seek(stream index: Int, to timestamp: Int64) throws(LibAVError) {
    try check(
      call { av_seek_frame(context, Int32(index), timestamp, AVSEEK_FLAG_BACKWARD) },
      "av_seek_frame")
  }

  /// Tells where a packet lies, so that `seek` need not look for it (`av_add_index_entry`). A wrong
  /// place costs time alone.
  package func note(_ timestamp: Int64, at position: Int64, of stream: Stream) {
    av_add_index_entry(stream.pointer, position, timestamp, 0, 0, AVINDEX_KEYFRAME)
  }

  /// Whether packets are found again by where they lie in the file: the container has neither an
  /// index nor time stamps that could be relied on (`AVFMT_GENERIC_INDEX`, `AVFMT_TS_DISCONT`).
  package var seeksByBytes: Bool {
    let flags = context.pointee.iformat.pointee.flags
    return flags & (AVFMT_GENERIC_INDEX | AVFMT_TS_DISCONT) != 0
      && flags & AVFMT_NO_BYTE_SEEK == 0
      // Its packets are cut by a table, not by what they look like.
      && formatName != "flv"
  }

  /// Goes to a byte of the file (`AVSEEK_FLAG_BYTE`). What is read next may begin anywhere behind it.
  package func seek(toByte position: Int64) throws(LibAVError) {
    try check(call { av_seek_frame(context, -1, position, AVSEEK_FLAG_BYTE) }, "av_seek_frame")
  }

  /// One call of libavformat within the bounds, and its status.
  ///
  /// - Throws: Where the source could not be read, whatever the call made of it: the end of what a
  ///   server sends is not the end of a file.
  private func call(_ body: () -> Int32) throws(LibAVError) -> Int32 {
    let status = try bounds.call { input.status(of: body()) }.status
    try input.requireRead()
    return status
  }

  /// A dictionary's entries, in its order.
  func pairs(of dictionary: OpaquePointer?) -> [(key: String, value: String)] {
    var found: [(key: String, value: String)] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
      found.append((String(cString: next.pointee.key), Self.text(next.pointee.value).text))
      entry = next
    }
    return found
  }

  /// libavformat hands on bytes as most containers have them, in whatever encoding.
  private static func text(
    _ bytes: UnsafePointer<CChar>?
  ) -> (text: String, isGuessed: Bool) {
    guard let bytes else { return ("", false) }
    return EightBitText.decoded(
      UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
  }

  /// The names of tags that are not UTF-8, and are taken for Windows-1252, and whether chapters'
  /// titles are.
  package var guessedTexts: (tags: [String], hasChapters: Bool) {
    func keys(_ dictionary: OpaquePointer?) -> [String] {
      var found: [String] = []
      var entry: UnsafeMutablePointer<AVDictionaryEntry>?
      while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
        if Self.text(next.pointee.value).isGuessed {
          found.append(String(cString: next.pointee.key))
        }
        entry = next
      }
      return found
    }
    let ofStreams = (0..<Int(context.pointee.nb_streams)).flatMap { index in
      keys(context.pointee.streams[index]?.pointee.metadata)
    }
    let hasChapters = (0..<Int(context.pointee.nb_chapters)).contains { index in
      !keys(context.pointee.chapters[index]?.pointee.metadata).isEmpty
    }
    return (keys(context.pointee.metadata) + ofStreams, hasChapters)
  }
}

/// A view of one stream; it keeps its demuxer alive.
package struct Stream {
  let pointer: UnsafeMutablePointer<AVStream>
  let owner: Demuxer

  var parameters: AVCodecParameters { pointer.pointee.codecpar.pointee }

  package var index: Int { Int(pointer.pointee.index) }
  /// The container's own number of the stream, as an MP4's track has one (`AVStream.id`).
  package var id: Int { Int(pointer.pointee.id) }
  package var isAudio: Bool { parameters.codec_type == AVMEDIA_TYPE_AUDIO }
  var hasParameters: Bool {
    parameters.codec_id != AV_CODEC_ID_NONE && parameters.sample_rate > 0
      && parameters.ch_layout.nb_channels > 0
  }

  /// FFmpeg's name of the codec, such as `aac` (`avcodec_get_name`).
  package var codecName: String {
    String(cString: avcodec_get_name(isWebVTTOfBlocks ? AV_CODEC_ID_WEBVTT : parameters.codec_id))
  }
  /// `audio`, `video`, `subtitle`, `data` … (`av_get_media_type_string`).
  package var mediaType: String {
    av_get_media_type_string(parameters.codec_type).map { String(cString: $0) } ?? "unknown"
  }
  /// Streams of Opus within one, by its header (RFC 7845, 5.1.1).
  package var opusStreamCount: Int {
    guard parameters.codec_id == AV_CODEC_ID_OPUS, parameters.extradata_size > 19,
      let header = parameters.extradata, header[18] > 0
    else { return 1 }
    return Int(header[19])
  }
  package var sampleRate: Int { Int(parameters.sample_rate) }
  package var timeBase: TimeBase { TimeBase(pointer.pointee.time_base) }
  /// Bits a second, or nil.
  package var bitRate: Int? { parameters.bit_rate > 0 ? Int(parameters.bit_rate) : nil }
  /// Frames before the sound that the codec gives, by the container
  /// (`AVCodecParameters.initial_padding`), 0 where it has no number.
  package var initialPadding: Int { Int(parameters.initial_padding) }
  /// In ticks; nil where the header does not say.
  package var duration: Int64? {
    pointer.pointee.duration == avjob_nopts() || pointer.pointee.duration <= 0
      ? nil : pointer.pointee.duration
  }
  /// Whether a length of the stream, or of a file that holds no other, stands in the file, and is not
  /// guessed by its bit rate.
  package var announcesLength: Bool {
    guard !owner.estimatesDurations else { return false }
    return duration != nil || owner.streams.filter { !$0.isAttachedPicture }.count == 1
  }
  /// How many frames the header counts; nil where it does not (`AVStream.nb_frames`). For PCM a frame
  /// has one sample a channel.
  package var frameCount: Int64? {
    pointer.pointee.nb_frames > 0 ? pointer.pointee.nb_frames : nil
  }
  /// Bytes of one coded block, for PCM one frame of all channels.
  package var blockAlign: Int { Int(parameters.block_align) }
  /// Bits of one sample of one channel as the header has them; 0 where it does not say.
  package var codedBits: Int { Int(parameters.bits_per_coded_sample) }
  /// Bits that PCM takes for one sample of one channel, else 0 (`av_get_exact_bits_per_sample`).
  package var storedBits: Int { Int(av_get_exact_bits_per_sample(parameters.codec_id)) }
  package var metadata: [(key: String, value: String)] {
    owner.pairs(of: pointer.pointee.metadata)
  }
}
