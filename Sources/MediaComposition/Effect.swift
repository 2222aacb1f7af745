import MediaTime

/// A change of a sound that keeps its length and its place.
///
/// What rings on after the end is cut: put silence behind the sound to keep it.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum Effect: Sendable, Hashable, Codable {
  /// Attenuates what is below `frequency` hertz, 12 dB an octave (`highpass`).
  case highpass(frequency: Double)
  /// Attenuates what is above `frequency` hertz, 12 dB an octave (`lowpass`).
  case lowpass(frequency: Double)
  /// Bands in a row, at most 32.
  case equalizer([Band])
  /// Lowers what is loud.
  case compressor(Compressor)
  /// Lowers what is quiet.
  case gate(Gate)
  /// Lowers high frequencies while they are strong.
  case deesser(Deesser)
  /// Removes a hum and its harmonics.
  case dehum(Dehum)
  /// Reduces steady noise.
  case denoise(Denoise)
  /// Removes clicks.
  case declick(Declick)
  /// Repeats the sound.
  case delay(Delay)
  /// Puts the sound in a room.
  case reverb(Reverb)
  /// Filters of libavfilter in a row.
  case filter(FilterDescription)
  /// Brings voices to one loudness.
  case leveler(Leveler)
  /// Keeps peaks under a ceiling.
  case limiter(Limiter)
  /// Code of the program: `processor(_:)` and `tap(_:_:)` make it. Job files have none.
  case custom(CustomEffect)

  /// Reduces steady noise by `reduction` decibels.
  public static func denoise(reduction: Double) -> Effect {
    .denoise(Denoise(reduction: reduction))
  }

  /// The most bands of an equalizer.
  package static let bandLimit = 32

  /// Whether it changes nothing: every sample stays as it is.
  package var isNeutral: Bool {
    switch self {
    case .highpass, .lowpass, .dehum, .declick, .filter, .limiter, .custom: false
    case .equalizer(let bands): bands.allSatisfy { $0.gain == 0 }
    case .compressor(let settings):
      settings.mix == 0 || settings.ratio == 1 && settings.makeup == 0
    case .gate(let settings): settings.range == 0 || settings.ratio == 1
    case .deesser(let settings): settings.intensity == 0 || settings.reduction == 0
    case .delay(let settings): settings.mix == 0
    case .reverb(let reverb): reverb.settings.mix == 0
    case .denoise(let settings): settings.reduction == 0
    case .leveler(let settings): settings.range == 0
    }
  }

  /// The first setting that no rate makes possible, in words; nil where all are fine.
  package var problem: String? {
    switch self {
    case .highpass, .lowpass, .filter: nil
    case .equalizer(let bands):
      bands.count > Self.bandLimit
        ? "has \(bands.count) bands; \(Self.bandLimit) are the most"
        : bands.lazy.compactMap(\.problem).first
    case .compressor(let settings): settings.problem
    case .gate(let settings): settings.problem
    case .deesser(let settings): settings.problem
    case .dehum(let settings): settings.problem
    case .denoise(let settings): settings.problem
    case .declick(let settings): settings.problem
    case .delay(let settings): settings.problem
    case .reverb(let reverb):
      reverb.impulse.duration > Time(value: Reverb.longestImpulse, timescale: 1)
        ? "the impulse response lasts \(reverb.impulse.duration.readableText); "
          + "\(Reverb.longestImpulse) s are the most"
        : reverb.settings.problem
    case .leveler(let settings): settings.problem
    case .limiter(let settings): settings.problem
    case .custom(let effect): effect.problem
    }
  }
}

extension Effect: CustomStringConvertible {
  /// For example `highpass 80 Hz` or `compressor (threshold -20 dB, ratio 3, …)`, with every setting.
  public var description: String {
    switch self {
    case .highpass(let frequency): "highpass \(EffectUnit.hertz.text(frequency))"
    case .lowpass(let frequency): "lowpass \(EffectUnit.hertz.text(frequency))"
    case .equalizer(let bands): "eq (\(bands.text))"
    case .compressor(let settings): "compressor (\(settings.settingsText))"
    case .gate(let settings): "gate (\(settings.settingsText))"
    case .deesser(let settings): "deesser (\(settings.settingsText))"
    case .dehum(let settings): "dehum (\(settings.settingsText))"
    case .denoise(let settings):
      settings == Denoise(reduction: settings.reduction)
        ? "denoise \(EffectUnit.decibels.text(settings.reduction))"
        : "denoise (\(settings.settingsText))"
    case .declick(let settings): "declick (\(settings.settingsText))"
    case .delay(let settings): "delay (\(settings.settingsText))"
    case .reverb(let reverb):
      "reverb (impulse \(reverb.impulse.location), \(reverb.settings.settingsText))"
    case .filter(let description): "filter \"\(description)\""
    case .leveler(let settings): "leveler (\(settings.settingsText))"
    case .limiter(let settings): "limiter (\(settings.settingsText))"
    case .custom(let effect): effect.description
    }
  }
}
