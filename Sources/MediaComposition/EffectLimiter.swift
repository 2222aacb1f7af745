import MediaTime

extension Effect {
  /// A limiter's settings: no peak is above the ceiling, also none between samples.
  public struct Limiter: EffectSettings {
    /// In dBTP.
    public var ceiling = -1.0
    /// The time in which the gain rises by 6 dB behind a peak.
    public var release = Time(value: 100, timescale: 1000)

    /// The usual settings.
    package init() {}

    /// A limiter with this ceiling and the usual release.
    public init(ceiling: Double) { self.ceiling = ceiling }

    /// In the order of documentation.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter("ceiling", \.ceiling, .truePeak, -60...0, "no peak is above it"),
      EffectParameter(
        "release", \.release, 10...10_000, "the time in which the gain rises again by 6 dB"),
    ]
  }

  /// A leveler's settings: voices come nearer to a loudness.
  public struct Leveler: EffectSettings {
    /// In LUFS.
    package var target = -23.0
    /// The most that a voice is raised or lowered, in dB.
    package var range = 12.0

    /// The usual settings.
    package init() {}

    /// A leveler to this loudness with the usual range.
    public init(target: Double) { self.target = target }

    /// In the order of documentation.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter("target", \.target, .loudness, -60...0, "the loudness of voices"),
      EffectParameter(
        "range", \.range, .decibels, 0...40, "the most that a voice is raised or lowered"),
    ]
  }
}
