import Diagnosis

/// A stream of pictures without a container, as encoders write it: it has no sound, and most of them do not
/// say when pictures are shown.
enum BareVideo: String, CaseIterable {
  case h264 = "H.264"
  case hevc = "HEVC"
  case mpeg2 = "MPEG-1 or MPEG-2"
  case mpeg4 = "MPEG-4"
  case vc1 = "VC-1"
  case av1 = "AV1"
  case ivf = "VP8, VP9 or AV1 (IVF)"
  case yuv4mpeg = "uncompressed pictures (YUV4MPEG2)"
  case mjpeg = "MJPEG"

  /// The kind that a file's first bytes are; nil: none of these. A picture in JPEG may be alone in its file,
  /// so that the name decides, too.
  init?(_ head: [UInt8], named fileExtension: String?) {
    guard let found = Self.start(of: head) ?? Self.signature(of: head) else {
      let names = ["mjpeg", "mjpg"]
      guard head.starts(with: [0xFF, 0xD8, 0xFF]),
        let fileExtension, names.contains(fileExtension.lowercased())
      else { return nil }
      self = .mjpeg
      return
    }
    self = found
  }

  /// By its first start code, and the byte behind it (H.264 and H.265, 7.3.1 and B.1; ISO/IEC 13818-2 and
  /// 14496-2, 6.2.1; SMPTE ST 421, G.5).
  private static func start(of head: [UInt8]) -> BareVideo? {
    let zeros = head.prefix { $0 == 0 }.count
    guard 2...3 ~= zeros, head.count > zeros + 2, head[zeros] == 1 else { return nil }
    let (first, second) = (head[zeros + 1], head[zeros + 2])
    // A video object without a sequence has a start code alone before its layer's.
    let isObject = first < 0x20 && zeros == 2 && head.dropFirst(4).starts(with: [0, 0, 1])
    if first == 0xB3 { return .mpeg2 }
    if first == 0xB0 || isObject { return .mpeg4 }
    if first == 0x0F, second >> 6 == 3 { return .vc1 }
    // Video and sequence parameter sets, delimiters and messages of the base layer.
    if [0x40, 0x42, 0x46, 0x4E].contains(first), second == 1 { return .hevc }
    return [6, 7, 9].contains(first & 0x9F) ? .h264 : nil
  }

  private static func signature(of head: [UInt8]) -> BareVideo? {
    if head.starts(with: Array("YUV4MPEG2 ".utf8)) { return .yuv4mpeg }
    if head.starts(with: Array("DKIF".utf8)) { return .ivf }
    // A temporal delimiter, and a sequence header with a size (AV1, 5.3.2).
    return head.starts(with: [0x12, 0, 0x0A]) ? .av1 : nil
  }

  /// Says what the file is, and what to do.
  func failure(_ location: MediaLocation) -> Failure {
    let remedy =
      switch self {
      case .h264, .hevc, .mpeg2, .vc1:
        "'mkvmerge --default-duration 0:25p -o OUT.mkv IN', where 25 is the number of pictures a second"
      case .mpeg4, .av1, .mjpeg:
        "'ffmpeg -r 25 -i IN -c copy OUT.mkv', where 25 is the number of pictures a second"
      case .ivf: "'ffmpeg -i IN -c copy OUT.mkv'"
      case .yuv4mpeg: "'ffmpeg -i IN OUT.mkv'"
      }
    return Failure(
      .mendInput,
      "is a stream of pictures without a container: \(rawValue); put it into one that says when each is "
        + "shown, as with \(remedy)", location: location, code: .mediaUnsupported)
  }
}

extension Prober {
  /// What a file is that no demuxer knows, by its first bytes: the failure with which it is refused.
  ///
  /// - Throws: Where these bytes cannot be read.
  func unknownFormat() throws(Failure) -> Failure {
    let head = try bytes.bytes(at: 0, count: Playlist.headSize)
    if let list = Playlist(head) { return list.failure(location) }
    if let video = BareVideo(head, named: location.fileExtension) { return video.failure(location) }
    return Failure(
      .mendInput, "holds no sound in a known format (a text, a playlist, a damaged header?)",
      location: location, code: .mediaUnsupported)
  }
}
