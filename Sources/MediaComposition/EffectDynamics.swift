import MediaTime

extension Effect {
  /// A compressor's settings (`acompressor`): above the threshold, the level rises by one part in
  /// `ratio`. The level is the mean square of the loudest channel, and all channels have one gain.
  public struct Compressor: EffectSettings {
    /// In dB of full scale.
    public var threshold = -20.0
    /// Decibels of input to one of output, above the threshold.
    public var ratio = 3.0
    /// How fast the gain falls.
    public var attack = Time(value: 10, timescale: 1000)
    /// How fast it rises again.
    public var release = Time(value: 100, timescale: 1000)
    /// The width of the bend around the threshold, in dB.
    package var knee = 6.0
    /// A gain behind it, in dB.
    public var makeup = 0.0
    /// The part of the compressed sound, 0 … 1; the rest is the sound before.
    package var mix = 1.0

    /// The usual settings.
    package init() {}

    /// A compressor of these and the usual settings.
    public init(threshold: Double, ratio: Double) {
      (self.threshold, self.ratio) = (threshold, ratio)
    }

    /// In the order of documentation; the ranges are those of the filter.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter(
        "threshold", \.threshold, .decibels, -60...0, "the level above which it compresses"),
      EffectParameter("ratio", \.ratio, .number, 1...20, "dB of input for one dB of output"),
      EffectParameter("attack", \.attack, 0.01...2000, "how fast the gain falls"),
      EffectParameter("release", \.release, 0.01...9000, "how fast it rises again"),
      EffectParameter("knee", \.knee, .decibels, 0...18, "the width of the bend at the threshold"),
      EffectParameter("makeup", \.makeup, .decibels, 0...36, "a gain behind it; none of its own"),
      EffectParameter("mix", \.mix, .percent, 0...1, "the part of the compressed sound"),
    ]
  }

  /// A gate's settings (`agate`): below the threshold the sound is lowered, by `ratio` for each
  /// decibel, and by `range` at most. The level is that of a `Compressor`.
  public struct Gate: EffectSettings {
    /// In dB of full scale.
    package var threshold = -50.0
    /// The most that it lowers the sound, in dB.
    package var range = 24.0
    /// Decibels of output for one of input, below the threshold.
    package var ratio = 4.0
    /// How fast it opens.
    package var attack = Time(value: 5, timescale: 1000)
    /// How fast it closes.
    package var release = Time(value: 200, timescale: 1000)
    /// The width of the bend around the threshold, in dB.
    package var knee = 6.0

    /// The usual settings.
    package init() {}

    /// A gate of these and the usual settings.
    public init(threshold: Double, range: Double) {
      (self.threshold, self.range) = (threshold, range)
    }

    /// In the order of documentation; the ranges are those of the filter.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter(
        "threshold", \.threshold, .decibels, -120...0, "the level below which it closes"),
      EffectParameter("range", \.range, .decibels, 0...120, "the most that it lowers the sound"),
      EffectParameter("ratio", \.ratio, .number, 1...9000, "dB of output for one dB of input"),
      EffectParameter("attack", \.attack, 0.01...9000, "how fast it opens"),
      EffectParameter("release", \.release, 0.01...9000, "how fast it closes"),
      EffectParameter("knee", \.knee, .decibels, 0...18, "the width of the bend at the threshold"),
    ]
  }

  /// A deesser's settings (`deesser`): it lowers high frequencies while they are strong.
  public struct Deesser: EffectSettings {
    /// How easily it acts, 0 … 1.
    package var intensity = 0.5
    /// The most that it lowers them, in dB.
    package var reduction = 12.0

    /// The usual settings.
    public init() {}

    /// A deesser of these settings.
    package init(intensity: Double, reduction: Double) {
      (self.intensity, self.reduction) = (intensity, reduction)
    }

    /// In the order of documentation; the ranges are those of the filter.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter("intensity", \.intensity, .percent, 0...1, "how easily it acts"),
      EffectParameter(
        "reduction", \.reduction, .decibels, 0...48, "the most that it lowers high frequencies"),
    ]
  }
}
