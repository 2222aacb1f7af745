import MediaComposition
import MediaTime
import SystemPackage

/// A value and where it was written.
public struct Located<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The value.
  public var value: Value
  /// Where.
  public var origin: Origin

  /// `value`, written at `origin`.
  public init(_ value: Value, at origin: Origin = .unknown) {
    self.value = value
    self.origin = origin
  }
}

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
  /// Which part of it, in its own time; nil: the whole.
  public var range: ItemRange?
  /// A constant gain.
  public var gain: Located<Gain>?
  /// Points between which the volume ramps, in the item's own time after `range`; the volume holds
  /// before the first and after the last.
  public var volume: [VolumePoint]
  /// A rise from silence at the start.
  public var fadeIn: Located<Fade>?
  /// A fall to silence at the end.
  public var fadeOut: Located<Fade>?
  /// Where the item starts, in the time of the sequence that holds it; nil: at the end of the item
  /// before.
  public var at: Located<TimeText>?
  /// How long the item before sounds on while this one starts; nil: what the sequence says.
  public var crossfade: Located<Fade>?
  /// In the item's own time, after `range`.
  public var chapters: [ItemChapter]
  /// What messages call the item.
  public var name: String?
  /// Where the item was written.
  public var origin: Origin

  /// An item without modifiers.
  public init(_ content: Content, origin: Origin = .unknown) {
    self.content = content
    self.origin = origin
    volume = []
    chapters = []
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

/// A moment of an item's own time, counted from its start or back from its end.
public struct Moment: Sendable, Hashable {
  /// Where counting begins.
  public enum Anchor: Sendable, Hashable {
    case start
    /// Of the whole content: `end-10s`.
    case end
  }

  /// Where counting begins.
  public var anchor: Anchor
  /// Later than the start, or earlier than the end; never negative.
  public var offset: TimeText

  /// `offset` away from `anchor`.
  public init(_ anchor: Anchor = .start, _ offset: TimeText = .time(.zero)) {
    self.anchor = anchor
    self.offset = offset
  }

  /// The start of the content.
  public static let start = Moment(.start)
  /// The end of the content.
  public static let end = Moment(.end)
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
}

/// A move from or to silence.
public struct Fade: Sendable, Hashable {
  /// How long it takes.
  public var duration: TimeText
  /// The path that the volume takes; nil: linear for a fade, equal power for a cross-fade.
  public var curve: VolumeCurve?

  /// A fade of `duration`.
  public init(_ duration: TimeText, curve: VolumeCurve? = nil) {
    self.duration = duration
    self.curve = curve
  }
}

/// A volume at a moment of an item.
public struct VolumePoint: Sendable, Hashable {
  /// When.
  public var moment: Located<Moment>
  /// How loud.
  public var gain: Gain

  /// A point of a volume curve.
  public init(_ moment: Located<Moment>, _ gain: Gain) {
    self.moment = moment
    self.gain = gain
  }
}

/// A chapter that begins inside an item.
public struct ItemChapter: Sendable, Hashable {
  /// In the item's own time.
  public var start: Located<Moment>
  /// What players show.
  public var title: String
  /// A page about the chapter.
  public var url: String?
  /// A JPEG or PNG file to show meanwhile.
  public var image: FilePath?

  /// A chapter at `start`.
  public init(
    _ title: String, at start: Located<Moment> = Located(.start), url: String? = nil,
    image: FilePath? = nil
  ) {
    self.title = title
    self.start = start
    self.url = url
    self.image = image
  }
}
