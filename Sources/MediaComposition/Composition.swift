import Diagnosis
import MediaTime

/// Tracks that sound and are shown together, each a sequence of segments in exact rational time.
///
/// The counterpart of `AVMutableComposition`; like it, a composition is an asset: a segment may
/// hold another composition, which keeps its own time.
public struct Composition: Sendable, Hashable, Codable {
  /// All of them sound, or are shown, together.
  public var tracks: [Track]
  /// A composition of `tracks`.
  public init(tracks: [Track] = []) { self.tracks = tracks }

  /// 10,000 hours: longer than any recording, and short enough that frames can be counted at any
  /// rate.
  package static let longestDuration = Time(value: 36_000_000, timescale: 1)

  /// The end of the track that ends last.
  public var duration: Time { tracks.map(\.end).max() ?? .zero }

  /// The tracks of sound, or those of pictures, in order (`tracks(withMediaType:)`). O(tracks).
  public func tracks(withMediaType mediaType: Track.MediaType) -> [Track] {
    tracks.filter { $0.mediaType == mediaType }
  }

  /// The tracks of pictures, in order; none where pictures follow their sound. O(tracks).
  package var videoTracks: [Track] { tracks(withMediaType: .video) }
}

/// A sequence of segments (`AVMutableCompositionTrack`).
public struct Track: Sendable, Hashable, Codable {
  /// What a track takes of its sources (`AVMediaType`).
  public enum MediaType: String, Sendable, Hashable, CaseIterable, Codable {
    /// Their sound. In a composition without a track of pictures, the pictures of its sources are
    /// shown with it.
    case audio
    /// Their pictures, without their sound. Times of its segments are those of the sources' sound. Of
    /// mixes only `VolumeRamp.picture` counts; ducking, pitch, effects and channels change no picture,
    /// and chapters of its segments do not count.
    case video
  }

  /// A name that users gave it.
  public var name: String?
  /// Whether it is heard or seen.
  public var mediaType: MediaType
  /// In order of target time; they do not overlap.
  public var segments: [Segment]
  /// Whether the track sounds, or is shown, at all. One that does not keeps its duration.
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
  package var origin: Origin

  /// A track of `segments`.
  public init(
    name: String? = nil, mediaType: MediaType = .audio, segments: [Segment] = [],
    isEnabled: Bool = true, mix: AudioMix = .unity, preferredVolume: Gain = .unity,
    ducking: AudioDucking? = nil, timePitchAlgorithm: TimePitchAlgorithm = .spectral
  ) {
    self.init(
      name: name, mediaType: mediaType, segments: segments, isEnabled: isEnabled, mix: mix,
      preferredVolume: preferredVolume, ducking: ducking, timePitchAlgorithm: timePitchAlgorithm,
      origin: .unknown)
  }

  /// A track of `segments` that a job file has at `origin`.
  package init(
    name: String? = nil, mediaType: MediaType = .audio, segments: [Segment] = [],
    isEnabled: Bool = true, mix: AudioMix = .unity, preferredVolume: Gain = .unity,
    ducking: AudioDucking? = nil, timePitchAlgorithm: TimePitchAlgorithm = .spectral,
    origin: Origin = .unknown
  ) {
    self.name = name
    self.mediaType = mediaType
    self.segments = segments
    self.isEnabled = isEnabled
    self.mix = mix
    self.preferredVolume = preferredVolume
    self.ducking = ducking
    self.timePitchAlgorithm = timePitchAlgorithm
    self.origin = origin
  }

  /// Whether it is heard.
  package var sounds: Bool { isEnabled && mediaType == .audio }

  /// Whether it is sound of which nothing is heard.
  var isSilenced: Bool {
    mediaType == .audio && (!isEnabled || mix.gain == .silence || preferredVolume == .silence)
  }

  /// The end of the last segment.
  public var end: Time { segments.last?.target.end ?? .zero }
}
