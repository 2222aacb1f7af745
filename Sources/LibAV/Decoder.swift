internal import CFFmpeg
import Glibc

/// One codec's decoder. Owns its `AVCodecContext`; one thread at a time; starts no threads.
///
package final class Decoder {
  private let context: UnsafeMutablePointer<AVCodecContext>
  /// Packets since the start, as far as the first frame.
  private var sentCount = 0
  /// Whether the next frame is the first one.
  private var isFresh = true
  /// The last packet that was sent, of mu-law.
  private var muLaw: Packet?

  private init(_ context: UnsafeMutablePointer<AVCodecContext>) { self.context = context }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = self.context
    avcodec_free_context(&context)
  }

  /// libopus is the reference decoder, and gives each packet's samples with that packet; so is libspeex, from
  /// which FFmpeg's own departs by -18 dB in wideband. FFmpeg's first choice for Layers I and II rounds to
  /// 16 bits, with noise that depends on what came before.
  private static let preferred = [
    "opus": "libopus", "speex": "libspeex", "mp1": "mp1float", "mp2": "mp2float",
  ]

  /// Lossless codecs with a checksum in each packet, which libavcodec compares only where it is asked
  /// to: a packet that it does not fit is damage (`AVERROR_INVALIDDATA`), and no noise.
  private static let guarded = [AV_CODEC_ID_FLAC, AV_CODEC_ID_TTA, AV_CODEC_ID_WAVPACK]

  /// The name of the profile of AAC that decoding has found (ISO 14496-3, 1.5.2.1), where that is not
  /// LC: `HE-AAC`, `HE-AAC v2` or `xHE-AAC`.
  package var highEfficiencyProfile: String? {
    guard context.pointee.codec_id == AV_CODEC_ID_AAC else { return nil }
    // `FF_PROFILE_AAC_HE` and the others, which FFmpeg 6.1 calls `AV_PROFILE_AAC_HE`: object types less
    // one.
    return switch context.pointee.profile {
    case 4: "HE-AAC"
    case 28: "HE-AAC v2"
    case 41: "xHE-AAC"
    default: nil
    }
  }

  /// Significant bits of the samples where they come as integers, else nil. Some decoders know after
  /// the first frame.
  package var integerBits: Int? {
    let format = context.pointee.sample_fmt
    switch av_get_packed_sample_fmt(format) {
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S64:
      let stored = Int(av_get_bytes_per_sample(format)) * 8
      let raw = Int(context.pointee.bits_per_raw_sample)
      return raw > 0 ? min(raw, stored) : stored
    default: return nil
    }
  }

  /// Opens a fresh decoder for a stream (`avcodec_open2`).
  ///
  /// With `removesPadding` encoder delay and padding are dropped, as FFmpeg does for a decode from
  /// the start. Without, every sample that the packets hold comes out
  /// (`AV_CODEC_FLAG2_SKIP_MANUAL`), so that positions follow from any packet.
  /// Pictures have the size of `form`, where it is given, and else the one that the container has.
  package static func open(
    _ stream: Stream, removesPadding: Bool, as form: PictureForm? = nil
  ) throws(LibAVError) -> Decoder {
    let preferred = Self.preferred[stream.codecName].flatMap { avcodec_find_decoder_by_name($0) }
    guard let codec = preferred ?? avcodec_find_decoder(stream.parameters.codec_id) else {
      throw LibAVError(code: avjob_averror_decoder_not_found(), operation: "avcodec_find_decoder")
    }
    let decoder = Decoder(
      try checkAllocated(avcodec_alloc_context3(codec), "avcodec_alloc_context3"))
    try check(
      avcodec_parameters_to_context(decoder.context, stream.pointer.pointee.codecpar),
      "avcodec_parameters_to_context")
    if let header = try stream.opusHeaderInOrder(), let data = decoder.context.pointee.extradata {
      _ = UnsafeMutableBufferPointer(start: data, count: header.count).update(
        fromContentsOf: header)
    }
    if Self.guarded.contains(codec.pointee.id) {
      decoder.context.pointee.err_recognition |= AV_EF_CRCCHECK | AV_EF_EXPLODE
    }
    if let form {
      // H.264's takes lines off where the container has fewer than the parameter sets say.
      (decoder.context.pointee.width, decoder.context.pointee.height) = (
        Int32(clamping: form.width), Int32(clamping: form.height)
      )
    }
    if !removesPadding { decoder.context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL }
    // libopus would round to 16 bits.
    decoder.context.pointee.request_sample_fmt = AV_SAMPLE_FMT_FLT
    decoder.context.pointee.max_pixels = mostPixels
    decoder.context.pointee.pkt_timebase = stream.pointer.pointee.time_base
    do throws(LibAVError) {
      try decoder.start(codec)
    } catch {
      throw stream.audioObjectType == 42 ? LibAVError.unifiedCoding ?? error : error
    }
    return decoder
  }

  /// Whether this FFmpeg has a decoder for a stream's codec (`avcodec_find_decoder`).
  package static func exists(for stream: Stream) -> Bool {
    avcodec_find_decoder(stream.parameters.codec_id) != nil
  }

  /// Whether this FFmpeg has a decoder for a still picture.
  package static func exists(for picture: Picture) -> Bool {
    avcodec_find_decoder(picture.codec) != nil
  }

  /// Opens a decoder for bare MPEG audio frames, Layer III (`mp3float`).
  package static func openMP3() throws(LibAVError) -> Decoder {
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_MP3) else {
      throw LibAVError(code: avjob_averror_decoder_not_found(), operation: "avcodec_find_decoder")
    }
    let decoder = Decoder(
      try checkAllocated(avcodec_alloc_context3(codec), "avcodec_alloc_context3"))
    try decoder.start(codec)
    return decoder
  }

  /// Decodes a still picture.
  ///
  /// - Throws: FFmpeg's refusal, or `LibAVError.nothingDecoded`.
  package static func decode(_ picture: Picture) throws(LibAVError) -> Frame {
    guard let codec = avcodec_find_decoder(picture.codec) else {
      throw LibAVError(code: avjob_averror_decoder_not_found(), operation: "avcodec_find_decoder")
    }
    let decoder = Decoder(
      try checkAllocated(avcodec_alloc_context3(codec), "avcodec_alloc_context3"))
    decoder.context.pointee.max_pixels = mostPixels
    try decoder.start(codec)
    let packet = try picture.bytes.span.withUnsafeBytes { bytes throws(LibAVError) in
      try Packet(copying: bytes, timestamp: 0)
    }
    let frame = try Frame()
    try decoder.send(packet)
    try decoder.send(nil)
    guard try decoder.receive(into: frame) else { throw LibAVError.nothingDecoded }
    return frame
  }

  /// 8K twice over: a lying header is not to take all memory.
  private static let mostPixels: Int64 = 1 << 26

  private func start(_ codec: UnsafePointer<AVCodec>) throws(LibAVError) {
    context.pointee.thread_count = 1
    try check(avcodec_open2(context, codec, nil), "avcodec_open2")
  }

  /// Forgets everything that was sent (`avcodec_flush_buffers`).
  package func flush() {
    avcodec_flush_buffers(context)
    (sentCount, isFresh) = (0, true)
  }

  /// Hands a packet over, or the end of the stream where it is nil (`avcodec_send_packet`).
  ///
  /// Every frame is to be received before the next packet is sent.
  package func send(_ packet: Packet?) throws(LibAVError) {
    if Self.lateCodecs.contains(context.pointee.codec_id.rawValue), let rate = packet?.mpegRate {
      context.pointee.sample_rate = Int32(clamping: rate)
    }
    if isFresh { sentCount += 1 }
    muLaw = nil
    try check(avcodec_send_packet(context, packet?.pointer), "avcodec_send_packet")
    guard let packet, context.pointee.codec_id == AV_CODEC_ID_PCM_MULAW else { return }
    muLaw = try Packet(copying: packet)
  }

  /// Whether a frame came (`avcodec_receive_frame`): not where more input is needed, nor at the end.
  package func receive(into frame: Frame) throws(LibAVError) -> Bool {
    let status = avcodec_receive_frame(context, frame.pointer)
    if status == avjob_averror_eagain() || status == avjob_averror_eof() { return false }
    try check(status, "avcodec_receive_frame")
    frame.muLaw = muLaw
    let isHalf = isFresh && isHalf(frame)
    isFresh = false
    return isHalf ? try receive(into: frame) : true
  }

  /// Whether a first frame is the half of a block of Vorbis that nothing overlaps, which is no sound
  /// (Vorbis I, 4.3.8). Until FFmpeg 6 none comes; later it is to be skipped, which is left to us
  /// where no padding is removed.
  private func isHalf(_ frame: Frame) -> Bool {
    context.pointee.codec_id == AV_CODEC_ID_VORBIS
      && context.pointee.flags2 & AV_CODEC_FLAG2_SKIP_MANUAL != 0
      && (sentCount == 1 || frame.skip >= frame.sampleCount)
  }
}

