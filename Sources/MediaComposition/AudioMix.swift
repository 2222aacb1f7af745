import MediaTime

/// How loud something is over its own time: a constant gain times any number of envelopes.
///
/// The counterpart of `AVAudioMixInputParameters`. Times count from the start of what the mix is
/// attached to (a segment, a track).
public struct AudioMix: Sendable, Hashable {
  public var gain: Gain
  /// Multiplied with one another: a volume curve, a fade, a crossfade each keep their own.
  public var envelopes: [VolumeEnvelope]

  public init(gain: Gain = .unity, envelopes: [VolumeEnvelope] = []) {
    self.gain = gain
    self.envelopes = envelopes
  }

  public static let unity = AudioMix()
  public var isUnity: Bool { self == .unity }
}

/// A volume over time: ramps in order of time that do not overlap.
///
/// Before the first ramp its start volume holds; after a ramp its end volume holds until the next.
public struct VolumeEnvelope: Sendable, Hashable {
  public var ramps: [VolumeRamp]
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

  public var startVolume: Gain
  public var endVolume: Gain
  public var timeRange: TimeRange
  public var curve: Curve

  public init(
    from startVolume: Gain, to endVolume: Gain, over timeRange: TimeRange, curve: Curve = .linear
  ) {
    self.startVolume = startVolume
    self.endVolume = endVolume
    self.timeRange = timeRange
    self.curve = curve
  }
}
