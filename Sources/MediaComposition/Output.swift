import Diagnosis
import MPEGAudio
import SystemPackage

/// One file to be written.
public struct Output: Sendable, Hashable, Codable {
  /// Where the file will be.
  @CodedPath public var path: FilePath
  /// As what.
  public var format: Format
  /// Frames a second; nil: as the mix.
  public var sampleRate: Int?
  /// The version of the tag in MP3 and AIFF; nil: 2.4, but 2.3 where FFmpeg would lose a chapter
  /// otherwise (`ID3Version.init(forChapters:)`). Other formats have none.
  public var id3: ID3Version?
  /// nil: as the mix.
  public var channelLayout: ChannelLayout?
  /// Put over the export's own; an empty text takes a tag away.
  public var metadata: Metadata
  /// Where the chapters are written.
  public var chapters: ChapterPlaces
  /// Where it was written.
  public var origin: Origin

  /// Container and codec with its settings; `OutputCapabilities` says which there are.
  public enum Format: Sendable, Hashable, Codable {
    case mp3(MP3Settings)
    /// RIFF, or RF64 above 4 GiB.
    case wav(SampleFormat)
    /// Integers as AIFF, floats as AIFF-C.
    case aiff(SampleFormat)
    /// PCM in Apple's Core Audio Format, little-endian.
    case caf(SampleFormat)
    /// 16 or 24 bits a sample.
    case flac(bitDepth: Int)
    /// Apple Lossless in MP4; 16 or 24 bits a sample.
    case alac(bitDepth: Int)
    /// AAC-LC in MP4; bits a second for all channels together.
    case m4a(bitRate: Int)
    /// In Ogg.
    case vorbis(VorbisSettings)
    /// In Ogg, with a variable bit rate; mean bits a second for all channels together.
    case opus(bitRate: Int)
  }

  /// Container and codec without settings, under the job language's names.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    case mp3, wav, aiff, caf, flac, alac, aac, vorbis, opus
  }

  /// How PCM is stored.
  public enum SampleFormat: String, Sendable, Hashable, CaseIterable, Codable {
    case int16 = "16 bit"
    case int24 = "24 bit"
    case float32 = "32 bit float"
  }

  /// An output at `path`.
  public init(
    path: FilePath, format: Format, sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil,
    metadata: Metadata = Metadata(), chapters: ChapterPlaces = .standard,
    origin: Origin = .unknown
  ) {
    self.path = path
    self.format = format
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.metadata = metadata
    self.chapters = chapters
    self.origin = origin
  }
}

extension Output.Format {
  /// The format without its settings.
  public var kind: Output.Kind {
    switch self {
    case .mp3: .mp3
    case .wav: .wav
    case .aiff: .aiff
    case .caf: .caf
    case .flac: .flac
    case .alac: .alac
    case .m4a: .aac
    case .vorbis: .vorbis
    case .opus: .opus
    }
  }

  /// Whether samples are stored as 16-bit integers.
  public var storesInt16: Bool {
    switch self {
    case .wav(let format), .aiff(let format), .caf(let format): format == .int16
    case .flac(let bitDepth), .alac(let bitDepth): bitDepth == 16
    case .mp3, .m4a, .vorbis, .opus: false
    }
  }
}

/// How libvorbis spends bits.
public enum VorbisSettings: Sendable, Hashable, Codable {
  /// `oggenc -q`: -1 (smallest) to 10, fractions allowed (`vorbis_encode_setup_vbr`).
  case quality(Double)
  /// Mean bits a second for all channels together (`vorbis_encode_setup_managed`, unmanaged).
  case bitRate(Int)

  /// `-q5`, about 160 kbps in stereo.
  public static let standard = VorbisSettings.quality(5)
}
