internal import CFFmpeg

/// The rate of MPEG audio by its frames' headers (ISO 11172-3, 2.4.2.3; ISO 13818-3, 2.4.2.3; MPEG 2.5 as
/// Fraunhofer IIS defined it).
enum MPEGRate {
  /// Samples a second of the frame that begins with these bytes; nil where none does.
  static func rate(of head: some Sequence<UInt8>) -> Int? {
    let bytes = Array(head.prefix(3))
    guard bytes.count == 3, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0, bytes[1] & 0x06 != 0 else {
      return nil
    }
    let (version, number) = (bytes[1] >> 3 & 3, Int(bytes[2] >> 2 & 3))
    guard version != 1, number != 3 else { return nil }
    return [44_100, 48_000, 32_000][number] / (version == 3 ? 1 : version == 2 ? 2 : 4)
  }

  /// Codecs whose decoders give each frame the rate of the one before it, and the first one the
  /// container's, which may be that of a later one (`decode_frame` in mpegaudiodec_template.c).
  static let lateCodecs: Set = [
    AV_CODEC_ID_MP1.rawValue, AV_CODEC_ID_MP2.rawValue, AV_CODEC_ID_MP3.rawValue,
  ]
}

extension Packet {
  /// The rate of the frame of MPEG audio that it begins with; nil where it begins with none.
  var mpegRate: Int? {
    guard let data = pointer.pointee.data, size >= 4 else { return nil }
    return MPEGRate.rate(of: UnsafeBufferPointer(start: data, count: 4))
  }
}
