import Diagnosis

/// A level that a sound is brought to by one gain and, where its ceiling asks for it, a true-peak
/// limiter.
public struct LoudnessTarget: Sendable, Hashable, Codable {
  /// What the gain brings to a figure.
  public enum Level: Sendable, Hashable, Codable {
    /// Integrated loudness, LUFS.
    case integrated(Double)
    /// Mean power of all channels, dB.
    case rms(Double)
    /// The largest sample, dBFS.
    case samplePeak(Double)
  }

  /// The target.
  public var level: Level
  /// The ceiling of peaks between samples, dBTP; nil: none, and nothing is limited.
  public var truePeak: Double?
  /// Whether a mono sound is measured as it sounds from two loudspeakers, 3.01 LU louder.
  public var isDualMono: Bool
  /// The delivery specification that asks for it, by its name in job files.
  public var specification: String?
  /// Sounds of one group get the same gain, by which all of them together have the level.
  public var group: String?
  /// Where it was written.
  public var origin: Origin

  /// A target of these.
  public init(
    _ level: Level, truePeak: Double? = nil, isDualMono: Bool = false,
    specification: String? = nil, group: String? = nil, origin: Origin = .unknown
  ) {
    self.level = level
    self.truePeak = truePeak
    self.isDualMono = isDualMono
    self.specification = specification
    self.group = group
    self.origin = origin
  }
}
