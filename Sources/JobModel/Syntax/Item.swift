import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// Something that sounds: a clip, a silence, a sequence or a mix of items, with the same modifiers
/// for all four.
///
/// The syntax tree of the job language, which `Job.exports` lowers to a `Composition`. Times are
/// still as written: what `end` or a number of samples means is known once the media are probed.
public struct Item: Sendable, Hashable {
  /// What sounds.
  public indirect enum Content: Sendable, Hashable {
    case clip(MediaReference)
    case silence(Located<TimeText>)
    case concat(ItemSequence)
    case tracks([ItemTrack])
  }

  /// What sounds.
  public var content: Content
  /// Which of its channels; nil: all.
  @Rare public var channels: Located<ItemChannels>?
  /// Which part of it, in its own time; nil: the whole.
  @Rare public var range: ItemRange?
  /// What is taken out, in the item's own time after `range`, in any order.
  public var cuts: [Located<ItemRange>]
  /// What is put in; the `at` of each is in the item's own time after `range`, before `cuts`.
  public var insertions: [Item]
  /// Whether it is played from its end to its start.
  public var isReversed: Bool
  /// How fast it is played; nil: as it is.
  @Rare public var speed: Located<Speed>?
  /// How often it is played; nil: once.
  @Rare public var loop: Located<Loop>?
  /// Filters, in this order.
  public var effects: [Effect]
  /// A constant gain.
  public var gain: Located<Gain>?
  /// Points between which the volume moves, in the item's own time as it sounds; the volume holds
  /// before the first and after the last.
  public var volume: [VolumePoint]
  /// The path from one point of the volume to the next.
  public var volumeCurve: VolumeCurve
  /// Points between which the sound moves from side to side, as those of `volume`; one alone holds
  /// for the whole item.
  public var pan: [PanPoint]
  /// Whether every sample changes its sign.
  public var invertsPolarity: Bool
  /// Whether nothing is heard of it, while it keeps its place.
  public var isMuted: Bool
  /// A rise from silence at the start.
  @Rare public var fadeIn: Located<Fade>?
  /// A fall to silence at the end.
  @Rare public var fadeOut: Located<Fade>?
  /// Where the item starts, in the time of the sequence that holds it; nil: at the end of the item
  /// before.
  @Rare public var at: Located<Moment>?
  /// How long the item before sounds on while this one starts; nil: what the sequence says.
  @Rare public var crossfade: Located<Fade>?
  /// A chapter that begins with the item, whatever is done to it.
  @Rare public var chapter: ItemChapter?
  /// In the item's own time after `range`; every later edit moves them along.
  public var chapters: [ItemChapter]
  /// Whether the files of its clips bring their own chapters along, but for clips that have others.
  public var keepsChapters: Bool
  /// What messages and references call the item.
  @Rare public var name: Located<String>?
  /// Where the item was written.
  public var origin: Origin

  /// An item without modifiers.
  public init(_ content: Content, origin: Origin = .unknown) {
    self.content = content
    self.origin = origin
    cuts = []
    insertions = []
    isReversed = false
    effects = []
    volume = []
    volumeCurve = .linear
    pan = []
    invertsPolarity = false
    isMuted = false
    chapters = []
    keepsChapters = false
  }

  /// A range of a media file.
  public static func clip(
    _ path: FilePath, stream: Int? = nil, range: ItemRange? = nil, origin: Origin = .unknown
  ) -> Item {
    var item = Item(.clip(MediaReference(path, stream: stream, origin: origin)), origin: origin)
    item.range = range
    return item
  }
}

/// One stream of sound in one media file, as a job names it.
///
/// Two references are equal where they name the same stream of the same path, wherever they are
/// written: a file is probed once.
public struct MediaReference: Sendable, Hashable {
  /// As the job file means it: relative paths are joined to the job file's folder.
  public var path: FilePath
  /// An index into all of the file's streams, as ffprobe counts them; nil: the best sound.
  public var stream: Int?
  /// Where it is written first.
  public var origin: Origin

  /// A stream of the file at `path`.
  public init(_ path: FilePath, stream: Int? = nil, origin: Origin = .unknown) {
    self.path = path
    self.stream = stream
    self.origin = origin
  }

  /// Whether both name the same stream of the same path.
  public static func == (a: MediaReference, b: MediaReference) -> Bool {
    a.path == b.path && a.stream == b.stream
  }

  /// Equal references hash alike.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(stream)
  }
}

/// Items that follow one another.
public struct ItemSequence: Sendable, Hashable {
  /// In order.
  public var items: [Item]
  /// Holds for every join at which the later item says nothing of its own.
  public var crossfade: Located<Fade>?

  /// A sequence of `items`.
  public init(_ items: [Item], crossfade: Located<Fade>? = nil) {
    self.items = items
    self.crossfade = crossfade
  }
}

/// A named sequence that sounds together with others.
public struct ItemTrack: Sendable, Hashable {
  /// The track's name.
  public var name: String
  /// What sounds on it.
  public var sequence: ItemSequence
  /// Where it was written.
  public var origin: Origin

  /// A track.
  public init(name: String, _ sequence: ItemSequence, origin: Origin = .unknown) {
    self.name = name
    self.sequence = sequence
    self.origin = origin
  }
}

/// Which part of an item sounds.
public struct ItemRange: Sendable, Hashable {
  /// How the range ends.
  public enum End: Sendable, Hashable {
    case moment(Located<Moment>)
    case duration(Located<TimeText>)
  }

  /// nil: at the start of the content.
  public var from: Located<Moment>?
  /// nil: at the end of the content.
  public var end: End?

  /// A range; what is nil is the content's own start or end.
  public init(from: Located<Moment>? = nil, end: End? = nil) {
    self.from = from
    self.end = end
  }

  /// Where some part of it is written.
  package var origin: Origin? {
    if let from { return from.origin }
    switch end {
    case .moment(let moment): return moment.origin
    case .duration(let duration): return duration.origin
    case nil: return nil
    }
  }
}
