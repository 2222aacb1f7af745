import MPEGAudio
import SystemPackage
import Tagging

/// What one kind of output can hold. The compiler asks this table; others only describe it.
package struct OutputCapabilities: Sendable, Hashable {
  /// The sample rates that a format has, in frames a second.
  package enum SampleRates: Sendable, Hashable {
    /// These, in ascending order, not empty.
    case only([Int])
    /// All from 1 to this one, and from there on tens up to the other one.
    case upTo(Int, tensUpTo: Int = 0)
  }

  /// What of a source of the same codec is copied into a file.
  package enum CopiedUnit: Sendable, Hashable {
    /// The samples, of which the format loses none.
    case samples
    /// The frames of its codec; those that reach over a join are encoded.
    case frames
    /// The packets of one clip, which is all of the output: blocks of several lengths, as those of two
    /// clips, meet at few places.
    case clip
    /// Nothing: all is encoded.
    case nothing
  }

  /// How a file holds tags.
  package enum TagForm: Sendable, Hashable {
    case id3, riff, caf, vorbisComments
    /// Not at all.
    case none
    /// An MP4's.
    case itemList
    /// A Matroska's.
    case matroska
  }

  /// What a format has a place for beside tags and chapters (docs/broadcast.md).
  package enum Place: Sendable, Hashable, CaseIterable {
    /// `bext`.
    case broadcast
    /// `cart`.
    case cart
    /// `iXML`.
    case iXML
    /// Moments and regions, with names and notes, to the frame: also the format's chapters.
    case cues
    /// Loops of samplers.
    case loops
    /// Chunks of other formats.
    case foreign
  }

  /// The bytes that silence takes at least.
  package struct LeastPacket: Sendable, Hashable {
    /// The longest packet; nil: less than an eighth of a second.
    var frames: Int?
    var bytes: Int
    /// Beside them, for each channel.
    var bytesPerChannel = 0
  }

  /// The file format, for messages: `M4A`.
  package var name: String
  /// The codec, for messages: `AAC`.
  package var codecName: String
  /// FFmpeg's name of its demuxer (`AVInputFormat.name`).
  package var container: String
  /// Of its files, in lower case; the first is the usual one.
  package var extensions: [String]
  /// Which there are.
  package var sampleRates: SampleRates
  /// How it stores samples; empty where a codec does.
  package var sampleFormats: [Output.SampleFormat] = []
  /// Whether its samples are stored with the highest byte first.
  package var isBigEndian = false
  /// Which layouts its encoder keeps in place, most usual first; nil: any of one to eight channels.
  package var layouts: [ChannelLayout]?
  /// Whether it has numbers of Apple's for layouts.
  package var numbersLayouts = false
  /// Its usual settings, in messages.
  package var exampleSetting: String
  /// What of a source of its own codec is copied.
  package var copiedUnit: CopiedUnit
  /// Picoseconds of one core for a sample, as `docs/decisions.md` measures them; nil where they follow
  /// from the settings.
  package var encodingTime: Int?
  /// Decibels that its error adds to peaks, by the fewest kilobits a second of stereo for which they
  /// hold (`docs/loudness.md`); empty where it has no bit rate.
  var peakErrors: [Int: Double]
  /// nil where the size follows from the settings.
  package var leastPacket: LeastPacket?
  /// How it holds tags.
  package var tagForm: TagForm
  /// The tags that its file has names for, by FFmpeg's, in lower case; nil: any.
  package var heldTags: Set<String>?
  /// Whether it has a place for a front cover.
  package var holdsCover: Bool
  /// How many chapters it holds, and how exactly, if it holds any.
  package var chapterBounds: ChapterBounds?
  /// Whether it has a place for chapters' starts and titles.
  package var holdsChapters: Bool { chapterBounds != nil }
  /// Whether it has a place for a chapter's link.
  package var holdsChapterLinks = false
  /// Whether it has a place for a chapter's image.
  package var holdsChapterImages = false
  /// What it has a place for beside tags and chapters.
  package var places: Set<Place> = []
  /// Whether it has a place for a track of captions.
  package var holdsCaptions: Bool { tagForm == .itemList }
  /// Whether its tag has a place for lyrics with times that players look for.
  package var holdsLyrics = false
  /// Whether players and taggers look for tags of any name in it.
  package var holdsFreeTags: Bool {
    switch tagForm {
    case .id3, .vorbisComments, .itemList: true
    case .riff, .caf, .matroska, .none: false
    }
  }
  /// Whether its files have a header with a date (`HeaderDate`).
  package var holdsHeaderDate: Bool { tagForm == .itemList || tagForm == .matroska }
  /// Whether its tag is one of ID3v2.
  package var hasID3: Bool { tagForm == .id3 }
  /// Whether a file of it may hold no sound at all.
  package var holdsNoSound: Bool
  /// Whether its codec gives back the samples that it is given.
  package var isLossless: Bool { copiedUnit == .samples }
}

