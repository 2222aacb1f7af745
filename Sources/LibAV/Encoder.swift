internal import CFFmpeg

/// Turns sound into packets (`AVCodecContext`), frame by frame of the codec's own length.
///
/// Owns its codec context, one frame and one packet. One thread at a time; it starts no threads
/// of its own, and its bytes depend on the sound and the settings alone (`AV_CODEC_FLAG_BITEXACT`).
///
/// Fill the frame until `room` is 0, `submit` it, take packets with `next` until it gives nil; at
/// the end `finish`, and take the rest.
package final class Encoder {
  package enum Codec: Sendable, Hashable {
    /// PCM as it stands in a file: 8 bits without a sign, 16 or 24 bits packed, or 32-bit floats.
    case pcm(SampleFormat, isBigEndian: Bool)
    /// ITU-T G.711: 8 bits a sample, made of 16.
    case muLaw, aLaw
    /// ITU-T G.722 at 64 kbps.
    case g722
    /// GSM 06.10 by libgsm: in packets of 33 bytes, or of 65 as WAV has them.
    case gsm(inWAV: Bool)
    /// IMA ADPCM as QuickTime has it: 64 samples of a channel in 34 bytes, made of 16 bits.
    case ima4
    /// AMR narrow-band by OpenCORE, of one channel at 8 kHz; its nearest bit rate.
    case amr(bitRate: Int)
    /// 16 or 24 bits a sample.
    case flac(bitDepth: Int)
    /// 16 or 24 bits a sample.
    case alac(bitDepth: Int)
    /// AAC-LC; bits a second for all channels together. With substitution, bands of noise are left to
    /// the decoder, which makes up noise of its own. Without, peaks are kept as well as may be.
    case aac(bitRate: Int, substitutesNoise: Bool = true)
    /// By libvorbis.
    case vorbis(VorbisTarget)
    /// By libopus, with a variable bit rate, near so many bits a second for all channels together.
    case opus(bitRate: Int)
  }

  /// What libvorbis aims at.
  package enum VorbisTarget: Sendable, Hashable {
    /// −1 (smallest) to 10.
    case quality(Double)
    /// So many bits a second for all channels together, in the mean.
    case bitRate(Int)
  }

  /// How samples lie in the frame that is filled.
  package enum SampleFormat: Sendable, Hashable {
    /// One plane of all channels, silence at 128.
    case uint8
    /// One plane of all channels.
    case int16
    /// One plane; 24 significant bits at the top of 32.
    case int24
    /// One plane.
    case float
    /// A plane for each channel, with samples as in the formats of one plane.
    case planarInt16, planarInt24, planarFloat

    fileprivate var isPlanar: Bool {
      self == .planarInt16 || self == .planarInt24 || self == .planarFloat
    }
  }

  package let sampleFormat: SampleFormat
  package let sampleRate: Int
  package let channelCount: Int
  /// Frames that were filled in so far.
  package private(set) var frameCount: Int64 = 0

  let context: UnsafeMutablePointer<AVCodecContext>
  private let frame: UnsafeMutablePointer<AVFrame>
  private let packet: Packet
  /// Frames of sound that the codec encodes at once; of a codec without such a number, some.
  package let frameLength: Int
  /// Frames that are in `frame`.
  private(set) var filled = 0
  /// Of mu-law, the places among a packet's bytes of the negative zeros in `frame`.
  var negativeZeros: [Int] = []

  private init(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>,
    _ packet: Packet, _ sampleFormat: SampleFormat
  ) {
    self.context = context
    self.frame = frame
    self.packet = packet
    self.sampleFormat = sampleFormat
    sampleRate = Int(context.pointee.sample_rate)
    channelCount = Int(context.pointee.ch_layout.nb_channels)
    frameLength = Int(frame.pointee.nb_samples)
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = self.frame
    av_frame_free(&frame)
    var context: UnsafeMutablePointer<AVCodecContext>? = self.context
    avcodec_free_context(&context)
  }

  /// PCM codecs take frames of any length; these are long enough to make calls cheap.
  private static let pcmFrameLength: Int32 = 4096

  /// An encoder, ready for sound.
  ///
  /// - Parameters:
  ///   - codec: What to encode to.
  ///   - sampleRate: Frames a second.
  ///   - channelMask: A bit for each channel (`AV_CH_…`), whose order is the order of the bits.
  ///   - unplacedCount: How many channels there are where none has a bit, and the mask is 0.
  ///   - continues: Whether it goes on with a stream: AAC's rate control begins where it comes near to
  ///     its own soon.
  /// - Returns: The encoder, with an empty frame.
  /// - Throws: FFmpeg's refusal; a bit rate that it would change without a word is one as well.
  package static func open(
    _ codec: Codec, sampleRate: Int, channelMask: UInt64, unplacedCount: Int = 0,
    continuing continues: Bool = false
  ) throws(LibAVError) -> Encoder {
    guard let implementation = avcodec_find_encoder_by_name(codec.encoderName) else {
      throw LibAVError(
        code: avjob_averror_encoder_not_found(), operation: "finding \(codec.encoderName)")
    }
    var context: UnsafeMutablePointer<AVCodecContext>? = try checkAllocated(
      avcodec_alloc_context3(implementation), "avcodec_alloc_context3")
    var frame: UnsafeMutablePointer<AVFrame>?
    do throws(LibAVError) {
      let opened = try checkAllocated(context, "avcodec_alloc_context3")
      try configure(opened, codec, sampleRate: sampleRate, channelMask, unplacedCount)
      // The first `lambda` of AAC's rate control (`aac_encode_init`). From above it falls within a few
      // packets to where it stays, 300 to 700 for music at 128 kbps; from FFmpeg's own 120 it rises for
      // up to a minute, and the noise is higher all the while.
      if continues, case .aac = codec { opened.pointee.global_quality = 4000 }
      try check(avcodec_open2(opened, implementation, nil), "avcodec_open2")
      // Later on it would be a factor of what each packet may take (`aac_encode_frame`).
      if continues, case .aac = codec { opened.pointee.global_quality = 0 }
      if case .aac(let bitRate, _) = codec, opened.pointee.bit_rate != Int64(bitRate) {
        throw LibAVError(code: avjob_averror(EINVAL), operation: "setting the bit rate \(bitRate)")
      }
      frame = try emptyFrame(for: opened)
      return Encoder(
        opened, try checkAllocated(frame, "av_frame_alloc"), try Packet(), codec.sampleFormat)
    } catch {
      av_frame_free(&frame)
      avcodec_free_context(&context)
      throw error
    }
  }

  private static func configure(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: Codec, sampleRate: Int,
    _ channelMask: UInt64, _ unplacedCount: Int
  ) throws(LibAVError) {
    context.pointee.sample_rate = Int32(clamping: sampleRate)
    context.pointee.time_base = AVRational(num: 1, den: Int32(clamping: sampleRate))
    context.pointee.sample_fmt = codec.sampleFormat.format
    context.pointee.thread_count = 1
    context.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER
    if channelMask == 0 {
      context.pointee.ch_layout.order = AV_CHANNEL_ORDER_UNSPEC
      context.pointee.ch_layout.nb_channels = Int32(clamping: unplacedCount)
    } else {
      try check(
        av_channel_layout_from_mask(&context.pointee.ch_layout, channelMask),
        "av_channel_layout_from_mask")
    }
    switch codec {
    case .flac(let bitDepth), .alac(let bitDepth):
      context.pointee.bits_per_raw_sample = Int32(bitDepth)
    case .aac(let bitRate, let substitutesNoise):
      context.pointee.bit_rate = Int64(bitRate)
      let options = context.pointee.priv_data
      if !substitutesNoise { try check(av_opt_set_int(options, "aac_pns", 0, 0), "aac_pns") }
      // `twoloop`, the default up to FFmpeg 9.0, has an error that is 5 dB higher at the same bit rate,
      // and now and then a packet that is far off. Below this rate `fast` leaves out what is above 8 kHz.
      let isFast =
        !substitutesNoise && bitRate >= 48_000 * Int(context.pointee.ch_layout.nb_channels)
      try check(av_opt_set(options, "aac_coder", isFast ? "fast" : "twoloop", 0), "aac_coder")
    case .vorbis(.bitRate(let bitRate)), .opus(let bitRate), .amr(let bitRate):
      context.pointee.bit_rate = Int64(bitRate)
    case .vorbis(.quality(let quality)):
      context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      context.pointee.global_quality = Int32((quality * Double(FF_QP2LAMBDA)).rounded())
    case .pcm, .muLaw, .aLaw, .g722, .gsm, .ima4: break
    }
  }

  private static func emptyFrame(
    for context: UnsafeMutablePointer<AVCodecContext>
  ) throws(LibAVError) -> UnsafeMutablePointer<AVFrame> {
    var frame: UnsafeMutablePointer<AVFrame>? = try checkAllocated(
      av_frame_alloc(), "av_frame_alloc")
    do throws(LibAVError) {
      let made = try checkAllocated(frame, "av_frame_alloc")
      made.pointee.format = context.pointee.sample_fmt.rawValue
      made.pointee.sample_rate = context.pointee.sample_rate
      made.pointee.nb_samples =
        context.pointee.frame_size > 0 ? context.pointee.frame_size : pcmFrameLength
      try check(
        av_channel_layout_copy(&made.pointee.ch_layout, &context.pointee.ch_layout),
        "av_channel_layout_copy")
      try check(av_frame_get_buffer(made, 0), "av_frame_get_buffer")
      return made
    } catch {
      av_frame_free(&frame)
      throw error
    }
  }

  /// Frames that decoding gives before the first one that was filled in, which a container may say and
  /// headerless sound cannot
  /// (`AVCodecContext.initial_padding`).
  package var delay: Int { Int(context.pointee.initial_padding) }

  /// What a container says of the codec (`AVCodecContext.extradata`): of AAC its AudioSpecificConfig, of
  /// ALAC its magic cookie in an atom; empty where there is nothing to say.
  package var configuration: [UInt8] {
    guard let bytes = context.pointee.extradata else { return [] }
    return Array(
      UnsafeBufferPointer(start: bytes, count: Int(max(0, context.pointee.extradata_size))))
  }

  /// Frames that were encoded (`submit`), of those that were filled in.
  package var submittedCount: Int64 { frameCount - Int64(filled) }

  /// Frames that the current frame has room for.
  package var room: Int { frameLength - filled }

  /// Lends the place of the next `count` frames, at most `room`, and counts them as filled.
  ///
  /// `write` is called once for each plane of `sampleFormat`, with the address of its first sample.
  package func fill(
    _ count: Int, _ write: (_ plane: Int, _ destination: UnsafeMutableRawPointer) -> Void
  ) throws(LibAVError) {
    precondition(count <= room, "more frames than the frame has room for")
    if filled == 0 { try check(av_frame_make_writable(frame), "av_frame_make_writable") }
    let isPlanar = sampleFormat.isPlanar
    let stride = Int(av_get_bytes_per_sample(sampleFormat.format)) * (isPlanar ? 1 : channelCount)
    for plane in 0..<(isPlanar ? channelCount : 1) {
      guard let start = frame.pointee.extended_data[plane] else { continue }
      write(plane, UnsafeMutableRawPointer(start + filled * stride))
    }
    filled += count
    frameCount += Int64(count)
  }

  /// Fills in `count` silent frames, at most `room`.
  package func fillSilence(_ count: Int) throws(LibAVError) {
    let size = Int(av_get_bytes_per_sample(sampleFormat.format))
    try fill(count) { _, destination in
      destination.initializeMemory(
        as: UInt8.self, repeating: sampleFormat == .uint8 ? 128 : 0,
        count: count * size * (sampleFormat.isPlanar ? 1 : channelCount))
    }
  }

  /// Encodes what is filled in and empties the frame (`avcodec_send_frame`). A frame that is not
  /// full must be the last.
  package func submit() throws(LibAVError) {
    guard filled > 0 else { return }
    frame.pointee.nb_samples = Int32(filled)
    frame.pointee.pts = frameCount - Int64(filled)
    let status = avcodec_send_frame(context, frame)
    frame.pointee.nb_samples = Int32(frameLength)
    filled = 0
    try check(status, "avcodec_send_frame")
  }

  /// Encodes the rest; nothing may be filled in after it.
  package func finish() throws(LibAVError) {
    try submit()
    try check(avcodec_send_frame(context, nil), "avcodec_send_frame")
  }

  /// The next packet, or nil where there is none before more sound comes, or none any more
  /// (`avcodec_receive_packet`). It is overwritten by the next call.
  package func next() throws(LibAVError) -> Packet? {
    let status = avcodec_receive_packet(context, packet.pointer)
    if status == avjob_averror_eagain() || status == avjob_averror_eof() { return nil }
    try check(status, "avcodec_receive_packet")
    if !negativeZeros.isEmpty {
      try packet.replaceZeros(at: negativeZeros)
      negativeZeros.removeAll(keepingCapacity: true)
    }
    return packet
  }
}

