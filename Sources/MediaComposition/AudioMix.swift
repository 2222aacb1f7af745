import MediaTime

/// How something sounds over its own time: gain, volume, fades, pan and polarity.
///
/// The counterpart of `AVAudioMixInputParameters`. Times count from the start of what the mix is
/// attached to (a segment, a track, an export).
public struct AudioMix: Sendable, Hashable, Codable {
  /// Over the whole time.
  public var gain: Gain
  /// The automation that `setVolume` and `setVolumeRamp` write.
  package var volume: VolumeEnvelope
  /// Multiplied with the volume and with one another: each fade and cross-fade keeps its own.
  package var envelopes: [VolumeEnvelope]
  /// Between left and right. Without effect where the mix is mono.
  package var pan: PanEnvelope
  /// Whether every sample changes its sign.
  public var invertsPolarity: Bool

  /// A mix of these; what is left out changes nothing.
  package init(
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
  /// - Throws: `EditError.invalidTime` where `time` is no number, and
  ///   `EditError.overlappingRamps` where it lies inside a ramp.
  /// - Complexity: O(ramps)
  public mutating func setVolume(_ volume: Gain, at time: Time) throws(EditError) {
    try self.volume.ramps.insertInOrder(
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
    try volume.ramps.insertInOrder(
      VolumeRamp(from: startVolume, to: endVolume, over: timeRange, curve: curve))
  }

  /// Sets the place between left and right from `time` on, until the next time for which one is
  /// set. Before the first, it is what the pan begins with: by default the centre.
  ///
  /// AVFoundation's mixes have no pan over time; its players have one (`AVAudioMixing.pan`).
  ///
  /// - Throws: `EditError.invalidTime` where `time` is no number, and
  ///   `EditError.overlappingRamps` where it lies inside a ramp.
  /// - Complexity: O(ramps)
  public mutating func setPan(_ pan: Pan, at time: Time) throws(EditError) {
    try self.pan.ramps.insertInOrder(
      PanRamp(from: pan, to: pan, over: TimeRange(start: time, duration: .zero)))
  }

  /// Moves the place between left and right over `timeRange`, straight in position; `endPan` holds
  /// after it.
  ///
  /// - Throws: `EditError.invalidTime` where the range is not a numeric one, and
  ///   `EditError.overlappingRamps` where it overlaps another ramp of the pan.
  /// - Complexity: O(ramps)
  public mutating func setPanRamp(
    fromStartPan startPan: Pan, toEndPan endPan: Pan, timeRange: TimeRange
  ) throws(EditError) {
    try pan.ramps.insertInOrder(PanRamp(from: startPan, to: endPan, over: timeRange))
  }

  /// The same mix with its zero moved later by `delay`. O(ramps).
  package func delayed(by delay: Time) -> AudioMix {
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
    copy.volume.ramps.mapTimes(map)
    for index in copy.envelopes.indices { copy.envelopes[index].ramps.mapTimes(map) }
    copy.pan.ramps.mapTimes(map)
    return copy
  }
}

/// A volume over time: ramps in order of time that do not overlap.
///
/// Before the first ramp `initial` holds; after a ramp its end volume holds until the next. A ramp
/// of no duration is a step.
package struct VolumeEnvelope: Sendable, Hashable, Codable {
  /// Before the first ramp.
  package var initial: Gain
  /// In order of time.
  package var ramps: [VolumeRamp]

  /// An envelope of `ramps`, before which the volume is `initial`, or where that is nil the one
  /// that the first ramp starts with.
  package init(_ ramps: [VolumeRamp], initial: Gain? = nil) {
    self.ramps = ramps
    self.initial = initial ?? ramps.first?.startVolume ?? .unity
  }

  /// No change at any time.
  package static let unity = VolumeEnvelope([])
}

/// The path between two volumes.
public enum VolumeCurve: String, Sendable, Hashable, CaseIterable, Codable {
  /// Straight in amplitude, as AVFoundation's ramps are.
  case linear
  /// A quarter of a sine: two such ramps that cross keep the power of unrelated sounds.
  case equalPower = "equal_power"
  /// Straight in decibels, where silence counts as −100 dB.
  case exponential
}

/// One move from a volume to another (`setVolumeRamp(fromStartVolume:toEndVolume:timeRange:)`).
package struct VolumeRamp: Sendable, Hashable, Codable {
  /// At the start of the range.
  package var startVolume: Gain
  /// From the end of the range on.
  package var endVolume: Gain
  /// In the time of what the mix is attached to.
  package var timeRange: TimeRange
  /// The path from one to the other.
  package var curve: VolumeCurve
  /// What the picture beside the sound does meanwhile; nil: it stays as it is.
  package var picture: PictureTransition?

  /// A ramp from one volume to another.
  package init(
    from startVolume: Gain, to endVolume: Gain, over timeRange: TimeRange,
    curve: VolumeCurve = .linear, picture: PictureTransition? = nil
  ) {
    self.startVolume = startVolume
    self.endVolume = endVolume
    self.timeRange = timeRange
    self.curve = curve
    self.picture = picture
  }
}

/// What a picture does while the sound beside it fades: straight and over the same time, whatever the
/// curve of the sound (`AVMutableVideoCompositionLayerInstruction.setOpacityRamp`).
package enum PictureTransition: String, Sendable, Hashable, CaseIterable, Codable {
  /// It comes from black where the volume rises, and goes to black where it falls.
  case black
  /// It comes in over another picture where the volume rises, and another comes in over it where the
  /// volume falls; where there is no other, it stays as it is.
  case blend
  /// In the middle of a cross-fade the one that comes replaces the one that leaves; where there is no
  /// other, it stays as it is.
  case cut
}
