import MediaTime

/// A file format for moving pictures and the sound beside them, chosen by an output's extension.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
package enum MovieContainer: String, Sendable, Hashable, CaseIterable, Codable {
  /// ISO/IEC 14496-14.
  case mp4
  /// QuickTime's.
  case mov
  /// Matroska (RFC 9559).
  case mkv
  /// Matroska for codecs of the web (the WebM Project's "Container Guidelines").
  case webm

  /// The format of a file's extension, in any case; nil for others.
  package init?(extension text: String) {
    let text = text.lowercased()
    guard let container = Self.allCases.first(where: { $0.extensions.contains(text) }) else {
      return nil
    }
    self = container
  }

  /// Of its files, in lower case; the first is the usual one.
  package var extensions: [String] { self == .mp4 ? ["mp4", "m4v"] : [rawValue] }

  /// Its name, for messages.
  package var name: String { self == .webm ? "WebM" : rawValue.uppercased() }

  /// Whether it is Matroska, which counts milliseconds, and hides no pictures.
  package var isMatroska: Bool { self == .mkv || self == .webm }

  /// FFmpeg's name of its demuxer (`AVInputFormat.name`).
  package var demuxer: String { isMatroska ? "matroska,webm" : "mov,mp4,m4a,3gp,3g2,mj2" }

  /// The codecs of sound that are written into it; the first is the usual one. Matroska has a place for
  /// the samples before AAC's sound (`CodecDelay`), but FFmpeg 5.1 writes it for Opus alone: AAC would be
  /// heard 21 ms late.
  package var soundKinds: [Output.Kind] {
    switch self {
    case .mp4, .mov: [.aac, .alac]
    case .mkv: [.opus, .flac, .vorbis]
    case .webm: [.opus, .vorbis]
    }
  }

  /// The extensions of all that hold sound of a kind.
  static func extensions(for kind: Output.Kind) -> [String] {
    allCases.filter { $0.soundKinds.contains(kind) }.flatMap(\.extensions)
  }

  /// What its files can hold with sound of a kind.
  func capabilities(_ kind: Output.Kind) -> OutputCapabilities {
    var held = kind.capabilities
    held.name = name
    (held.holdsChapterLinks, held.holdsChapterImages) = (false, false)
    guard isMatroska else { return held }
    (held.container, held.tagForm) = (demuxer, .matroska)
    (held.holdsCover, held.chapterBounds, held.places) = (self == .mkv, .matroska, [])
    return held
  }

  /// Whether a track of a source can be copied into it, as libavformat's muxers take it
  /// (`avformat_query_codec`).
  package func holds(_ track: AssetTrack) -> Bool {
    // Fonts, as a rule.
    if track.mediaType == .attachment { return self == .mkv }
    if self == .mkv, Self.promptCodecs.contains(track.codec) { return true }
    return codecs(of: track.mediaType).contains(track.codec)
  }

  /// The roles of a track that libavformat's muxers write: those of Matroska's flags (RFC 9559, 5.1.4.1), and
  /// of DASH's in MP4 (`kind`; ISO 14496-12, 8.10.4).
  package func holds(role: String, of track: AssetTrack) -> Bool {
    switch self {
    case .mp4:
      [
        "dub", "comment", "forced", "hearing_impaired", "visual_impaired", "captions",
        "descriptions",
      ].contains(role)
    case .mov: false
    case .mkv:
      ["dub", "original", "comment", "forced", "hearing_impaired", "visual_impaired"]
        .contains(role) || role == "descriptions" && track.mediaType == .subtitle
    case .webm: role == "forced"
    }
  }

  /// Codecs of old files no picture of which is shown later than it is decoded. Matroska holds them as AVI
  /// and QuickTime do (RFC 9559's mappings `V_MS/VFW/FOURCC` and `V_QUICKTIME`).
  package static let promptCodecs: Set<String> = [
    "asv1", "asv2", "cinepak", "flashsv", "flashsv2", "flv1", "h263p", "indeo3", "indeo5",
    "lagarith",
    "magicyuv", "msmpeg4v1", "msmpeg4v2", "msmpeg4v3", "msrle", "msvideo1", "qtrle", "rpza", "smc",
    "svq1", "tscc", "wmv1", "wmv2", "zmbv",
  ]

  private func codecs(of mediaType: AssetTrack.MediaType) -> Set<String> {
    switch (self, mediaType) {
    case (.mp4, .video):
      [
        "h264", "hevc", "mpeg4", "mpeg2video", "mpeg1video", "vp9", "av1", "mjpeg", "png", "vc1",
        "dirac", "jpeg2000",
      ]
    case (.mov, .video):
      [
        "h264", "hevc", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg", "png", "vc1", "dirac",
        "prores", "dnxhd", "dvvideo", "cfhd", "h263", "svq1", "svq3", "jpeg2000", "qtrle",
        "rawvideo",
        "cinepak", "rpza", "smc",
        "avrp", "dpx", "exr", "hap", "magicyuv", "r10k", "r210", "sgi", "targa", "tiff", "v210",
        "v308",
        "v408", "v410", "y41p", "yuv4",
      ]
    case (.mkv, .video):
      [
        "h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg", "prores",
        "ffv1", "theora", "vc1", "dirac", "png", "dnxhd", "dvvideo", "h263", "huffyuv", "ffvhuff",
        "utvideo", "rawvideo",
      ]
    case (.webm, .video): ["vp8", "vp9", "av1"]
    case (.mp4, .audio): ["aac", "mp3", "mp2", "ac3", "eac3", "alac", "opus", "flac", "dts"]
    case (.mov, .audio): ["aac", "mp3", "mp2", "ac3", "eac3", "alac"]
    case (.mkv, .audio):
      [
        "aac", "mp3", "mp2", "ac3", "eac3", "alac", "opus", "flac", "dts", "vorbis", "truehd",
        "mlp",
        "wavpack", "tta", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_u8",
      ]
    case (.webm, .audio): ["opus", "vorbis"]
    case (.mp4, .subtitle), (.mov, .subtitle): ["mov_text"]
    case (.mkv, .subtitle):
      ["subrip", "ass", "webvtt", "text", "hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle"]
    case (.webm, .subtitle): ["webvtt"]
    case (_, .data), (_, .attachment): []
    }
  }
}