extension OutputCapabilities {
  /// The name, in jobs, of a layout of so many channels that such a file can have; nil: none has a name.
  package func layoutName(ofCount count: Int) -> String? {
    ChannelLayout.named.first { $0.value.count == count && stored($0.value) != nil }?.key
  }

  /// The layout that a file says it has where its sound is in `layout`: surrounds at the side are
  /// written as surrounds at the back where the format has only these. nil where it has neither. Where a
  /// format of any layout lacks the position of a channel, its file says none.
  package func stored(_ layout: ChannelLayout) -> ChannelLayout? {
    guard let layouts else { return layout.isStorable ? layout : .counted(layout.count) }
    return [layout, layout.surroundsAtBack].compactMap(\.self).first(where: layouts.contains)
  }
}

extension Output.Kind {
  /// What outputs of this kind can hold.
  package var capabilities: OutputCapabilities {
    switch self {
    case .mp3: .mp3
    case .wav: .wav
    case .aiff: .aiff
    case .caf: .caf
    case .raw: .raw
    case .flac: .flac
    case .alac: .alac
    case .aac: .aac
    case .vorbis: .vorbis
    case .opus: .opus
    case .amr: .amr
    }
  }

  /// The format that an output of this kind has where its job says nothing else.
  ///
  /// - Parameters:
  ///   - isDeep: Whether a source has more than 16 bits a sample.
  ///   - sampleRate: The output's frames a second.
  ///   - channelCount: The output's channels.
  /// - Returns: A format that has no `problem` at that rate in a layout of its own.
  package func usualFormat(isDeep: Bool, sampleRate: Int, channelCount: Int) -> Output.Format {
    switch self {
    case .mp3: return .mp3(.standard)
    case .wav: return .wav(isDeep ? .int24 : .int16)
    case .aiff: return .aiff(isDeep ? .int24 : .int16)
    case .caf: return .caf(isDeep ? .int24 : .int16)
    case .raw: return .raw(.int16)
    case .flac: return .flac(bitDepth: isDeep ? 24 : 16)
    case .alac: return .alac(bitDepth: isDeep ? 24 : 16)
    case .vorbis: return .vorbis(.standard)
    case .aac:
      // 64 kbps a channel, as far as the sample rate has them.
      return .m4a(bitRate: min(64, 6144 * sampleRate / 1024 / 1000) * 1000 * channelCount)
    case .opus: return .opus(bitRate: channelCount == 1 ? 64_000 : 48_000 * channelCount)
    case .amr: return .amr(bitRate: 12_200)
    }
  }

  /// The kind of a file's extension, in any case; nil where there is none. `.m4a` is AAC, a movie has
  /// the sound that is usual in it, and of other kinds with one extension it is the first: `.ogg` is
  /// Vorbis, and `.caf` PCM.
  package init?(extension text: String) {
    let text = text.lowercased()
    if let usual = MovieContainer(extension: text)?.soundKinds.first {
      self = usual
      return
    }
    let kind = Self.allCases.first { $0 != .alac && $0.capabilities.extensions.contains(text) }
    guard let kind else { return nil }
    self = kind
  }
}

extension Asset {
  /// The kind of output that keeps its codec; nil where that is not written.
  package var outputKind: Output.Kind? {
    switch codec {
    case "mp3float": return .mp3
    case "adpcm_g722", "gsm",
      _ where RawSound.container == container:
      return .raw
    case "pcm_mulaw", "pcm_alaw", "gsm_ms": return .wav
    case "adpcm_ima_qt": return .caf
    case "amr_nb": return .amr
    // Of PCM, those whose samples a file of 8, 16 or 24 bits or of 32-bit floats holds.
    case "pcm_u8", "pcm_s8", "pcm_s8_planar", "pcm_s16le", "pcm_s16be", "pcm_u16le", "pcm_u16be",
      "pcm_s16le_planar", "pcm_s16be_planar", "pcm_s24le", "pcm_s24be", "pcm_u24le", "pcm_u24be",
      "pcm_s24le_planar", "pcm_s24daud", "pcm_f32le", "pcm_f32be", "pcm_f16le", "pcm_f24le":
      switch container {
      case "aiff": return .aiff
      case "caf": return .caf
      default: return .wav
      }
    // FFmpeg's names of codecs are those of the language.
    default:
      return Output.Kind(rawValue: codec).flatMap {
        $0.capabilities.sampleFormats.isEmpty ? $0 : nil
      }
    }
  }
}

