import MediaTime

extension Effect {
  /// A band of an equalizer: a biquad of the Audio EQ Cookbook (R. Bristow-Johnson), computed in
  /// double.
  public struct Band: EffectSettings {
    /// What it changes.
    public enum Shape: String, Sendable, Hashable, Codable, CaseIterable {
      /// The frequencies around its own.
      case peak = "frequency"
      /// Those below.
      case lowShelf = "low_shelf"
      /// Those above.
      case highShelf = "high_shelf"
    }

    /// What it changes.
    package var shape = Shape.peak
    /// The centre of a peak, or the middle of a shelf's slope, in hertz.
    package var frequency = 1000.0
    /// In dB.
    package var gain = 0.0
    /// The quality: the higher, the narrower.
    package var q = 0.7071

    /// A band that changes nothing.
    package init() {}

    /// A band.
    public init(_ shape: Shape = .peak, frequency: Double, gain: Double, q: Double? = nil) {
      (self.shape, self.frequency, self.gain) = (shape, frequency, gain)
      self.q = q ?? self.q
    }

    /// In the order of documentation; the ranges are those of the filter.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter("frequency", \.frequency, .hertz, 1...384_000, "the centre of a peak"),
      EffectParameter("gain", \.gain, .decibels, -60...60, "the gain there"),
      EffectParameter("q", \.q, .number, 0.05...100, "the higher, the narrower"),
    ]

    fileprivate var text: String {
      let unit = EffectUnit.self
      let place = unit.hertz.text(frequency)
      let name = shape == .peak ? place : shape.rawValue.replacing("_", with: " ") + " " + place
      return "\(name) \(gain < 0 ? "" : "+")\(unit.decibels.text(gain)) q \(unit.number.text(q))"
    }
  }

  /// Notches at a hum and its harmonics.
  public struct Dehum: EffectSettings {
    /// Of the mains, in hertz.
    package var frequency = 50.0
    /// How many notches: at its frequency, and at multiples of it.
    package var harmonics = 10.0
    /// Of each notch, between its points of −3 dB, in hertz.
    package var width = 2.0

    /// The usual settings.
    package init() {}

    /// Notches at `frequency` and its harmonics.
    public init(frequency: Double) { self.frequency = frequency }

    /// In the order of documentation; the ranges are those of the filter.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter("frequency", \.frequency, .hertz, 10...1000, "of the hum: 50 Hz or 60 Hz"),
      EffectParameter(
        "harmonics", \.harmonics, .count, 1...40, "how many notches, at multiples of it"),
      EffectParameter("width", \.width, .hertz, 0.1...100, "of each notch"),
    ]
  }

  /// A reduction of steady noise (`afftdn`).
  public struct Denoise: EffectSettings {
    /// In dB.
    package var reduction = 12.0
    /// The level of the noise, in dB of full scale.
    package var floor = -50.0

    /// The usual settings, which are those of the filter.
    public init() {}

    /// A reduction by `reduction` dB.
    package init(reduction: Double) { self.reduction = reduction }

    /// In the order of documentation; the ranges are those of the filter.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter("reduction", \.reduction, .decibels, 0...97, "how far the noise is lowered"),
      EffectParameter("floor", \.floor, .decibels, -80 ... -20, "the level of the noise"),
    ]
  }

  /// The removal of clicks (`adeclick`): what an autoregressive model of the sound does not
  /// predict is interpolated.
  public struct Declick: EffectSettings {
    /// How far from the prediction a click lies; the lower, the more are found.
    package var threshold = 3.0
    /// Of the sound that is looked at together.
    package var window = Time(value: 55, timescale: 1000)
    /// The order of the model, in percent of the window.
    package var order = 0.02
    /// The most between two clicks that are removed as one, in percent of the window.
    package var burst = 0.02

    /// The usual settings: the filter's, but for the threshold. Its own of 2 changes 2 % of the
    /// samples of clean music, and this one a tenth of that.
    public init() {}

    /// In the order of documentation; the ranges are those of the filter.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter(
        "threshold", \.threshold, .number, 1...100, "the lower, the more clicks are found"),
      EffectParameter("window", \.window, 10...100, "of the sound that is looked at together"),
      EffectParameter("order", \.order, .percent, 0...0.25, "of the model, to the window"),
      EffectParameter("burst", \.burst, .percent, 0...0.1, "clicks closer than this are one"),
    ]
  }
}

extension [Effect.Band] {
  /// For example `3000 Hz +4 dB q 1.4, low shelf 120 Hz -3 dB q 0.7071`.
  var text: String { map(\.text).joined(separator: ", ") }
}
