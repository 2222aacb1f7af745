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
  package var specification: String?
  /// Sounds of one group get the same gain, by which all of them together have the level.
  package var group: String?
  /// Where it was written.
  package var origin: Origin

  /// A target of these.
  public init(_ level: Level, truePeak: Double? = nil, isDualMono: Bool = false) {
    self.init(level, truePeak: truePeak, isDualMono: isDualMono, origin: .unknown)
  }

  /// A target that a job file has at `origin`.
  package init(
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

extension LoudnessTarget.Level {
  /// LUFS, dB or dBFS.
  package var decibels: Double {
    switch self {
    case .integrated(let level), .rms(let level), .samplePeak(let level): level
    }
  }

  /// The peak that a sound of this level has at least, dBTP. Nil for loudness, which may lie above all
  /// peaks: the K-weighting raises high frequencies by 4 dB, and the powers of channels are added
  /// (BS.1770-4).
  package var leastPeak: Double? {
    switch self {
    case .integrated: nil
    case .rms(let level), .samplePeak(let level): level
    }
  }

  /// The figure of a sound that this level is compared with.
  package var figure: KeyPath<LoudnessMeasurement, Double?> {
    switch self {
    case .integrated: \.integrated
    case .rms: \.rms
    case .samplePeak: \.samplePeak
    }
  }

  /// Its value in a sound; nil for silence.
  package func value(in measurement: LoudnessMeasurement) -> Double? {
    measurement[keyPath: figure]
  }

  /// The gain in decibels that brings a measured sound to this level; nil for silence.
  package func gain(for measurement: LoudnessMeasurement) -> Double? {
    value(in: measurement).map { decibels - $0 }
  }
}

extension LoudnessTarget.Level: CustomStringConvertible {
  /// For example `−16.0 LUFS`, `−20.0 dB RMS` or `−1.0 dBFS`.
  public var description: String {
    switch self {
    case .integrated(let level): "\(level.tenths) LUFS"
    case .rms(let level): "\(level.tenths) dB RMS"
    case .samplePeak(let level): "\(level.tenths) dBFS"
    }
  }
}

extension Double {
  /// With one decimal and a minus sign (U+2212), as levels are printed.
  package var tenths: String {
    guard isFinite, magnitude < 1e6 else { return self < 0 ? "−∞" : "∞" }
    let scaled = Int((self * 10).rounded())
    return "\(scaled < 0 ? "−" : "")\(scaled.magnitude / 10).\(scaled.magnitude % 10)"
  }

  /// With two decimals and a minus sign (U+2212).
  package var hundredths: String {
    guard isFinite, magnitude < 1e6 else { return tenths }
    let scaled = Int((self * 100).rounded())
    let digits = scaled.magnitude % 100
    return "\(scaled < 0 ? "−" : "")\(scaled.magnitude / 100).\(digits < 10 ? "0" : "")\(digits)"
  }

  /// With one decimal and a sign, as gains are printed; `0.0` has no sign.
  package var signedTenths: String { (self * 10).rounded() > 0 ? "+" + tenths : tenths }
}
