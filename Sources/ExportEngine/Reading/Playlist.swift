import Diagnosis

/// A list of media, where a medium was expected: told by its first bytes, so that the refusal has its
/// name.
enum Playlist {
  /// HTTP Live Streaming (RFC 8216): `#EXTM3U` with tags `#EXT-X-`.
  case httpLiveStreaming
  /// A list of files, such as players write: `#EXTM3U` alone.
  case m3u
  /// MPEG-DASH (ISO/IEC 23009-1): the root element `MPD`.
  case dash
  /// SHOUTcast's list: `[playlist]`.
  case pls

  /// The list that some first bytes begin; nil: none of these.
  init?(_ head: [UInt8]) {
    let text = String(decoding: head, as: UTF8.self)
    if text.hasPrefix("#EXTM3U") || text.hasPrefix("\u{FEFF}#EXTM3U") {
      self = text.contains("#EXT-X-") ? .httpLiveStreaming : .m3u
    } else if text.contains("<MPD") {
      self = .dash
    } else if text.lowercased().hasPrefix("[playlist]") {
      self = .pls
    } else {
      return nil
    }
  }

  /// How many bytes are looked at.
  static let headSize = 4096

  /// The refusal.
  func failure(_ location: MediaLocation) -> Failure {
    let message =
      switch self {
      case .httpLiveStreaming:
        "is a playlist of HTTP Live Streaming and no medium; name a medium, or make one of it: "
          + "ffmpeg -i ADDRESS -c copy live.mka"
      case .dash:
        "is a manifest of MPEG-DASH and no medium; name a medium, or make one of it: "
          + "ffmpeg -i ADDRESS -c copy live.mka"
      case .m3u: "is a playlist (M3U) and no medium; name the media in it"
      case .pls: "is a playlist (PLS) and no medium; name the media in it"
      }
    return Failure(.mendInput, message, location: location)
  }
}
