internal import CFFmpeg

extension Frame {
  /// Whether this FFmpeg can write JPEGs, as that of the bundle cannot.
  package static var canBeJPEG: Bool { avcodec_find_encoder(AV_CODEC_ID_MJPEG) != nil }

  /// How pixels must lie for `jpeg`: JFIF has all of the range.
  package static let jpegFormat = "yuvj420p"

  /// A small JPEG of a picture in `jpegFormat`, the same bytes each time (libavcodec's `mjpeg`).
  ///
  /// - Throws: FFmpeg's refusal, as of a picture in another format.
  package func jpeg() throws(LibAVError) -> [UInt8] {
    guard let codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG) else {
      throw LibAVError(code: avjob_averror_encoder_not_found(), operation: "finding mjpeg")
    }
    let context = try checkAllocated(avcodec_alloc_context3(codec), "avcodec_alloc_context3")
    defer {
      var owned: UnsafeMutablePointer<AVCodecContext>? = context
      avcodec_free_context(&owned)
    }
    context.pointee.width = pointer.pointee.width
    context.pointee.height = pointer.pointee.height
    context.pointee.pix_fmt = av_get_pix_fmt(Self.jpegFormat)
    context.pointee.color_range = AVCOL_RANGE_JPEG
    context.pointee.time_base = AVRational(num: 1, den: 25)
    context.pointee.thread_count = 1
    context.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_QSCALE
    context.pointee.global_quality = 6 * FF_QP2LAMBDA
    try check(avcodec_open2(context, codec, nil), "avcodec_open2")
    pointer.pointee.pts = 0
    pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
    pointer.pointee.quality = context.pointee.global_quality
    try check(avcodec_send_frame(context, pointer), "avcodec_send_frame")
    try check(avcodec_send_frame(context, nil), "avcodec_send_frame")
    let packet = try Packet()
    try check(avcodec_receive_packet(context, packet.pointer), "avcodec_receive_packet")
    return packet.withBytes { Array($0) }
  }
}