extension OutputCapabilities {
  static let mp3 = OutputCapabilities(
    name: "MP3", codecName: "MP3", container: "mp3", extensions: ["mp3"],
    sampleRates: .only(MP3Settings.sampleRates), layouts: [.mono, .stereo], exampleSetting: "V2",
    copiedUnit: .frames, encodingTime: nil, peakErrors: [256: 0.2, 192: 0.5, 128: 1.0, 0: 1.2],
    leastPacket: nil, tagForm: .id3, holdsCover: true, chapterBounds: .id3,
    holdsChapterLinks: true, holdsChapterImages: true, holdsLyrics: true, holdsNoSound: false)

  static let wav = OutputCapabilities(
    name: "WAV", codecName: "WAV", container: "wav",
    extensions: ["wav", "wave"] + RawSound.waveExtensions,
    sampleRates: .upTo(.pcmLimit),
    sampleFormats: [.int16, .int24, .float32, .uint8, .muLaw, .aLaw, .gsm],
    exampleSetting: "16 bit", copiedUnit: .samples, encodingTime: 6_000, peakErrors: [:],
    leastPacket: nil, tagForm: .riff,
    heldTags: riffTags, holdsCover: false, chapterBounds: .cues,
    places: [.broadcast, .cart, .iXML, .cues, .loops, .foreign], holdsNoSound: true)

  static let aiff = OutputCapabilities(
    name: "AIFF", codecName: "AIFF", container: "aiff", extensions: ["aiff", "aif", "aifc"],
    sampleRates: .upTo(.pcmLimit), sampleFormats: [.int16, .int24, .float32], isBigEndian: true,
    numbersLayouts: true, exampleSetting: "16 bit", copiedUnit: .samples, encodingTime: 6_000,
    peakErrors: [:], leastPacket: nil, tagForm: .id3, holdsCover: true, chapterBounds: .id3,
    holdsChapterLinks: true, holdsChapterImages: true, places: [.cues, .loops, .foreign],
    holdsNoSound: false)

  static let caf = OutputCapabilities(
    name: "CAF", codecName: "CAF", container: "caf", extensions: ["caf"],
    sampleRates: .upTo(.pcmLimit), sampleFormats: [.int16, .int24, .float32, .ima4],
    numbersLayouts: true, exampleSetting: "16 bit", copiedUnit: .samples, encodingTime: 6_000,
    peakErrors: [:],
    leastPacket: nil, tagForm: .caf, holdsCover: false, chapterBounds: .cues,
    places: [.cues, .loops, .foreign], holdsNoSound: true)

  static let raw = OutputCapabilities(
    name: "headerless sound", codecName: "headerless sound", container: RawSound.container,
    extensions: RawSound.extensions, sampleRates: .upTo(.pcmLimit),
    sampleFormats: [.int16, .int24, .float32, .uint8, .muLaw, .aLaw, .g722, .gsm],
    exampleSetting: "16 bit", copiedUnit: .samples, encodingTime: 6_000, peakErrors: [:],
    leastPacket: nil, tagForm: .none, heldTags: [], holdsCover: false, holdsNoSound: true)

  /// A frame header holds all rates that fit into 16 bits, and tens of ten times as many (RFC 9639
  /// §9.1.2); FFmpeg's encoder ends before the last of either (`flac_encode_init`). Its blocks last
  /// 105 ms at most; each has a header, and two bytes for each channel.
  static let flac = OutputCapabilities(
    name: "FLAC", codecName: "FLAC", container: "flac",
    extensions: ["flac"] + MovieContainer.extensions(for: .flac),
    sampleRates: .upTo(65_534, tensUpTo: 655_340), exampleSetting: "16 bit", copiedUnit: .samples,
    encodingTime: 20_000, peakErrors: [:],
    leastPacket: LeastPacket(bytes: 8, bytesPerChannel: 2), tagForm: .vorbisComments,
    holdsCover: true, chapterBounds: .vorbisComments, holdsChapterLinks: true, places: [.foreign],
    holdsNoSound: true)