extension Output {
  /// What becomes of sources' moving pictures.
  package enum Video: Sendable, Hashable, Codable {
    /// Their packets are copied, and encoded where cuts break them.
    case copy
    /// Their packets are copied, and nothing is encoded: what would have to be is refused.
    case strictCopy
    /// Their packets are copied from the entry before each range on, and an edit list hides what is not
    /// shown: nothing is encoded.
    case editedCopy
    /// They are left out.
    case none
    /// All is encoded.
    case encode(VideoSettings)
  }

  /// The format of a file that holds moving pictures; nil where its extension is none of these.
  package var movie: MovieContainer? { MovieContainer(extension: path.extension ?? "") }

  /// What its file can hold with sound of a kind, in the container that its name stands for.
  package func capabilities(as kind: Kind) -> OutputCapabilities {
    movie?.capabilities(kind) ?? soundContainer(as: kind)?.capabilities(kind) ?? kind.capabilities
  }

  /// Whether the picture of a source is to be in it.
  package var keepsPicture: Bool { movie != nil && video != Video.none }
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
  /// By how many degrees pictures are turned clockwise when they are shown
  /// (`AVAssetTrack.preferredTransform`): 90, 180 or 270; nil where they are not turned.
  public var rotation: Int?
  /// How long each picture is shown, as 1001/30000 s, where the file says so of all of them alike
  /// (`AVAssetTrack.minFrameDuration`); nil where it does not, and for other tracks.
  public var frameDuration: Time?
  /// When the first picture is shown by the file's clock (`Asset.start`); nil as `frameDuration` is.
  package var firstPicture: Time?
  /// When the last picture ends by the file's clock, as the file says; nil where it does not.
  package var lastPictureEnd: Time?
  /// The timecode of the first picture, as the file has it: `01:00:00:00`; nil where it has none.
  package var timecode: String?
  /// Whether its pictures are transparent in places, or may be; nil: they are not.
  package var hasAlpha: Bool?
  /// Whether the file has a record of Dolby Vision for its pictures; nil: it has none.
  package var hasDolbyVision: Bool?
  /// What its first picture says beside itself and encoded ones do not: `HDR10+`, `captions`; nil: nothing.
  package var messages: [String]?
  /// How its pictures are to be seen: `360°`, `3D`, or both; nil: they are flat.
  package var projection: String?
  /// A digest of what the file says of that: pictures of two tracks are seen alike where it is the same.
  package var projectionDigest: String?
  /// What the container hides at their edges; nil: nothing.
  package var cropping: Cropping?
  /// Of a sound, frames a second as the file's header has them; nil where it does not, and for other tracks.
  package var sampleRate: Int?
  /// Likewise its channels.
  package var channelLayout: ChannelLayout?
  /// Roles of a sound or a text, by FFmpeg's names (`AV_DISPOSITION_…`), such as `comment`; nil: none.
  package var roles: [String]?
  /// A digest of what the file says of the styles of texts in ASS: those of two tracks are the same where
  /// it is; nil for other tracks.
  package var styles: String?

  /// What a container hides at the edges of pictures.
  package struct Cropping: Sendable, Hashable, Codable {
    /// For people: `the clean aperture (clap)`.
    package var name: String
    /// Whether this FFmpeg writes it where pictures are copied.
    package var isCopied: Bool

    package init(name: String, isCopied: Bool) { (self.name, self.isCopied) = (name, isCopied) }
  }

  /// A track with these facts; the engine's probing makes them.
  package init(index: Int, mediaType: MediaType, codec: String, language: String? = nil) {
    self.index = index
    self.mediaType = mediaType
    self.codec = codec
    self.language = language
  }
}
