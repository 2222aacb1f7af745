import MediaTime

/// A file format for moving pictures and the sound beside them, chosen by an output's extension.
public enum MovieContainer: String, Sendable, Hashable, CaseIterable, Codable {
  /// ISO/IEC 14496-14.
  case mp4
  /// QuickTime's.
  case mov

  /// The format of a file's extension, in any case; nil for others.
  public init?(extension text: String) {
    let text = text.lowercased()
    guard let container = Self.allCases.first(where: { $0.extensions.contains(text) }) else {
      return nil
    }
    self = container
  }

  /// Of its files, in lower case; the first is the usual one.
  public var extensions: [String] {
    switch self {
    case .mp4: ["mp4", "m4v"]
    case .mov: ["mov"]
    }
  }

  /// Its name, for messages.
  public var name: String { rawValue.uppercased() }

  /// The codecs of sound that are written into it; the first is the usual one.
  public var soundKinds: [Output.Kind] { [.aac, .alac] }

  /// Whether a track of a source can be copied into it, as libavformat's muxers take it
  /// (`avformat_query_codec`).
  package func holds(_ track: AssetTrack) -> Bool {
    let codecs: Set<String> =
      switch (self, track.mediaType) {
      case (.mp4, .video):
        [
          "h264", "hevc", "mpeg4", "mpeg2video", "mpeg1video", "vp9", "av1", "mjpeg", "png", "vc1",
          "dirac", "jpeg2000",
        ]
      case (.mov, .video):
        [
          "h264", "hevc", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg", "png", "vc1", "dirac",
          "prores", "dnxhd", "dvvideo", "cfhd", "h263", "svq3", "jpeg2000", "qtrle", "rawvideo",
        ]
      case (.mp4, .audio): ["aac", "mp3", "mp2", "ac3", "eac3", "alac", "opus", "flac", "dts"]
      case (.mov, .audio): ["aac", "mp3", "mp2", "ac3", "eac3", "alac"]
      case (_, .subtitle): ["mov_text"]
      case (_, .data), (_, .attachment): []
      }
    return codecs.contains(track.codec)
  }
}

extension Output {
  /// What becomes of sources' moving pictures.
  public enum Video: Sendable, Hashable, Codable {
    /// Their packets are copied, and encoded where cuts break them.
    case copy
    /// Their packets are copied, and nothing is encoded: what would have to be is refused.
    case strictCopy
    /// They are left out.
    case none
    /// All is encoded.
    case encode(VideoSettings)
  }

  /// The format of a file that holds moving pictures; nil where its extension is none of these.
  public var movie: MovieContainer? { MovieContainer(extension: path.extension ?? "") }

  /// Whether the picture of a source is to be in it.
  public var keepsPicture: Bool { movie != nil && video != Video.none }
}

/// One track of a file with moving pictures (`AVAssetTrack`).
public struct AssetTrack: Sendable, Hashable, Codable {
  /// `AVMediaType`.
  public enum MediaType: String, Sendable, Hashable, Codable {
    case video, audio, subtitle, data, attachment
  }

  /// Among all streams of the file, as ffprobe counts them.
  public var index: Int
  /// What it holds.
  public var mediaType: MediaType
  /// FFmpeg's name of its codec, such as `h264`.
  public var codec: String
  /// An ISO 639 code; nil where the file has none.
  public var language: String?
  /// How long each picture is shown, as 1001/30000 s, where the file says so of all of them alike
  /// (`AVAssetTrack.minFrameDuration`); nil where it does not, and for other tracks.
  public var frameDuration: Time?
  /// When the first picture is shown by the file's clock (`Asset.start`); nil as `frameDuration` is.
  public var firstPicture: Time?
  /// The timecode of the first picture, as the file has it: `01:00:00:00`; nil where it has none.
  public var timecode: String?

  /// A track with these facts; the engine's probing makes them.
  public init(index: Int, mediaType: MediaType, codec: String, language: String? = nil) {
    self.index = index
    self.mediaType = mediaType
    self.codec = codec
    self.language = language
  }
}
