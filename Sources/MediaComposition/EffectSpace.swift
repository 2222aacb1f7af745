import MediaTime

extension Effect {
  /// Echoes: the sound again after a time, and again, softer each time.
  public struct Delay: EffectSettings {
    /// From the sound to its first echo, and from each echo to the next.
    public var time = Time(value: 350, timescale: 1000)
    /// The part of an echo that is in the next one, 0 … 0.95.
    public var feedback = 0.3
    /// The part of the echoes, 0 … 1; the rest is the sound itself.
    public var mix = 0.25
    /// How much longer than its content an item of a job is made; segments are as long as they are.
    package var tail = Time.zero

    /// The usual settings.
    package init() {}

    /// Echoes after `time`.
    public init(time: Time) { self.time = time }

    /// In the order of documentation.
    package static let parameters: [EffectParameter<Self>] = [
      EffectParameter("time", \.time, 1...10_000, "from the sound to its echo"),
      EffectParameter(
        "feedback", \.feedback, .percent, 0...0.95, "the part of an echo that is in the next one"),
      EffectParameter("mix", \.mix, .percent, 0...1, "the part of the echoes"),
      EffectParameter("tail", \.tail, 0...60_000, "how much longer the item is"),
    ]
  }

  /// The sound as in the room in which an impulse response was recorded, by convolution (`afir`).
  public struct Reverb: Sendable, Hashable, Codable {
    /// The impulse response, at most 60 s long. It is brought to the rate and the channels of the
    /// mix, and to an energy of 1 in its loudest channel: noise keeps its level.
    package var impulse: Asset
    /// The settings.
    package var settings: Settings

    /// A reverberation with `impulse`.
    public init(impulse: Asset, settings: Settings = Settings()) {
      self.impulse = impulse
      self.settings = settings
    }

    /// The longest impulse response, in seconds.
    package static let longestImpulse: Int64 = 60

    /// The settings of a reverberation.
    public struct Settings: EffectSettings {
      /// The part of the reverberation, 0 … 1; the rest is the sound itself.
      public var mix = 0.25
      /// Of the reverberation, in dB.
      package var gain = 0.0
      /// How much longer than its content an item of a job is made; segments are as long as they
      /// are.
      package var tail = Time.zero

      /// The usual settings.
      public init() {}

      /// In the order of documentation.
      package static let parameters: [EffectParameter<Self>] = [
        EffectParameter("mix", \.mix, .percent, 0...1, "the part of the reverberation"),
        EffectParameter("gain", \.gain, .decibels, -60...24, "the gain of the reverberation"),
        EffectParameter("tail", \.tail, 0...60_000, "how much longer the item is"),
      ]
    }
  }

  /// How much longer an item of a job is made, so that the effect rings out.
  package var tail: Time {
    switch self {
    case .delay(let settings): settings.tail
    case .reverb(let reverb): reverb.settings.tail
    case .custom(let effect): effect.tail
    default: .zero
    }
  }
}
