internal import CFFmpeg

/// Covers.
extension Muxer {
  /// A cover as a stream of one picture.
  func addCover(_ picture: Picture) throws(LibAVError) {
    let stream = try checkAllocated(avformat_new_stream(context, nil), "avformat_new_stream")
    stream.pointee.disposition = AV_DISPOSITION_ATTACHED_PIC
    stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_VIDEO
    stream.pointee.codecpar.pointee.codec_id = picture.codec
    stream.pointee.codecpar.pointee.width = Int32(clamping: picture.width)
    stream.pointee.codecpar.pointee.height = Int32(clamping: picture.height)
    // FLAC's muxer finds the picture's type by this name (ID3v2.4 section 4.14, type 3).
    try check(
      av_dict_set(&stream.pointee.metadata, "comment", "Cover (front)", 0), "av_dict_set")
  }

  func write(_ picture: Picture) throws(LibAVError) {
    let packet = try picture.bytes.span.withUnsafeBytes { bytes throws(LibAVError) in
      try Packet(copying: bytes, timestamp: 0)
    }
    packet.pointer.pointee.stream_index = 1
    packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
    try checkOutput(av_write_frame(context, packet.pointer), "av_write_frame")
  }

  /// A cover as a file that is attached, as Matroska has it (RFC 9559, 21.1).
  func attach(_ cover: Picture) throws(LibAVError) {
    let stream = try checkAllocated(avformat_new_stream(context, nil), "avformat_new_stream")
    stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
    stream.pointee.codecpar.pointee.codec_id = cover.codec
    try stream.pointee.codecpar.pointee.replaceHeader(with: cover.bytes)
    let (name, type) =
      cover.format == .png ? ("cover.png", "image/png") : ("cover.jpg", "image/jpeg")
    for (key, value) in [("filename", name), ("mimetype", type)] {
      try check(av_dict_set(&stream.pointee.metadata, key, value, 0), "av_dict_set")
    }
  }
}
