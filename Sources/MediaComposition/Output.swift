import Diagnosis
import MPEGAudio
import SystemPackage

/// A request for one file. What it leaves open follows from the sources, when the export is compiled.
public struct Output: Sendable, Hashable, Codable {
  /// Where the file will be.
  @CodedPath public var path: FilePath
  /// As what.
  package var request: Request
  /// LAME's name for the settings of an MP3: it also chooses the sample rate and, under some names,
  /// one channel, where nothing else is said.
  package var mp3Preset: MP3Preset?
  /// How its sources are copied where they can be; nil: all of it is encoded.
  package var copying: Copying?
  /// Frames a second; nil: as the mix.
  public var sampleRate: Int?
  /// The version of the tag in MP3 and AIFF; nil: 2.4, but 2.3 where FFmpeg would lose a chapter
  /// otherwise (`ID3Version.init(forChapters:)`). Other formats have none.
  package var id3: ID3Version?
  /// nil: as the mix.
  public var channelLayout: ChannelLayout?
  /// The level that the sound is brought to; nil: the export's.
  public var loudness: LoudnessTarget? {
    get { targets.first }
    set { targets = newValue.map { [$0] } ?? [] }
  }
  /// At most one, in a list: most outputs have none, and there may be a hundred thousand.
  private var targets: [LoudnessTarget] = []
  /// What the finished file is checked by, before it takes its place; nil: nothing.
  package var conform: [ConformRequest]?
  /// Put over the export's own; an empty text takes a tag away.
  public var metadata: Metadata
  /// As the export's, in place of that, where its tags begin with those of another file; nil: the
  /// export's, and those that `metadata` takes away.
  package var removedTags: [String]?
  /// As the export's, in place of that, where its tags begin with those of another file; nil: the
  /// export's that `metadata` does not replace.
  package var inheritedTags: [String]?
  /// What it gets of Broadcast Wave, of radio and of other formats' chunks; nil: what sources bring along.
  package var marks: MarkRequest? {
    get { requests.first }
    set { requests = newValue.map { [$0] } ?? [] }
  }
  /// At most one, in a list, as `targets`.
  private var requests: [MarkRequest] = []
  /// Whether a source with damage or a doubtful header is refused, and not only warned of.
  package var isStrict = false
  /// The gains for players that its tags get; nil: none of its own.
  package var gainTags: GainTags?
  /// What becomes of a source's moving picture in a file that holds one; nil: it is copied.
  package var video: Video?
  /// Where the chapters are written.
  public var chapters: ChapterPlaces
  /// Where its words are written; nowhere unless it is said.
  package var transcript = TranscriptPlaces.none
  /// Where its silences are listed; nil: nowhere.
  package var silences: SilencePlaces? {
    get { listed.first }
    set { listed = newValue.map { [$0] } ?? [] }
  }
  /// At most one, in a list, as `targets`.
  private var listed: [SilencePlaces] = []
  /// Where its path was written.
  package var origin: Origin
  /// Where its settings were written.
  package var origins = Origins()

