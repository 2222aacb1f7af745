import Diagnosis
import MediaTime

/// Tracks that sound together, each a sequence of segments in exact rational time.
///
/// The counterpart of `AVMutableComposition`; like it, a composition is an asset: a segment may
/// hold another composition, which keeps its own time.
public struct Composition: Sendable, Hashable, Codable {
  /// All of them sound together.
  public var tracks: [Track]
  /// A composition of `tracks`.
  public init(tracks: [Track] = []) { self.tracks = tracks }

  /// 10,000 hours: longer than any recording, and short enough that frames can be counted at any
  /// rate.
  public static let longestDuration = Time(value: 36_000_000, timescale: 1)

  /// The end of the track that ends last.
  public var duration: Time { tracks.map(\.end).max() ?? .zero }
}

/// A sequence of segments (`AVMutableCompositionTrack`).
public struct Track: Sendable, Hashable, Codable {
  /// A name that users gave it.
  public var name: String?
  /// In order of target time; they do not overlap.
  public var segments: [Segment]
  /// Whether the track sounds at all. One that does not keeps its duration.
  public var isEnabled: Bool
  /// Over the track's segments, in the time of the composition.
  public var mix: AudioMix
  /// A gain under the mix (`AVMutableCompositionTrack.preferredVolume`).
  public var preferredVolume: Gain
  /// Lowers the track while others sound, after its mix; nil: it keeps its level.
  public var ducking: AudioDucking?
  /// How segments are stretched whose target lasts longer or shorter than their source
  /// (`AVMutableAudioMixInputParameters.audioTimePitchAlgorithm`).
  public var timePitchAlgorithm: TimePitchAlgorithm
  /// Where it was written.
  public var origin: Origin

  /// A track of `segments`.
  public init(
    name: String? = nil, segments: [Segment] = [], isEnabled: Bool = true, mix: AudioMix = .unity,
    preferredVolume: Gain = .unity, ducking: AudioDucking? = nil,
    timePitchAlgorithm: TimePitchAlgorithm = .spectral, origin: Origin = .unknown
  ) {
    self.name = name
    self.segments = segments
    self.isEnabled = isEnabled
    self.mix = mix
    self.preferredVolume = preferredVolume
    self.ducking = ducking
    self.timePitchAlgorithm = timePitchAlgorithm
    self.origin = origin
  }

  /// The end of the last segment.
  public var end: Time { segments.last?.target.end ?? .zero }
}