  /// Layouts: `ff_alac_ch_layouts` in libavcodec's alac_data.c.
  static let alac = OutputCapabilities(
    name: "M4A", codecName: "ALAC", container: MovieContainer.mp4.demuxer,
    extensions: mp4Extensions + SoundContainer.extensions(for: .alac),
    sampleRates: .upTo(384_000),
    layouts: [
      .mono, .stereo, .surround50, .surround51, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x107), ChannelLayout(mask: 0x13F), ChannelLayout(mask: 0xFF),
    ],
    exampleSetting: "16 bit", copiedUnit: .samples, encodingTime: 45_000, peakErrors: [:],
    leastPacket: LeastPacket(frames: 4096, bytes: 8), tagForm: .itemList, holdsCover: true,
    chapterBounds: .mp4, holdsNoSound: false)

  /// Rates: ISO 14496-3, table 1.18. Layouts: `aac_normal_chan_layouts` in libavcodec's aacenc.h,
  /// and quad, for which it writes a program config element.
  static let aac = OutputCapabilities(
    name: "M4A", codecName: "AAC", container: MovieContainer.mp4.demuxer,
    extensions: mp4Extensions + SoundContainer.extensions(for: .aac),
    sampleRates: .only([
      7350, 8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200,
      96_000,
    ]),
    layouts: [
      .mono, .stereo, .quad, .surround50, .surround51, .surround71, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x107),
    ],
    exampleSetting: "128k", copiedUnit: .frames, encodingTime: 230_000,
    peakErrors: [192: 0.8, 96: 1.2, 0: 2], leastPacket: LeastPacket(frames: 1024, bytes: 6),
    tagForm: .itemList, holdsCover: true, chapterBounds: .mp4, holdsNoSound: false)

  /// Rates: libvorbis's last template (`setup_XX.h`). Layouts: Vorbis I, section 4.3.9.
  static let vorbis = OutputCapabilities(
    name: "Ogg", codecName: "Vorbis", container: "ogg",
    extensions: ["ogg", "oga"] + MovieContainer.extensions(for: .vorbis),
    sampleRates: .upTo(200_000),
    layouts: [
      .mono, .stereo, .quad, .surround50, .surround51, .surround71, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x70F),
    ],
    exampleSetting: "q5", copiedUnit: .clip, encodingTime: 135_000,
    peakErrors: [128: 0.5, 0: 0.9], leastPacket: LeastPacket(frames: 4096, bytes: 2),
    tagForm: .vorbisComments, holdsCover: true, chapterBounds: .vorbisComments,
    holdsChapterLinks: true,
    holdsNoSound: false)

  /// Opus is 48 kHz inside (RFC 7845 §5.1), in packets of 20 ms. Layouts: its section 5.1.1.2,
  /// without 5.0, whose channels FFmpeg 5.1's libopus encoder puts into each other's places.
  static let opus = OutputCapabilities(
    name: "Opus", codecName: "Opus", container: "ogg",
    extensions: ["opus", "ogg", "oga"] + MovieContainer.extensions(for: .opus),
    sampleRates: .only([48_000]),
    layouts: [
      .mono, .stereo, .quad, .surround51, .surround71, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x70F),
    ],
    exampleSetting: "128k", copiedUnit: .frames, encodingTime: 115_000,
    peakErrors: [128: 0.8, 80: 1.0, 0: 1.4], leastPacket: LeastPacket(frames: 960, bytes: 2),
    tagForm: .vorbisComments, holdsCover: true, chapterBounds: .vorbisComments,
    holdsChapterLinks: true,
    holdsNoSound: false)

  /// RFC 4867, 5: a head of six bytes, then frames of 20 ms in as many bytes as each says, and no more.
  static let amr = OutputCapabilities(
    name: "AMR", codecName: "AMR", container: "amr", extensions: ["amr"],
    sampleRates: .only([8000]), layouts: [.mono], exampleSetting: "12.2k", copiedUnit: .nothing,
    encodingTime: 470_000, peakErrors: [0: 2],
    leastPacket: LeastPacket(frames: 160, bytes: 13), tagForm: .none, heldTags: [],
    holdsCover: false, holdsNoSound: false)

  private static let mp4Extensions = ["m4a", "m4b"] + MovieContainer.extensions(for: .aac)

  private static let riffTags = Set(TagNames.rows.filter(\.isInRIFF).map(\.key))
}

extension Int {
  /// The highest sample rate of PCM: as high as job files go.
  fileprivate static let pcmLimit = 768_000
}

extension OutputCapabilities.SampleRates {
  /// Whether the format has `rate`.
  package func contains(_ rate: Int) -> Bool {
    switch self {
    case .only(let rates): rates.contains(rate)
    case .upTo(let limit, let farLimit):
      1...limit ~= rate || rate > 0 && rate <= farLimit && rate.isMultiple(of: 10)
    }
  }

  /// All of them, or some of all that there are, up to the highest.
  package var examples: [Int] {
    switch self {
    case .only(let rates): rates
    case .upTo(let limit, let farLimit):
      MP3Settings.sampleRates.filter { $0 < limit } + [limit, max(limit, farLimit)]
    }
  }

  /// `rate` where the format has it; else the highest that it divides by, from 44.1 kHz on; else
  /// the lowest above it, so that all of the sound is kept; else the highest.
  package func nearest(to rate: Int) -> Int {
    if contains(rate) { return rate }
    switch self {
    case .upTo(let limit, let farLimit):
      // The next ten, so that all of the sound is kept.
      let highest = max(limit, farLimit)
      return rate < 1 ? 1 : rate >= highest ? highest : rate + (10 - rate % 10) % 10
    case .only(let rates):
      let divisor = rates.last { $0 < rate && $0 >= 44_100 && rate % $0 == 0 }
      return divisor ?? rates.first { $0 > rate } ?? rates[rates.count - 1]
    }
  }
}
