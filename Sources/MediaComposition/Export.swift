import MPEGAudio
import MediaTime
import SystemPackage

/// A composition and the files that it becomes: one decode and one mix for all of them.
///
/// The counterpart of an `AVAssetExportSession`'s settings, as a value.
public struct Export: Sendable, Hashable {
  /// For messages and reports.
  public var name: String
  /// What sounds.
  public var composition: Composition
  /// Which part of the composition's timeline is written (`AVAssetExportSession.timeRange`); nil:
  /// all of it. Its samples are those that the whole has there.
  public var timeRange: TimeRange?
  /// Over the whole, after the tracks are mixed.
  public var mix: AudioMix
  /// Frames a second of the mix; nil: the highest among the sources, no higher than outputs need.
  public var sampleRate: Int?
  /// Layout of the mix; nil: mono where all sources are mono, else stereo.
  public var channelLayout: ChannelLayout?
  /// Tags for every output.
  public var metadata: Metadata
  /// On the composition's timeline, in order; segments' own chapters are added to them.
  public var chapters: [Chapter]
  /// The files to be written.
  public var outputs: [Output]
  /// Where it was written.
  public var origin: Origin

  /// An export of `composition` to `outputs`.
  public init(
    name: String, composition: Composition, timeRange: TimeRange? = nil, mix: AudioMix = .unity,
    sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil, metadata: Metadata = Metadata(),
    chapters: [Chapter] = [], outputs: [Output], origin: Origin = .unknown
  ) {
    self.name = name
    self.composition = composition
    self.timeRange = timeRange
    self.mix = mix
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.metadata = metadata
    self.chapters = chapters
    self.outputs = outputs
    self.origin = origin
  }

  /// How long its outputs are.
  public var duration: Time { timeRange?.duration ?? composition.duration }

  /// Whether anything in it is placed between left and right. O(segments).
  public var isPanned: Bool { !mix.pan.isCentre || composition.isPanned }
}

/// One file to be written.
public struct Output: Sendable, Hashable {
  /// Where the file will be.
  public var path: FilePath
  /// As what.
  public var format: Format
  /// Frames a second; nil: as the mix.
  public var sampleRate: Int?
  /// nil: as the mix.
  public var channelLayout: ChannelLayout?
  /// Put over the export's own.
  public var metadata: Metadata
  /// Where it was written.
  public var origin: Origin

  /// Container and codec with its settings.
  public enum Format: Sendable, Hashable {
    case mp3(MP3Settings)
    /// RIFF, or RF64 where the size asks for it.
    case wav(SampleFormat)
    case flac(bitDepth: Int)
    /// AAC-LC in MP4; bits a second for all channels together.
    case m4a(bitRate: Int)
  }

  /// How PCM is stored.
  public enum SampleFormat: String, Sendable, Hashable, CaseIterable {
    case int16 = "16 bit"
    case int24 = "24 bit"
    case float32 = "32 bit float"
  }

  /// An output at `path`.
  public init(
    path: FilePath, format: Format, sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil,
    metadata: Metadata = Metadata(), origin: Origin = .unknown
  ) {
    self.path = path
    self.format = format
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.metadata = metadata
    self.origin = origin
  }
}
