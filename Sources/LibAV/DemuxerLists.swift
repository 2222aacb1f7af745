internal import CFFmpeg

extension Demuxer {
  /// Containers that hold sound in themselves. Playlists (`hls`, `concat`, `dash` …) open other
  /// files and devices are not media: neither is here.
  static let allowed = [
    "aac", "ac3", "aiff", "amr", "amrnb", "amrwb", "ape", "asf", "au", "avi", "caf", "dts", "eac3",
    "flac", "flv", "gsm", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "mp3", "mpeg", "mpegts",
    "mpc", "mpc8", "nut", "ogg", "rm", "tak", "truehd", "tta", "voc", "w64", "wav", "wv", "xwma",
  ].joined(separator: ",")

  /// Every decoder of sound that is linked: the only ones that probing may run, so that a giant
  /// cover is never decoded.
  static let audioDecoders: String = {
    var names: [String] = []
    var state: UnsafeMutableRawPointer?
    while let codec = av_codec_iterate(&state) {
      guard codec.pointee.type == AVMEDIA_TYPE_AUDIO, av_codec_is_decoder(codec) != 0 else {
        continue
      }
      names.append(String(cString: codec.pointee.name))
    }
    return names.joined(separator: ",")
  }()
}
