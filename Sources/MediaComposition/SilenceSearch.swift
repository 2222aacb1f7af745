import MediaTime

/// A search for silence in a sound: the sound, and what counts as silent.
///
/// The sound is measured in steps of 10 ms that count from its start. The level of a step is the RMS
/// of its samples in its loudest channel.
public struct SilenceSearch: Sendable, Hashable, Codable {
  /// What sounds.
  public var composition: Composition
  /// Over the whole of it.
  public var mix: AudioMix
  /// A step is silent if its level is lower.
  public var threshold: Gain
  /// The least length of a silence; nil: the silences at both ends are sought, of any length.
  public var least: Time?

  /// How long a step is.
  public static let step = Time(value: 1, timescale: 100)

  /// A search in `composition`.
  public init(
    in composition: Composition, mix: AudioMix = .unity, below threshold: Gain,
    lasting least: Time? = nil
  ) {
    self.composition = composition
    self.mix = mix
    self.threshold = threshold
    self.least = least
  }
}

/// What a search for silence has found.
public struct SilenceFindings: Sendable, Hashable, Codable {
  /// In order, from step to step; one at the end of the sound ends with it.
  public var silences: [TimeRange]
  /// The level of the loudest step where all of the sound is silent.
  public var loudest: Gain

  /// Silences, and the level of the loudest step.
  public init(_ silences: [TimeRange], loudest: Gain = .silence) {
    self.silences = silences
    self.loudest = loudest
  }

  /// What is between the silences at both ends of a sound of `duration`; nil where all is silent.
  public func sounding(in duration: Time) -> TimeRange? {
    var sounding = TimeRange(start: .zero, duration: duration)
    if let first = silences.first, first.start == .zero {
      sounding = TimeRange(start: first.end, end: duration)
    }
    if let last = silences.last, last.end == duration {
      sounding.duration = last.start - sounding.start
    }
    return sounding.duration > .zero ? sounding : nil
  }
}