extension Encoder.Codec {
  /// Whether the FFmpeg that is linked has the encoder.
  package var isAvailable: Bool { avcodec_find_encoder_by_name(encoderName) != nil }

  /// FFmpeg's name of the encoder: of two for one codec, the one of the codec's own makers.
  package var encoderName: String {
    switch self {
    case .pcm(let format, let isBigEndian):
      switch format {
      case .uint8: "pcm_u8"
      case .int16, .planarInt16: isBigEndian ? "pcm_s16be" : "pcm_s16le"
      case .int24, .planarInt24: isBigEndian ? "pcm_s24be" : "pcm_s24le"
      case .float, .planarFloat: isBigEndian ? "pcm_f32be" : "pcm_f32le"
      }
    case .muLaw: "pcm_mulaw"
    case .aLaw: "pcm_alaw"
    case .g722: "g722"
    case .gsm(let inWAV): inWAV ? "libgsm_ms" : "libgsm"
    case .ima4: "adpcm_ima_qt"
    case .amr: "libopencore_amrnb"
    case .flac: "flac"
    case .alac: "alac"
    case .aac: "aac"
    case .vorbis: "libvorbis"
    case .opus: "libopus"
    }
  }

  /// The encoder's sample format.
  package var sampleFormat: Encoder.SampleFormat {
    switch self {
    case .pcm(let format, _): format
    case .muLaw, .aLaw, .g722, .gsm, .amr: .int16
    case .ima4: .planarInt16
    case .flac(let bitDepth): bitDepth <= 16 ? .int16 : .int24
    case .alac(let bitDepth): bitDepth <= 16 ? .planarInt16 : .planarInt24
    case .aac, .vorbis: .planarFloat
    case .opus: .float
    }
  }
}

extension Encoder.SampleFormat {
  fileprivate var format: AVSampleFormat {
    switch self {
    case .uint8: AV_SAMPLE_FMT_U8
    case .int16: AV_SAMPLE_FMT_S16
    case .int24: AV_SAMPLE_FMT_S32
    case .float: AV_SAMPLE_FMT_FLT
    case .planarInt16: AV_SAMPLE_FMT_S16P
    case .planarInt24: AV_SAMPLE_FMT_S32P
    case .planarFloat: AV_SAMPLE_FMT_FLTP
    }
  }
}
