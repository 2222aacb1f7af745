internal import CFFmpeg

/// Turns pictures into packets: into a run that can stand between copied ones, an entry first, and then
/// pictures that only refer to those before them, so that each is decoded when it is shown; or into a
/// whole stream.
///
/// Owns its codec context. One thread at a time; its bytes depend on the pictures and the settings alone:
/// encoders of runs have no threads, and those of streams as many on every machine.
package final class PictureEncoder {
  /// What the encoded pictures are for.
  package enum Purpose: Sendable, Hashable {
    /// A run between copied ones.
    case run
    /// A whole stream of this quality, by one of x264's presets where the encoder has these, whose pictures
    /// have times.
    case stream(quality: Int, preset: String?, TimeBase)
  }

  /// What is encoded, and how.
  package struct Settings: Sendable, Hashable {
    /// FFmpeg's name of the codec, such as `h264`.
    package var codec: String
    package var form: PictureForm
    /// Of the encoder, such as `high`; nil: its own choice.
    package var profile: String?
    /// Whether the source has pictures out of order: where the header says so, that of what is encoded
    /// says it, too, so that decoders do not go over to giving pictures earlier.
    package var isReordered: Bool
    /// Which field of each picture is shown first; nil: they are whole pictures.
    package var firstField: FirstField?
    /// How pictures of a run are coded.
    package var tools: Tools
    package var purpose: Purpose

    package init(
      codec: String, form: PictureForm, profile: String? = nil, isReordered: Bool = false,
      firstField: FirstField? = nil, tools: Tools = [], for purpose: Purpose = .run
    ) {
      (self.codec, self.form, self.purpose) = (codec, form, purpose)
      (self.profile, self.isReordered, self.firstField) = (profile, isReordered, firstField)
      self.tools = tools
    }
  }

  let context: UnsafeMutablePointer<AVCodecContext>
  /// The light of its pictures.
  let light: PictureLight
  /// Pictures that were sent.
  private var count: Int64 = 0

  private init(_ context: UnsafeMutablePointer<AVCodecContext>, _ light: PictureLight) {
    (self.context, self.light) = (context, light)
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = self.context
    avcodec_free_context(&context)
  }

  /// The time base of a stream's packets.
  package var timeBase: TimeBase { TimeBase(context.pointee.time_base) }

  /// Whether pictures of a codec can be encoded at all: FFmpeg may lack the library.
  package static func exists(for codec: String) -> Bool { encoder(for: codec) != nil }

  /// The library that a codec's pictures are encoded with; nil for codecs that are not encoded.
  package static func library(for codec: String) -> String? { encoders[codec]?.first }

  /// FFmpeg's encoders by codec, the best one first.
  private static let encoders = [
    "h264": ["libx264"], "hevc": ["libx265"], "vp8": ["libvpx"], "vp9": ["libvpx-vp9"],
    "av1": ["libaom-av1", "librav1e", "libsvtav1"], "mpeg4": ["mpeg4"],
    "mpeg2video": ["mpeg2video"], "mpeg1video": ["mpeg1video"],
  ]

  /// Whether pictures of a codec are encoded in fields.
  package static func encodesFields(of codec: String) -> Bool {
    ["h264", "mpeg2video", "mpeg4"].contains(codec)
  }

  static func encoder(for codec: String) -> UnsafePointer<AVCodec>? {
    encoders[codec]?.lazy.compactMap { avcodec_find_encoder_by_name($0) }.first
  }

  /// An encoder for pictures like those of a stream, or for stills (`avcodec_open2`).
  ///
  /// - Throws: FFmpeg's refusal, as of a format that the encoder does not take.
  package static func open(
    _ settings: Settings, like stream: Stream?, coloursOf frame: Frame? = nil
  ) throws(LibAVError) -> PictureEncoder {
    guard let codec = encoder(for: settings.codec) else {
      let name = library(for: settings.codec) ?? settings.codec
      throw LibAVError(code: avjob_averror_encoder_not_found(), operation: "finding \(name)")
    }
    let encoder = PictureEncoder(
      try checkAllocated(avcodec_alloc_context3(codec), "avcodec_alloc_context3"),
      PictureLight(of: frame, in: stream))
    let context = encoder.context
    context.pointee.width = Int32(clamping: settings.form.width)
    context.pointee.height = Int32(clamping: settings.form.height)
    context.pointee.pix_fmt = av_get_pix_fmt(settings.form.pixelFormat ?? "none")
    context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
    if let stream { encoder.takeColours(of: stream) } else { encoder.setColours() }
    if let frame { encoder.takeColours(of: frame) }
    var options: [(key: String, value: String)]
    let name = String(cString: codec.pointee.name)
    switch settings.purpose {
    case .run:
      encoder.prepareRun(settings)
      options = Self.runOptions(of: name, settings.tools)
    case .stream(let quality, let preset, let timeBase):
      encoder.prepareStream(timeBase)
      options = Self.streamOptions[name] ?? []
      options.append(name == "librav1e" ? ("qp", "\(quality * 4)") : ("crf", "\(quality)"))
      if let preset { options.append(("preset", preset)) }
    }
    if let place = options.firstIndex(where: { $0.key == "x265-params" }) {
      let parameters = [options[place].value] + encoder.light.x265Parameters
      options[place].value = parameters.joined(separator: ":")
    }
    if let profile = settings.profile { options.append(("profile", profile)) }
    try encoder.start(codec, options)
    return encoder
  }

  /// Those that players take a picture for that says nothing (ITU-R BT.709).
  private func setColours() {
    context.pointee.color_range = AVCOL_RANGE_MPEG
    context.pointee.color_primaries = AVCOL_PRI_BT709
    context.pointee.color_trc = AVCOL_TRC_BT709
    context.pointee.colorspace = AVCOL_SPC_BT709
  }

  private func takeColours(of stream: Stream) {
    var rate = stream.pointer.pointee.avg_frame_rate
    if rate.num <= 0 || rate.den <= 0 { rate = AVRational(num: 25, den: 1) }
    context.pointee.framerate = rate
    context.pointee.time_base = av_inv_q(rate)
    context.pointee.color_range = stream.parameters.color_range
    context.pointee.color_primaries = stream.parameters.color_primaries
    context.pointee.color_trc = stream.parameters.color_trc
    context.pointee.colorspace = stream.parameters.color_space
    context.pointee.chroma_sample_location = stream.parameters.chroma_location
  }

  /// Where a container leaves them open they stand in the stream, and with what is decoded. So does the
  /// shape of pixels, which is unknown where the stream does not say it: VLC opens its output anew where
  /// headers differ in that, and loses pictures.
  private func takeColours(of frame: Frame) {
    let picture = frame.pointer.pointee
    context.pointee.sample_aspect_ratio = picture.sample_aspect_ratio
    if picture.color_range != AVCOL_RANGE_UNSPECIFIED {
      context.pointee.color_range = picture.color_range
    }
    if picture.color_primaries != AVCOL_PRI_UNSPECIFIED {
      context.pointee.color_primaries = picture.color_primaries
    }
    if picture.color_trc != AVCOL_TRC_UNSPECIFIED {
      context.pointee.color_trc = picture.color_trc
    }
    if picture.colorspace != AVCOL_SPC_UNSPECIFIED {
      context.pointee.colorspace = picture.colorspace
    }
  }

  /// Pictures of a run are counted: MPEG-1 and 2 have a handful of rates, and nothing depends on when each
  /// is shown.
  private func prepareRun(_ settings: Settings) {
    // MPEG-4 counts no more ticks a second (`vop_time_increment_resolution`).
    var rate = context.pointee.framerate
    av_reduce(&rate.num, &rate.den, Int64(rate.num), Int64(rate.den), 65_535)
    if rate.num > 0, rate.den > 0 { context.pointee.time_base = av_inv_q(rate) }
    let hasQuantizer = ["mpeg4", "mpeg2video", "mpeg1video"].contains(settings.codec)
    context.pointee.max_b_frames = hasQuantizer && settings.isReordered ? 1 : 0
    context.pointee.gop_size = 1 << 20
    context.pointee.thread_count = 1
    if let first = settings.firstField {
      context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME
      context.pointee.field_order = first == .top ? AV_FIELD_TT : AV_FIELD_BB
    }
    // Its parameter sets are to be known before the first picture.
    if ["h264", "hevc"].contains(settings.codec) {
      context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    }
    guard hasQuantizer else { return }
    context.pointee.flags |= AV_CODEC_FLAG_QSCALE
    context.pointee.global_quality = 2 * FF_QP2LAMBDA
    context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
  }

  /// The same number of threads on every machine: x264's and x265's bytes depend on it.
  private func prepareStream(_ timeBase: TimeBase) {
    context.pointee.thread_count = 4
    context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
    // As `PictureScaler` makes them.
    context.pointee.color_range = AVCOL_RANGE_MPEG
    if context.pointee.framerate.num == 0 {
      context.pointee.framerate = AVRational(
        num: timeBase.denominator, den: timeBase.numerator)
    }
    context.pointee.time_base = AVRational(num: timeBase.numerator, den: timeBase.denominator)
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
  }

  private func start(
    _ codec: UnsafePointer<AVCodec>, _ options: [(key: String, value: String)]
  ) throws(LibAVError) {
    var dictionary: OpaquePointer?
    defer { av_dict_free(&dictionary) }
    for (key, value) in options {
      try check(av_dict_set(&dictionary, key, value, 0), "av_dict_set")
    }
    try check(avcodec_open2(context, codec, &dictionary), "avcodec_open2")
    if let entry = av_dict_get(dictionary, "", nil, AV_DICT_IGNORE_SUFFIX) {
      throw LibAVError(
        code: avjob_averror_option_not_found(),
        operation: "setting \(String(cString: entry.pointee.key))")
    }
  }

  /// What decoders need to know beforehand, as the encoder lays it out.
  package var header: [UInt8] {
    guard let bytes = context.pointee.extradata else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(context.pointee.extradata_size)))
  }

  /// Encodes a picture; nil: there are no more (`avcodec_send_frame`). Packets of a run come in the same
  /// order.
  ///
  /// - Parameters:
  ///   - frame: The picture.
  ///   - shown: When it is shown, of a stream; nil: behind the one before it.
  /// - Throws: FFmpeg's refusal.
  package func send(_ frame: Frame?, at shown: Int64? = nil) throws(LibAVError) {
    guard let frame else {
      try check(avcodec_send_frame(context, nil), "avcodec_send_frame")
      return
    }
    frame.pointer.pointee.pts = shown ?? count
    count += 1
    // What kind it was in the source is nothing to the encoder, and no picture is to wait for a later
    // one.
    frame.pointer.pointee.pict_type =
      count > 1 && context.pointee.max_b_frames > 0 ? AV_PICTURE_TYPE_P : AV_PICTURE_TYPE_NONE
    frame.pointer.pointee.quality = context.pointee.global_quality
    // It is in ticks of the source, and encoders of later versions would hand it on.
    avjob_forget_duration(frame.pointer)
    try check(avcodec_send_frame(context, frame.pointer), "avcodec_send_frame")
  }

  /// The next packet; nil where there is none before more pictures come, or none any more
  /// (`avcodec_receive_packet`).
  package func next() throws(LibAVError) -> Packet? {
    let packet = try Packet()
    let status = avcodec_receive_packet(context, packet.pointer)
    if status == avjob_averror_eagain() || status == avjob_averror_eof() { return nil }
    try check(status, "avcodec_receive_packet")
    return packet
  }
}

