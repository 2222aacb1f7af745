import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// A move from or to silence.
public struct Fade: Sendable, Hashable {
  /// Its length.
  public var duration: TimeText
  /// The volume's curve; nil: linear for a fade, equal power for a cross-fade.
  public var curve: VolumeCurve?
  /// Whether a picture beside the sound is not faded: of a cross-fade, it is cut in the middle.
  public var cutsPicture: Bool

  /// A fade of `duration`.
  public init(_ duration: TimeText, curve: VolumeCurve? = nil, cutsPicture: Bool = false) {
    self.duration = duration
    self.curve = curve
    self.cutsPicture = cutsPicture
  }
}

/// Moments of a source that edges of its parts are moved to.
public enum Snap: String, Sendable, Hashable {
  /// The nearest moment at which a picture is first shown, the later of two that are as near.
  case frame
  /// The same of pictures with which decoding can begin.
  case keyframe
}

/// What the times of a modifier count in.
public enum Clock: Sendable, Hashable {
  /// The content of the item before its range is taken: of a clip, the file.
  case source
  /// The item: after its range for `cut`, `mute` and `chapters`, and as it sounds for `volume` and
  /// `pan`.
  case item
}

/// The modifiers that may name a clock.
public enum ClockedKey: String, Sendable, Hashable {
  case cut, mute, chapters, volume, pan
}

/// A gain, or a place between left and right, at a moment of an item.
public struct ItemPoint<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The moment.
  public var moment: Located<Moment>
  /// The gain, or the place.
  public var value: Value

  /// A point of a curve.
  public init(_ moment: Located<Moment>, _ value: Value) {
    self.moment = moment
    self.value = value
  }
}

/// How a track is lowered while others of the same mix sound.
public struct ItemDucking: Sendable, Hashable {
  /// The names of the other tracks.
  public var under: [Located<String>]
  /// Decibels, 0 … 100.
  public var depth: Double
  /// The fall before another track sounds; nil: as usual, here and below.
  public var attack: Located<TimeText>?
  /// How long the track stays down after that.
  public var hold: Located<TimeText>?
  /// The rise after that.
  public var release: Located<TimeText>?
  /// The level from which on another track sounds.
  public var threshold: Gain?

  /// A ducking by `depth` decibels.
  public init(
    under: [Located<String>], by depth: Double, attack: Located<TimeText>? = nil,
    hold: Located<TimeText>? = nil, release: Located<TimeText>? = nil, threshold: Gain? = nil
  ) {
    self.under = under
    self.depth = depth
    self.attack = attack
    self.hold = hold
    self.release = release
    self.threshold = threshold
  }
}

/// The channels of an item's content to use.
public enum ItemChannels: Sendable, Hashable {
  /// All of them, converted to a layout.
  case layout(ChannelLayout)
  /// The one at a loudspeaker position, as mono.
  case position(ChannelLayout.Channel)
  /// One alone, counted from 1 in FFmpeg's order, as mono.
  case number(Int)

  /// Whether it is one channel and not a layout of several.
  package var isPick: Bool { if case .layout = self { false } else { true } }
}

/// The removal of silence at both ends of an item.
public struct Trim: Sendable, Hashable {
  /// The level under which sound is silence, as `SilenceSearch` measures it.
  public var threshold: Gain
  /// How much of the silence stays at each end.
  public var keep: TimeText

  /// A removal of sound below `threshold`.
  public init(below threshold: Gain, keep: TimeText = .time(.zero)) {
    self.threshold = threshold
    self.keep = keep
  }
}

/// The shortening of silences between the sounds of an item.
public struct Pauses: Sendable, Hashable {
  /// The least length of a pause, at least 300 ms.
  public var longerThan: Located<TimeText>
  /// How long each is afterwards; less than `longerThan`.
  public var to: Located<TimeText>
  /// The level under which sound is silence, as `SilenceSearch` measures it.
  public var threshold: Gain
  /// Of a mix: the names of the tracks that are silent in a pause, whatever others play; empty: all are.
  public var only: [Located<String>]

  /// A shortening of pauses that last `longerThan` or more to a length.
  public init(
    longerThan: Located<TimeText>, to: Located<TimeText>, below threshold: Gain,
    only: [Located<String>] = []
  ) {
    self.longerThan = longerThan
    self.to = to
    self.threshold = threshold
    self.only = only
  }
}

/// How often an item is played.
public enum Loop: Sendable, Hashable {
  /// So many times, one after the other.
  case count(Int)
  /// To the end of the longest other track, and no further.
  case end
}

/// How fast an item plays: an exact factor, and whether pitch is kept.
public struct Speed: Sendable, Hashable {
  /// Of the factor, in lowest terms.
  public let numerator: Int64
  /// Of the factor, in lowest terms; positive.
  public let denominator: Int64
  /// How the sound is stretched.
  public var algorithm: TimePitchAlgorithm

  /// `numerator / denominator` times as fast; nil below 1/32 and above 32, the limits of
  /// `AVAudioTimePitchAlgorithm`.
  public init?(
    _ numerator: Int64, over denominator: Int64 = 1, algorithm: TimePitchAlgorithm = .spectral
  ) {
    guard numerator > 0, denominator > 0 else { return nil }
    var (a, b) = (numerator, denominator)
    while b != 0 { (a, b) = (b, a % b) }
    let (most, factor) = (Int128(denominator) * 32, Int128(numerator))
    guard factor <= most, factor * 32 >= Int128(denominator) else { return nil }
    self.numerator = numerator / a
    self.denominator = denominator / a
    self.algorithm = algorithm
  }

  /// Whether the factor is 1.
  public var isUnity: Bool { numerator == denominator }
}

/// A chapter that begins inside an item.
public struct ItemChapter: Sendable, Hashable {
  /// In the item's own time.
  public var start: Located<Moment>
  /// The title in players.
  public var title: String
  /// A page about the chapter.
  public var url: String?
  /// A JPEG or PNG picture to show meanwhile.
  public var image: MediaLocation?

  /// A chapter at `start`.
  public init(
    _ title: String, at start: Located<Moment> = Located(.start), url: String? = nil,
    image: MediaLocation? = nil
  ) {
    self.title = title
    self.start = start
    self.url = url
    self.image = image
  }
}
