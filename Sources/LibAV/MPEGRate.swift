internal import CFFmpeg
import MPEGAudio

extension Decoder {
  /// Codecs whose decoders give each frame the rate of the one before it, and the first one the
  /// container's, which may be that of a later one (`decode_frame` in mpegaudiodec_template.c).
  static let lateCodecs: Set = [
    AV_CODEC_ID_MP1.rawValue, AV_CODEC_ID_MP2.rawValue, AV_CODEC_ID_MP3.rawValue,
  ]
}

extension Packet {
  /// The rate of the frame of MPEG audio that it begins with; nil where it begins with none.
  var mpegRate: Int? { withBytes { FrameHeader(startOf: $0)?.sampleRate } }
}