extension Frame {
  /// The form of a picture.
  package var form: PictureForm {
    let format = av_get_pix_fmt_name(AVPixelFormat(pointer.pointee.format))
    return PictureForm(
      width: Int(pointer.pointee.width), height: Int(pointer.pointee.height),
      pixelFormat: format.map { String(cString: $0) })
  }
}

extension Frame {
  /// Whether its numbers use all of their range.
  package var isFullRange: Bool {
    pointer.pointee.color_range == AVCOL_RANGE_JPEG || form.pixelFormat?.hasPrefix("yuvj") == true
  }
}

extension PictureForm {
  /// The bits of a sample (`AVComponentDescriptor.depth`); 8 where the format is not known.
  package var bitDepth: Int {
    guard let pixelFormat, let facts = av_pix_fmt_desc_get(av_get_pix_fmt(pixelFormat)) else {
      return 8
    }
    return Int(facts.pointee.comp.0.depth)
  }
}

extension Stream {
  /// Numbers of its range, primaries, transfer and matrix (ITU-T H.273), of those that it says.
  package var colours: [Int?] {
    [
      parameters.color_range == AVCOL_RANGE_UNSPECIFIED
        ? nil : Int(parameters.color_range.rawValue),
      parameters.color_primaries == AVCOL_PRI_UNSPECIFIED
        ? nil : Int(parameters.color_primaries.rawValue),
      parameters.color_trc == AVCOL_TRC_UNSPECIFIED ? nil : Int(parameters.color_trc.rawValue),
      parameters.color_space == AVCOL_SPC_UNSPECIFIED
        ? nil : Int(parameters.color_space.rawValue),
    ]
  }