/// A decoded block of samples. Owns its `AVFrame`, which each `receive` fills again.
package final class Frame {
  let pointer: UnsafeMutablePointer<AVFrame>
  /// The packet of mu-law that it was decoded from, which tells its negative zeros; nil for others.
  var muLaw: Packet?

  package init() throws(LibAVError) {
    pointer = try checkAllocated(av_frame_alloc(), "av_frame_alloc")
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&frame)
  }

  /// Samples in each channel.
  package var sampleCount: Int { Int(pointer.pointee.nb_samples) }
  package var sampleRate: Int { Int(pointer.pointee.sample_rate) }
  package var channelCount: Int { Int(pointer.pointee.ch_layout.nb_channels) }
  /// FFmpeg's channel bits, 0 where the channels have no places.
  package var channelMask: UInt64 { avjob_layout_mask(&pointer.pointee.ch_layout) }
  /// For each channel in the frame's order the number of FFmpeg's bit (`AVChannel`); negative, or above
  /// 63, where it has none.
  package var channelBits: [Int] {
    (0..<UInt32(channelCount)).map {
      Int(av_channel_layout_channel_from_index(&pointer.pointee.ch_layout, $0).rawValue)
    }
  }
  /// In ticks of the stream's time base; nil where unknown.
  package var timestamp: Int64? {
    pointer.pointee.pts == avjob_nopts() ? nil : pointer.pointee.pts
  }

  /// Whether its decoder guessed some of it (`AV_FRAME_FLAG_CORRUPT`).
  package var isGuessed: Bool {
    pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || pointer.pointee.decode_error_flags != 0
  }

  /// Whether another block has the same samples, bit for bit.
  package func hasSameSamples(as other: Frame) -> Bool {
    let (one, other) = (pointer.pointee, other.pointer.pointee)
    guard one.format == other.format, one.nb_samples == other.nb_samples,
      one.ch_layout.nb_channels == other.ch_layout.nb_channels
    else { return false }
    let format = AVSampleFormat(one.format)
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    let channels = Int(one.ch_layout.nb_channels)
    let count =
      Int(one.nb_samples) * Int(av_get_bytes_per_sample(format)) * (isPlanar ? 1 : channels)
    return (0..<(isPlanar ? channels : 1)).allSatisfy { plane in
      guard let one = one.extended_data[plane], let other = other.extended_data[plane] else {
        return false
      }
      return memcmp(one, other, count) == 0
    }
  }

  /// Samples to drop at the start, by the decoder or its packet, where nothing was dropped yet
  /// (`AV_FRAME_DATA_SKIP_SAMPLES`): besides Opus' pre-skip the delay of libfaac, which FFmpeg knows by
  /// its name in the stream.
  package var skip: Int {
    guard
      let side = av_frame_get_side_data(pointer, AV_FRAME_DATA_SKIP_SAMPLES)?.pointee,
      side.size >= 4, let data = side.data
    else { return 0 }
    return (0..<4).reduce(0) { $0 | Int(data[$1]) << (8 * $1) }
  }
}
