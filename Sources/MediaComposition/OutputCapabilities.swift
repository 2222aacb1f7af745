import MPEGAudio
import SystemPackage
import Tagging

/// What one kind of output can hold. The compiler asks this table; others only describe it.
public struct OutputCapabilities: Sendable, Hashable {
  /// The sample rates that a format has, in frames a second.
  public enum SampleRates: Sendable, Hashable {
    /// These, in ascending order, not empty.
    case only([Int])
    /// All from 1 to this one, and from there on tens up to the other one.
    case upTo(Int, tensUpTo: Int = 0)
  }

  /// The file format, for messages: `M4A`.
  public var name: String
  /// The codec, for messages: `AAC`.
  public var codecName: String
  /// Of its files, in lower case; the first is the usual one.
  public var extensions: [String]
  /// Which there are.
  public var sampleRates: SampleRates
  /// How it stores samples; empty where a codec does.
  public var sampleFormats: [Output.SampleFormat] = []
  /// Which layouts its encoder keeps in place, most usual first; nil: any of one to eight channels.
  public var layouts: [ChannelLayout]?
  /// The tags that its file has names for, by FFmpeg's, in lower case; nil: any.
  public var heldTags: Set<String>?
  /// Whether it has a place for a front cover.
  public var holdsCover: Bool
  /// How many chapters it holds, and how exactly, if it holds any.
  public var chapterBounds: ChapterBounds?
  /// Whether it has a place for chapters' starts and titles.
  public var holdsChapters: Bool { chapterBounds != nil }
  /// Whether it has a place for a chapter's link and image.
  public var holdsChapterLinks = false
  /// Whether its tag is one of ID3v2.
  public var hasID3 = false
  /// Whether a file of it may hold no sound at all.
  public var holdsNoSound: Bool
}

extension OutputCapabilities {
  /// The layout that a file says it has where its sound is in `layout`: surrounds at the side are
  /// written as surrounds at the back where the format has only these. nil where it has neither.
  public func stored(_ layout: ChannelLayout) -> ChannelLayout? {
    guard let layouts else { return layout }
    return [layout, layout.surroundsAtBack].compactMap(\.self).first(where: layouts.contains)
  }
}

extension Output.Kind {
  /// What outputs of this kind can hold.
  public var capabilities: OutputCapabilities {
    switch self {
    case .mp3: .mp3
    case .wav: .wav
    case .aiff: .aiff
    case .caf: .caf
    case .flac: .flac
    case .alac: .alac
    case .aac: .aac
    case .vorbis: .vorbis
    case .opus: .opus
    }
  }

  /// The kind of a file's extension, in any case; nil where there is none. Of two kinds
  /// with one extension it is the one that `capabilities` name it first for: `.m4a` is AAC, `.ogg`
  /// Vorbis.
  public init?(extension text: String) {
    let text = text.lowercased()
    let order: [Output.Kind] = [.mp3, .wav, .aiff, .caf, .flac, .aac, .vorbis, .opus]
    guard let kind = order.first(where: { $0.capabilities.extensions.contains(text) }) else {
      return nil
    }
    self = kind
  }
}

extension Asset {
  /// The kind of output that keeps its codec; nil where that is not written.
  public var outputKind: Output.Kind? {
    switch codec {
    case "mp3", "mp3float": return .mp3
    case "flac": return .flac
    case "alac": return .alac
    case "aac": return .aac
    case "vorbis": return .vorbis
    case "opus": return .opus
    case "pcm_mulaw", "pcm_alaw": return .wav
    // Of PCM, those whose samples a file of 8, 16 or 24 bits or of 32-bit floats holds.
    case "pcm_u8", "pcm_s8", "pcm_s8_planar", "pcm_s16le", "pcm_s16be", "pcm_u16le", "pcm_u16be",
      "pcm_s16le_planar", "pcm_s16be_planar", "pcm_s24le", "pcm_s24be", "pcm_u24le", "pcm_u24be",
      "pcm_s24le_planar", "pcm_s24daud", "pcm_f32le", "pcm_f32be", "pcm_f16le", "pcm_f24le":
      switch container {
      case "aiff": return .aiff
      case "caf": return .caf
      default: return .wav
      }
    default: return nil
    }
  }
}

extension OutputCapabilities {
  static let mp3 = OutputCapabilities(
    name: "MP3", codecName: "MP3", extensions: ["mp3"], sampleRates: .only(MP3Settings.sampleRates),
    layouts: [.mono, .stereo], heldTags: nil, holdsCover: true, chapterBounds: .id3,
    holdsChapterLinks: true, hasID3: true, holdsNoSound: false)