  /// The configuration that its decoder is given (`AVCodecParameters.extradata`).
  package var header: [UInt8] {
    guard let bytes = parameters.extradata else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(parameters.extradata_size)))
  }

  /// Gives its decoder, and containers that it is copied into, a configuration that its container lacks.
  package func setHeader(_ header: [UInt8]) throws(LibAVError) {
    try pointer.pointee.codecpar.pointee.replaceHeader(with: header)
  }

  /// The form of its pictures; nil where the container leaves it open.
  package var pictureForm: PictureForm? {
    guard parameters.width > 0, parameters.format >= 0,
      let format = av_get_pix_fmt_name(AVPixelFormat(parameters.format))
    else { return nil }
    return PictureForm(
      width: Int(parameters.width), height: Int(parameters.height),
      pixelFormat: String(cString: format))
  }

  /// Whether its pictures have a plane of transparency: by their format, or, of VP8 and VP9, coded beside
  /// them (`AlphaMode` of Matroska, RFC 9559, 5.1.4.1.28.4).
  package var hasAlpha: Bool {
    if ["vp8", "vp9"].contains(codecName) {
      return metadata.contains { $0.key.lowercased() == "alpha_mode" && $0.value == "1" }
    }
    let format = av_pix_fmt_desc_get(AVPixelFormat(parameters.format))
    return format.map { $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 } ?? false
  }

  /// Whether its container has a record of Dolby Vision (`AV_PKT_DATA_DOVI_CONF`).
  package var hasDolbyVision: Bool { avjob_has_dolby_vision(pointer) != 0 }

  /// By how many degrees its pictures are turned clockwise when they are shown, in quarters of a turn.
  package var rotation: Int {
    let degrees = (-avjob_rotation(pointer)).rounded()
    return ((Int(degrees) % 360 + 360) % 360 + 45) / 90 % 4 * 90
  }

  /// Whether its pictures are mirrored when they are shown, by its matrix.
  package var isMirrored: Bool { avjob_is_mirrored(pointer) != 0 }

  /// How its pictures are turned and mirrored when they are shown, by its matrix. What
  /// `av_display_rotation_get` gives of a mirrored picture is its turn behind a mirror from top to bottom,
  /// which is one from left to right, turned by half.
  package var orientation: PictureOrientation {
    PictureOrientation(
      isMirrored: isMirrored, rotation: isMirrored ? (rotation + 180) % 360 : rotation)
  }

  /// The width of a pixel to its height (`sample_aspect_ratio`); 1 to 1 where nothing says.
  package var pixelShape: (width: Int, height: Int) {
    let own = pointer.pointee.sample_aspect_ratio
    let ratio = own.num > 0 && own.den > 0 ? own : parameters.sample_aspect_ratio
    let pixels = (Int(ratio.num), Int(ratio.den))
    // No picture has others than these.
    return pixels.0 > 0 && pixels.1 > 0 && pixels.0 < 100 * pixels.1 && pixels.1 < 100 * pixels.0
      ? pixels : (1, 1)
  }

  /// How many pictures may be decoded before one that is shown before them, as far as libavformat knows
  /// (`AVCodecParameters.video_delay`).
  package var reorderDepth: Int { Int(parameters.video_delay) }
}