  /// Container, codec and settings, as far as they are said.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  package enum Request: Sendable, Hashable, Codable {
    /// All said.
    case exactly(Format)
    /// With the settings that are usual for the sources.
    case usual(Kind)
    /// As a source, with settings that keep its quality; nil: as the source that is heard longest, by the
    /// best. Where the path's extension does not fit, one `isInFolder` gets the usual, others are refused.
    indirect case same(as: Asset?, isInFolder: Bool)
    /// As the source of this kind that is heard longest, so that its frames can be copied.
    case copied(Kind)
  }

  /// How frames of sources are copied into an output instead of being encoded anew.
  package struct Copying: Sendable, Hashable, Codable {
    /// What happens where frames of two MP3s do not lie on one grid.
    package enum Join: String, Sendable, Hashable, CaseIterable, Codable {
      /// One of them is encoded.
      case exact
      /// One of them is moved, by half a frame at most.
      case nudge
      /// The export is refused.
      case strict
    }

    /// For frames of two MP3s.
    package var join: Join
    /// Whether the export is refused where anything but a join or silence would be encoded.
    package var isStrict: Bool
    /// Whether the export is refused where nothing can be copied; else all of it is encoded then.
    package var isRequired: Bool

    /// Copies where it is exact, and encodes the rest.
    package init(join: Join = .exact, isStrict: Bool = false, isRequired: Bool = true) {
      self.join = join
      self.isStrict = isStrict
      self.isRequired = isRequired
    }
  }

  /// Container and codec with its settings; `OutputCapabilities` says which there are.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Format: Sendable, Hashable, Codable {
    indirect case mp3(MP3Settings)
    /// RIFF, or RF64 above 4 GiB.
    case wav(SampleFormat)
    /// Integers as AIFF, floats as AIFF-C.
    case aiff(SampleFormat)
    /// PCM in Apple's Core Audio Format, little-endian, or IMA 4:1 (`kAudioFormatAppleIMA4`).
    case caf(SampleFormat)
    /// Without any header, as telephone systems have it; PCM is little-endian.
    case raw(SampleFormat)
    /// 16 or 24 bits a sample.
    case flac(bitDepth: Int)
    /// Apple Lossless (`kAudioFormatAppleLossless`) in MP4, in QuickTime's for `.mov`, and in Core Audio
    /// Format for `.caf`; 16 or 24 bits a sample.
    case alac(bitDepth: Int)
    /// AAC-LC (`kAudioFormatMPEG4AAC`) by FFmpeg's encoder; bits a second for all channels together. In
    /// MP4, or as the path's extension says: QuickTime's for `.mov`, Core Audio Format for `.caf`, and a
    /// bare stream for `.aac` (`kAudioFileAAC_ADTSType`), which is heard later by the encoder's delay of
    /// 1024 frames.
    case m4a(bitRate: Int)
    /// AAC by libfdk-aac, in the same files; HE-AAC in all but `.caf`.
    case fdkAAC(FDKAACSettings)
    /// In Ogg.
    case vorbis(VorbisSettings)
    /// In Ogg, with a variable bit rate; mean bits a second for all channels together.
    case opus(bitRate: Int)
    /// AMR narrow-band (`kAudioFormatAMR`, RFC 4867) of one channel at 8 kHz, at one of its eight bit
    /// rates from 4,750 to 12,200 bits a second. Written where FFmpeg has the encoder
    /// `libopencore_amrnb`; else an export fails (`mendMachine`).
    case amr(bitRate: Int)
  }

  /// Container and codec without settings, under the job language's names.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  package enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    case mp3, wav, aiff, caf, raw, flac, alac, aac, vorbis, opus, amr
  }

  /// How samples are stored: as PCM, by a codec of telephony, or four to one.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum SampleFormat: String, Sendable, Hashable, CaseIterable, Codable {
    case int16 = "16 bit"
    case int24 = "24 bit"
    case float32 = "32 bit float"
    /// Unsigned, as WAV has them.
    case uint8 = "8 bit"
    /// G.711 of North America and Japan: 14 bits in 8.
    case muLaw = "mu-law"
    /// G.711 of all others: 13 bits in 8.
    case aLaw = "a-law"
    /// ITU-T G.722 at 64 kbps: two samples of 16 kHz mono in 8 bits.
    case g722
    /// GSM 06.10, full rate: 160 samples of 8 kHz mono in 33 bytes; in WAV 320 in 65.
    case gsm
    /// IMA ADPCM as QuickTime has it, in CAF: 64 samples of 16 bits in 34 bytes, of one or two channels.
    case ima4
  }

  /// An output at `path` in exactly this format.
  public init(
    path: FilePath, format: Format, sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil,
    metadata: Metadata = Metadata(), chapters: ChapterPlaces = .standard
  ) {
    self.init(
      path: path, format: format, sampleRate: sampleRate, channelLayout: channelLayout,
      metadata: metadata, chapters: chapters, origin: .unknown)
  }

  /// An output at `path` in exactly this format, which a job file has at `origin`.
  package init(
    path: FilePath, format: Format, sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil,
    metadata: Metadata = Metadata(), chapters: ChapterPlaces = .standard,
    origin: Origin = .unknown
  ) {
    self.init(
      path: path, request: .exactly(format), sampleRate: sampleRate, channelLayout: channelLayout,
      metadata: metadata, chapters: chapters, origin: origin)
  }

  /// An output at `path`, which a job file has at `origin`.
  package init(
    path: FilePath, request: Request, sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil,
    metadata: Metadata = Metadata(), chapters: ChapterPlaces = .standard,
    origin: Origin = .unknown
  ) {
    self.path = path
    self.request = request
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.metadata = metadata
    self.chapters = chapters
    self.origin = origin
  }
}

extension Output {
  /// The format, where the request says all of it.
  public var format: Format? { if case .exactly(let format) = request { format } else { nil } }

  /// Container and codec; nil where a source says them.
  package var kind: Kind? {
    switch request {
    case .exactly(let format): format.kind
    case .usual(let kind): kind
    case .same(let asset, isInFolder: _): asset?.outputKind
    case .copied(let kind): kind
    }
  }

