/// What a file without a header holds, which it does not say itself.
public struct RawSound: Sendable, Hashable, Codable {
  /// How its samples are stored; not as G.722 and GSM, which have readers of their own.
  package var samples: Output.SampleFormat
  /// Frames a second.
  package var sampleRate: Int
  /// Channels, one sample of each after the other.
  package var channelCount: Int
  /// Whether each sample's highest byte comes first.
  public var isBigEndian = false
  /// Bytes before the first sample, which are not read: 0 or more. Such as a header that no reader knows.
  public var headerSize: Int64 = 0

  /// A sound whose samples have their lowest byte first unless it `isBigEndian`, behind `headerSize` bytes
  /// of something else.
  public init(
    _ samples: Output.SampleFormat, sampleRate: Int, channelCount: Int = 1,
    isBigEndian: Bool = false, headerSize: Int64 = 0
  ) {
    self.samples = samples
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.isBigEndian = isBigEndian
    self.headerSize = headerSize
  }

  /// Bytes of one sample of all channels.
  package var frameSize: Int { samples.byteCount * channelCount }

  /// What stands for a container's name where there is none.
  package static let container = "raw"
}

extension RawSound {
  /// By extension, what telephone systems store under it (`formats/format_pcm.c`, `format_sln.c` and
  /// `format_g722.c` of Asterisk): always one channel.
  private static let telephone: [String: RawSound] = {
    var all: [String: RawSound] = ["g722": RawSound(.g722, sampleRate: 16_000)]
    for name in ["ulaw", "ul", "mu", "ulw"] { all[name] = RawSound(.muLaw, sampleRate: 8000) }
    for name in ["alaw", "al", "alw"] { all[name] = RawSound(.aLaw, sampleRate: 8000) }
    all["gsm"] = RawSound(.gsm, sampleRate: 8000)
    all["sln"] = RawSound(.int16, sampleRate: 8000)
    for thousands in [12, 16, 24, 32, 48, 96, 192] {
      all["sln\(thousands)"] = RawSound(.int16, sampleRate: thousands * 1000)
    }
    all["sln44"] = RawSound(.int16, sampleRate: 44_100)
    return all
  }()

  /// By extension, what they store in WAV.
  private static let telephoneWAV: [String: RawSound] = [
    "wav16": RawSound(.int16, sampleRate: 16_000), "wav49": RawSound(.gsm, sampleRate: 8000),
  ]

  /// What telephone systems expect in a file whose name ends so, in any case; nil for other endings.
  package static func ofTelephone(_ fileExtension: String?) -> RawSound? {
    guard let name = fileExtension?.lowercased() else { return nil }
    return telephone[name] ?? telephoneWAV[name]
  }

  /// What a headerless file holds by its name; nil where the name does not tell, or a reader of
  /// FFmpeg's knows it.
  package static func named(_ fileExtension: String?) -> RawSound? {
    guard let found = fileExtension.flatMap({ telephone[$0.lowercased()] }) else { return nil }
    return found.samples == .g722 || found.samples == .gsm ? nil : found
  }

  /// Of headerless files whose name does not say what they hold.
  package static let unnamed = ["raw", "pcm"]

  /// Of headerless files.
  package static let extensions = unnamed + telephone.keys.sorted()

  /// Of WAVs for telephone systems.
  package static let waveExtensions = telephoneWAV.keys.sorted()
}

extension Output {
  /// What telephone systems expect of it by its name, or the sound that its codec has; nil where neither
  /// says anything.
  package var telephone: RawSound? {
    if let named = RawSound.ofTelephone(path.extension) { return named }
    guard case .samples(let samples)? = format?.setting,
      case .rate(let rate)? = samples.telephoneSound
    else { return nil }
    return RawSound(samples, sampleRate: rate)
  }
}
