import MediaTime

/// How something sounds over its own time: gain, volume, fades, pan and polarity.
///
/// The counterpart of `AVAudioMixInputParameters`. Times count from the start of what the mix is
/// attached to (a segment, a track, an export).
public struct AudioMix: Sendable, Hashable {
  /// Over the whole time.
  public var gain: Gain
  /// The automation that `setVolume` and `setVolumeRamp` write.
  public var volume: VolumeEnvelope
  /// Multiplied with the volume and with one another: each fade and cross-fade keeps its own.
  public var envelopes: [VolumeEnvelope]
  /// Between left and right. Without effect where the mix is mono.
  public var pan: PanEnvelope
  /// Whether every sample changes its sign.
  public var invertsPolarity: Bool

  /// A mix of these; what is left out changes nothing.
  public init(
    gain: Gain = .unity, volume: VolumeEnvelope = .unity, envelopes: [VolumeEnvelope] = [],
    pan: PanEnvelope = .centre, invertsPolarity: Bool = false
  ) {
    self.gain = gain
    self.volume = volume
    self.envelopes = envelopes
    self.pan = pan
    self.invertsPolarity = invertsPolarity
  }

  /// As it came.
  public static let unity = AudioMix()
  /// Whether it changes nothing.
  public var isUnity: Bool { self == .unity }
}

extension AudioMix {
  /// Sets the volume from `time` on, until the next time for which one is set
  /// (`AVMutableAudioMixInputParameters.setVolume(_:at:)`). Before the first, it is 1.
  ///
  /// - Throws: `EditError.overlappingRamps` where `time` lies inside a ramp.
  /// - Complexity: O(ramps)
  public mutating func setVolume(_ volume: Gain, at time: Time) throws(EditError) {
    try self.volume.insert(
      VolumeRamp(from: volume, to: volume, over: TimeRange(start: time, duration: .zero)))
  }

  /// Moves the volume over `timeRange`, after which `endVolume` holds
  /// (`setVolumeRamp(fromStartVolume:toEndVolume:timeRange:)`).
  ///
  /// - Throws: `EditError.invalidTime` where the range is not a numeric one, and
  ///   `EditError.overlappingRamps` where it overlaps another ramp.
  /// - Complexity: O(ramps)
  public mutating func setVolumeRamp(
    fromStartVolume startVolume: Gain, toEndVolume endVolume: Gain, timeRange: TimeRange,
    curve: VolumeCurve = .linear
  ) throws(EditError) {
    try volume.insert(VolumeRamp(from: startVolume, to: endVolume, over: timeRange, curve: curve))
  }

  /// The same mix with its zero moved later by `delay`. O(ramps).
  public func delayed(by delay: Time) -> AudioMix {
    guard delay != .zero else { return self }
    return mapTimes { TimeRange(start: $0.start + delay, duration: $0.duration) }
  }

  /// The same mix played slower or faster: a moment of `source` is then one of `target`. O(ramps).
  func mapped(from source: TimeRange, to target: TimeRange) -> AudioMix {
    mapTimes { range in
      TimeRange(start: source.map(range.start, to: target), end: source.map(range.end, to: target))
    }
  }

  private func mapTimes(_ map: (TimeRange) -> TimeRange) -> AudioMix {
    var copy = self
    copy.volume.mapTimes(map)
    for index in copy.envelopes.indices { copy.envelopes[index].mapTimes(map) }
    copy.pan.mapTimes(map)
    return copy
  }
}

/// A volume over time: ramps in order of time that do not overlap.
///
/// Before the first ramp `initial` holds; after a ramp its end volume holds until the next. A ramp
/// of no duration is a step.
public struct VolumeEnvelope: Sendable, Hashable {
  /// Before the first ramp.
  public var initial: Gain
  /// In order of time.
  public var ramps: [VolumeRamp]

  /// An envelope of `ramps`, before which the volume is `initial`, or where that is nil the one
  /// that the first ramp starts with.
  public init(_ ramps: [VolumeRamp], initial: Gain? = nil) {
    self.ramps = ramps
    self.initial = initial ?? ramps.first?.startVolume ?? .unity
  }

  /// No change at any time.
  public static let unity = VolumeEnvelope([])

  fileprivate mutating func insert(_ ramp: VolumeRamp) throws(EditError) {
    guard ramp.timeRange.isValid, ramp.timeRange.end.isNumeric else {
      throw .invalidTime(ramp.timeRange.start)
    }
    // A step at the place of another step takes its place.
    ramps.removeAll { $0.timeRange == ramp.timeRange }
    for other in ramps
    where other.timeRange.start < ramp.timeRange.end && ramp.timeRange.start < other.timeRange.end {
      throw .overlappingRamps(other.timeRange, ramp.timeRange)
    }
    let index =
      ramps.firstIndex { $0.timeRange.start >= ramp.timeRange.end } ?? ramps.count
    ramps.insert(ramp, at: index)
  }

  fileprivate mutating func mapTimes(_ map: (TimeRange) -> TimeRange) {
    for index in ramps.indices { ramps[index].timeRange = map(ramps[index].timeRange) }
  }
}

/// The path between two volumes.
public enum VolumeCurve: String, Sendable, Hashable, CaseIterable {
  /// Straight in amplitude, as AVFoundation's ramps are.
  case linear
  /// A quarter of a sine: two such ramps that cross keep the power of unrelated sounds.
  case equalPower = "equal_power"
  /// Straight in decibels, where silence counts as −100 dB.
  case exponential
}

/// One move from a volume to another (`setVolumeRamp(fromStartVolume:toEndVolume:timeRange:)`).
public struct VolumeRamp: Sendable, Hashable {
  /// At the start of the range.
  public var startVolume: Gain
  /// From the end of the range on.
  public var endVolume: Gain
  /// In the time of what the mix is attached to.
  public var timeRange: TimeRange
  /// The path from one to the other.
  public var curve: VolumeCurve

  /// A ramp from one volume to another.
  public init(
    from startVolume: Gain, to endVolume: Gain, over timeRange: TimeRange,
    curve: VolumeCurve = .linear
  ) {
    self.startVolume = startVolume
    self.endVolume = endVolume
    self.timeRange = timeRange
    self.curve = curve
  }
}
