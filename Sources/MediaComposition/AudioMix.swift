import MediaTime

/// How loud something is over its own time: a constant gain times any number of envelopes.
///
/// The counterpart of `AVAudioMixInputParameters`. Times count from the start of what the mix is
/// attached to (a segment, a track).
public struct AudioMix: Sendable, Hashable {
  /// Over the whole time.
  public var gain: Gain
  /// Multiplied with one another: a volume curve, a fade, a crossfade each keep their own.
  public var envelopes: [VolumeEnvelope]

  /// A mix of a gain and envelopes.
  public init(gain: Gain = .unity, envelopes: [VolumeEnvelope] = []) {
    self.gain = gain
    self.envelopes = envelopes
  }

  /// As it came.
  public static let unity = AudioMix()
  /// Whether it changes nothing.
  public var isUnity: Bool { self == .unity }
}

/// A volume over time: ramps in order of time that do not overlap.
///
/// Before the first ramp its start volume holds; after a ramp its end volume holds until the next.
public struct VolumeEnvelope: Sendable, Hashable {
  /// In order of time.
  public var ramps: [VolumeRamp]
  /// An envelope of `ramps`.
  public init(_ ramps: [VolumeRamp]) { self.ramps = ramps }
}

/// One move from a volume to another (`setVolumeRamp(fromStartVolume:toEndVolume:timeRange:)`).
public struct VolumeRamp: Sendable, Hashable {
  /// The path between the two volumes.
  public enum Curve: String, Sendable, Hashable, CaseIterable {
    /// Straight in amplitude, as AVFoundation's ramps are.
    case linear
    /// A quarter of a sine: two such ramps that cross keep the power of unrelated sounds.
    case equalPower = "equal_power"
  }

  /// At the start of the range.
  public var startVolume: Gain
  /// From the end of the range on.
  public var endVolume: Gain
  /// In the time of what the mix is attached to.
  public var timeRange: TimeRange
  /// The path from one to the other.
  public var curve: Curve

  /// A ramp from one volume to another.
  public init(
    from startVolume: Gain, to endVolume: Gain, over timeRange: TimeRange, curve: Curve = .linear
  ) {
    self.startVolume = startVolume
    self.endVolume = endVolume
    self.timeRange = timeRange
    self.curve = curve
  }
}
