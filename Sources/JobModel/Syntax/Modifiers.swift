import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// A move from or to silence.
package struct Fade: Sendable, Hashable {
  /// Its length.
  package var duration: TimeText
  /// The volume's curve; nil: linear for a fade, equal power for a cross-fade.
  package var curve: VolumeCurve?
  /// Whether a picture beside the sound is not faded: of a cross-fade, it is cut in the middle.
  package var cutsPicture: Bool

  /// A fade of `duration`.
  package init(_ duration: TimeText, curve: VolumeCurve? = nil, cutsPicture: Bool = false) {
    self.duration = duration
    self.curve = curve
    self.cutsPicture = cutsPicture
  }
}

/// Moments of a source that edges of its parts are moved to.
package enum Snap: String, Sendable, Hashable {
  /// The nearest moment at which a picture is first shown, the later of two that are as near.
  case frame
  /// The same of pictures with which decoding can begin.
  case keyframe
}

/// What the times of a modifier count in.
package enum Clock: Sendable, Hashable {
  /// The content of the item before its range is taken: of a clip, the file.
  case source
  /// The item: after its range for `cut`, `mute` and `chapters`, and as it sounds for `volume` and
  /// `pan`.
  case item
}

/// The modifiers that may name a clock.
package enum ClockedKey: String, Sendable, Hashable {
  case cut, mute, chapters, volume, pan
}

/// A gain, or a place between left and right, at a moment of an item.
package struct ItemPoint<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The moment.
  package var moment: Located<Moment>
  /// The gain, or the place.
  package var value: Value

  /// A point of a curve.
  package init(_ moment: Located<Moment>, _ value: Value) {
    self.moment = moment
    self.value = value
  }
}

/// How a track is lowered while others of the same mix sound.
package struct ItemDucking: Sendable, Hashable {
  /// The names of the other tracks.
  package var under: [Located<String>]
  /// Decibels, 0 … 100.
  package var depth: Double
  /// The fall before another track sounds; nil: as usual, here and below.
  package var attack: Located<TimeText>?
  /// How long the track stays down after that.
  package var hold: Located<TimeText>?
  /// The rise after that.
  package var release: Located<TimeText>?
  /// The level from which on another track sounds.
  package var threshold: Gain?

  /// A ducking by `depth` decibels.
  package init(
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
package enum ItemChannels: Sendable, Hashable {
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
package struct Trim: Sendable, Hashable {
  /// The level under which sound is silence, as `SilenceSearch` measures it.
  package var threshold: Gain
  /// How much of the silence stays at each end.
  package var keep: TimeText

  /// A removal of sound below `threshold`.
  package init(below threshold: Gain, keep: TimeText = .time(.zero)) {
    self.threshold = threshold
    self.keep = keep
  }
}

/// The shortening of silences between the sounds of an item.
package struct Pauses: Sendable, Hashable {
  /// The least length of a pause, at least 300 ms.
  package var longerThan: Located<TimeText>
  /// How long each is afterwards; less than `longerThan`.
  package var to: Located<TimeText>
  /// The level under which sound is silence, as `SilenceSearch` measures it.
  package var threshold: Gain
  /// Of a mix: the names of the tracks that are silent in a pause, whatever others play; empty: all are.
  package var only: [Located<String>]

  /// A shortening of pauses that last `longerThan` or more to a length.
  package init(
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
package enum Loop: Sendable, Hashable {
  /// So many times, one after the other.
  case count(Int)
  /// To the end of the longest other track, and no further.
  case end
}

/// How fast an item plays: an exact factor, and whether pitch is kept.
package struct Speed: Sendable, Hashable {
  /// Of the factor, in lowest terms.
  package let numerator: Int64
  /// Of the factor, in lowest terms; positive.
  package let denominator: Int64
  /// How the sound is stretched.
  package var algorithm: TimePitchAlgorithm

  /// `numerator / denominator` times as fast; nil below 1/32 and above 32, the limits of
  /// `AVAudioTimePitchAlgorithm`.
  package init?(
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
  package var isUnity: Bool { numerator == denominator }
}

/// A chapter that begins inside an item.
package struct ItemChapter: Sendable, Hashable {
  /// In the item's own time.
  package var start: Located<Moment>
  /// The title in players.
  package var title: String
  /// A page about the chapter.
  package var url: String?
  /// A JPEG or PNG picture to show meanwhile.
  package var image: MediaLocation?

  /// A chapter at `start`.
  package init(
    _ title: String, at start: Located<Moment> = Located(.start), url: String? = nil,
    image: MediaLocation? = nil
  ) {
    self.title = title
    self.start = start
    self.url = url
    self.image = image
  }
}