  static let wav = OutputCapabilities(
    name: "WAV", codecName: "WAV", extensions: ["wav", "wave"], sampleRates: .upTo(.pcmLimit),
    sampleFormats: [.int16, .int24, .float32, .uint8, .muLaw, .aLaw], layouts: nil,
    heldTags: riffTags, holdsCover: false, holdsNoSound: true)

  static let aiff = OutputCapabilities(
    name: "AIFF", codecName: "AIFF", extensions: ["aiff", "aif", "aifc"],
    sampleRates: .upTo(.pcmLimit), sampleFormats: [.int16, .int24, .float32], layouts: nil,
    heldTags: nil, holdsCover: true, chapterBounds: .id3, holdsChapterLinks: true, hasID3: true,
    holdsNoSound: false)

  static let caf = OutputCapabilities(
    name: "CAF", codecName: "CAF", extensions: ["caf"], sampleRates: .upTo(.pcmLimit),
    sampleFormats: [.int16, .int24, .float32], layouts: nil, heldTags: nil, holdsCover: false,
    holdsNoSound: true)

  /// A frame header holds all rates that fit into 16 bits, and tens of ten times as many (RFC 9639
  /// §9.1.2); FFmpeg's encoder ends before the last of either (`flac_encode_init`).
  static let flac = OutputCapabilities(
    name: "FLAC", codecName: "FLAC", extensions: ["flac"],
    sampleRates: .upTo(65_534, tensUpTo: 655_340),
    layouts: nil, heldTags: nil, holdsCover: true, chapterBounds: .vorbisComments,
    holdsNoSound: true)

  /// Layouts: `ff_alac_ch_layouts` in libavcodec's alac_data.c.
  static let alac = OutputCapabilities(
    name: "M4A", codecName: "ALAC", extensions: mp4Extensions, sampleRates: .upTo(384_000),
    layouts: [
      .mono, .stereo, .surround50, .surround51, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x107), ChannelLayout(mask: 0x13F), ChannelLayout(mask: 0xFF),
    ],
    heldTags: nil, holdsCover: true, chapterBounds: .mp4, holdsNoSound: false)

  /// Rates: ISO 14496-3, table 1.18. Layouts: `aac_normal_chan_layouts` in libavcodec's aacenc.h,
  /// and quad, for which it writes a program config element.
  static let aac = OutputCapabilities(
    name: "M4A", codecName: "AAC", extensions: mp4Extensions,
    sampleRates: .only([
      7350, 8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200,
      96_000,
    ]),
    layouts: [
      .mono, .stereo, .quad, .surround50, .surround51, .surround71, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x107),
    ],
    heldTags: nil, holdsCover: true, chapterBounds: .mp4, holdsNoSound: false)

  /// Rates: libvorbis's last template (`setup_XX.h`). Layouts: Vorbis I, section 4.3.9.
  static let vorbis = OutputCapabilities(
    name: "Ogg", codecName: "Vorbis", extensions: ["ogg", "oga"], sampleRates: .upTo(200_000),
    layouts: [
      .mono, .stereo, .quad, .surround50, .surround51, .surround71, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x70F),
    ],
    heldTags: nil, holdsCover: true, chapterBounds: .vorbisComments, holdsNoSound: false)

  /// Opus is 48 kHz inside (RFC 7845 §5.1). Layouts: its section 5.1.1.2, without 5.0, whose
  /// channels FFmpeg 5.1's libopus encoder puts into each other's places.
  static let opus = OutputCapabilities(
    name: "Opus", codecName: "Opus", extensions: ["opus", "ogg", "oga"],
    sampleRates: .only([48_000]),
    layouts: [
      .mono, .stereo, .quad, .surround51, .surround71, ChannelLayout(mask: 0x7),
      ChannelLayout(mask: 0x70F),
    ],
    heldTags: nil, holdsCover: true, chapterBounds: .vorbisComments, holdsNoSound: false)

  private static let mp4Extensions = ["m4a", "m4b"]

  private static let riffTags = Set(TagNames.rows.filter(\.isInRIFF).map(\.key))
}

extension Int {
  /// The highest sample rate of PCM: as high as job files go.
  fileprivate static let pcmLimit = 768_000
}

extension OutputCapabilities.SampleRates {
  /// Whether the format has `rate`.
  public func contains(_ rate: Int) -> Bool {
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
  public func nearest(to rate: Int) -> Int {
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