  /// Places in a job file; `.unknown` for a setting that was not written.
  package struct Origins: Sendable, Hashable, Codable {
    /// The format; in MP3 how bits are spent.
    package var format = Origin.unknown
    /// The sample rate.
    package var sampleRate = Origin.unknown
    /// The layout.
    package var channelLayout = Origin.unknown
    /// The version of the tag.
    package var id3 = Origin.unknown
    /// The cover.
    package var cover = Origin.unknown
    /// The gains in its tags.
    package var gainTags = Origin.unknown
    /// LAME's `-q`.
    package var quality = Origin.unknown
    /// LAME's `-m`.
    package var stereoMode = Origin.unknown
    /// LAME's `--lowpass`.
    package var lowpass = Origin.unknown
    /// LAME's `--highpass`.
    package var highpass = Origin.unknown
    /// LAME's `-b`.
    package var minimumBitRate = Origin.unknown
    /// LAME's `-B`.
    package var maximumBitRate = Origin.unknown

    /// No place is known.
    package init() {}

    /// The place of a setting of MP3.
    package subscript(_ setting: MP3Settings.Problem.Setting) -> Origin {
      get { self[keyPath: Self.path(of: setting)] }
      set { self[keyPath: Self.path(of: setting)] = newValue }
    }

    private static func path(
      of setting: MP3Settings.Problem.Setting
    ) -> WritableKeyPath<Origins, Origin> {
      switch setting {
      case .sound, .rateControl: \.format
      case .quality: \.quality
      case .stereoMode: \.stereoMode
      case .lowpass: \.lowpass
      case .highpass: \.highpass
      case .minimumBitRate: \.minimumBitRate
      case .maximumBitRate: \.maximumBitRate
      }
    }
  }
}

extension Output.Format {
  /// The format without its settings.
  package var kind: Output.Kind {
    switch self {
    case .mp3: .mp3
    case .wav: .wav
    case .aiff: .aiff
    case .caf: .caf
    case .raw: .raw
    case .flac: .flac
    case .alac: .alac
    case .m4a, .fdkAAC: .aac
    case .vorbis: .vorbis
    case .opus: .opus
    case .amr: .amr
    }
  }

  /// What a format says beside its kind.
  package enum Setting: Hashable {
    case mp3(MP3Settings)
    case samples(Output.SampleFormat)
    case bitDepth(Int)
    case bitRate(Int)
    case fdkAAC(FDKAACSettings)
    /// Vorbis's.
    case quality(Double)
  }

  /// What it says beside its kind.
  package var setting: Setting {
    switch self {
    case .mp3(let settings): .mp3(settings)
    case .wav(let samples), .aiff(let samples), .caf(let samples), .raw(let samples):
      .samples(samples)
    case .flac(let bitDepth), .alac(let bitDepth): .bitDepth(bitDepth)
    case .m4a(let bitRate), .vorbis(.bitRate(let bitRate)), .opus(let bitRate), .amr(let bitRate):
      .bitRate(bitRate)
    case .vorbis(.quality(let quality)): .quality(quality)
    case .fdkAAC(let settings): .fdkAAC(settings)
    }
  }

  /// The same kind with another setting; unchanged where the kind has none like it.
  package func with(_ setting: Setting) -> Output.Format {
    switch (self, setting) {
    case (.mp3, .mp3(let settings)): .mp3(settings)
    case (.wav, .samples(let samples)): .wav(samples)
    case (.aiff, .samples(let samples)): .aiff(samples)
    case (.caf, .samples(let samples)): .caf(samples)
    case (.raw, .samples(let samples)): .raw(samples)
    case (.flac, .bitDepth(let bitDepth)): .flac(bitDepth: bitDepth)
    case (.alac, .bitDepth(let bitDepth)): .alac(bitDepth: bitDepth)
    case (.m4a, .bitRate(let bitRate)): .m4a(bitRate: bitRate)
    case (.m4a, .fdkAAC(let settings)), (.fdkAAC, .fdkAAC(let settings)): .fdkAAC(settings)
    case (.vorbis, .bitRate(let bitRate)): .vorbis(.bitRate(bitRate))
    case (.vorbis, .quality(let quality)): .vorbis(.quality(quality))
    case (.opus, .bitRate(let bitRate)): .opus(bitRate: bitRate)
    case (.amr, .bitRate(let bitRate)): .amr(bitRate: bitRate)
    default: self
    }
  }

  /// Bits of the integers that samples are rounded to; nil where they are not.
  package var integerDepth: Int? {
    switch setting {
    case .samples(let format): format.integerDepth
    case .bitDepth(let bitDepth): bitDepth
    case .mp3, .bitRate, .fdkAAC, .quality: nil
    }
  }

  /// Whether libfdk-aac makes it.
  package var isByFDK: Bool { if case .fdkAAC = self { true } else { false } }

  /// Bits of the integers that need dither unless they are a source's own: coarser ones than 24, also
  /// where an encoder takes no others. What codecs leave of 16 bits has noise of its own.
  package var ditheredDepth: Int? {
    if isByFDK { return 16 }
    switch setting {
    case .samples(let format) where format.isCoded: return nil
    default: return integerDepth.flatMap { $0 < 24 ? $0 : nil }
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
