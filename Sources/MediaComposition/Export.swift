import Diagnosis
import MediaTime
import Transcripts

/// A composition and the files that it becomes: one decode and one mix for all of them.
///
/// The counterpart of an `AVAssetExportSession`'s settings, as a value.
public struct Export: Sendable, Hashable, Codable {
  /// For messages and reports.
  public var name: String
  /// What sounds.
  public var composition: Composition
  /// Which part of the composition's timeline is written (`AVAssetExportSession.timeRange`); nil:
  /// all of it. Its samples are those that the whole has there.
  public var timeRange: TimeRange?
  /// Over the whole, after the tracks are mixed.
  public var mix: AudioMix
  /// The level that each output without its own is brought to, last of all: after `mix`, and in the
  /// output's layout and rate. It is measured over the whole timeline, whatever part is written.
  public var loudness: LoudnessTarget?
  /// Frames a second of the mix; nil: the highest among the sources, no higher than outputs need.
  public var sampleRate: Int?
  /// Layout of the mix; nil: that of the output with most channels. An output that does not say has
  /// the layout that all sources have, where its format does; else stereo.
  public var channelLayout: ChannelLayout?
  /// Tags for every output.
  public var metadata: Metadata
  /// The keys of those that come from a file and not from the job, in lower case and in order; tags
  /// that a source has with the same values count, too.
  package var inheritedTags: [String] = []
  /// The keys of those that the job takes away with an empty text, in lower case and in order, where a
  /// file has what a tag says in another place, too; nil: none.
  package var removedTags: [String]?
  /// On the composition's timeline, in order; segments' own chapters are added to them.
  public var chapters: [Chapter]
  /// What is said on the composition's timeline, beside the words of segments; nil: nothing.
  public var transcript: Transcript?
  /// Tracks of texts that the words were read from.
  package var keptTexts: [KeptText] = []
  /// Sources of which words are muted.
  package var redactedSources: [MediaLocation] = []
  /// Other sources of which something is muted: nothing is known of their words.
  package var silencedSources: [MediaLocation] = []
  /// The files to be written.
  public var outputs: [Output]
  /// Records of the export, beside its outputs.
  package var records: [ExportRecord]
  /// Where it was written.
  package var origin: Origin
  /// Where its sample rate and its layout were written.
  package var origins = Origins()

  /// Places in a job file; `.unknown` for what was not written.
  package struct Origins: Sendable, Hashable, Codable {
    /// The sample rate of the mix.
    package var sampleRate = Origin.unknown
    /// The layout of the mix.
    package var channelLayout = Origin.unknown

    /// The places of a sample rate and a layout.
    package init(sampleRate: Origin = .unknown, channelLayout: Origin = .unknown) {
      self.sampleRate = sampleRate
      self.channelLayout = channelLayout
    }
  }

  /// An export of `composition` to `outputs`.
  public init(
    name: String, composition: Composition, timeRange: TimeRange? = nil, mix: AudioMix = .unity,
    sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil, metadata: Metadata = Metadata(),
    chapters: [Chapter] = [], outputs: [Output]
  ) {
    self.init(
      name: name, composition: composition, timeRange: timeRange, mix: mix, sampleRate: sampleRate,
      channelLayout: channelLayout, metadata: metadata, chapters: chapters, outputs: outputs,
      records: [], origin: .unknown)
  }

  /// An export that a job file has at `origin`, with records beside its outputs.
  package init(
    name: String, composition: Composition, timeRange: TimeRange? = nil, mix: AudioMix = .unity,
    sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil, metadata: Metadata = Metadata(),
    chapters: [Chapter] = [], outputs: [Output], records: [ExportRecord] = [],
    origin: Origin = .unknown
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
    self.records = records
    self.origin = origin
  }

  /// How long its outputs are.
  public var duration: Time { timeRange?.duration ?? composition.duration }

  /// Whether a source that probing warns of is refused: what any output asks for.
  package var isStrict: Bool { outputs.contains(where: \.isStrict) }

  /// Whether anything in it is placed between left and right. O(segments).
  package var isPanned: Bool { !mix.pan.isCentre || composition.isPanned }
}
