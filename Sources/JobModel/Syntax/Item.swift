import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// A sound: a clip, a silence, a sequence or a mix of items, with the same modifiers for all four.
///
/// The syntax tree of the job language, which `Job.exports` lowers to a `Composition`. Times are
/// still as written: `end` and numbers of samples become times once the media are probed.
public struct Item: Sendable, Hashable {
  /// The kinds of sound.
  public indirect enum Content: Sendable, Hashable {
    case clip(MediaReference)
    case silence(Located<TimeText>)
    case concat(ItemSequence)
    case tracks([ItemTrack])
  }

  /// The sound.
  public var content: Content
  /// The channels to use; nil: all.
  @Rare public var channels: Located<ItemChannels>?
  /// The part of it, in its own time; nil: the whole.
  @Rare public var range: ItemRange?
  /// Of a clip: where the edges of `range` and `cuts` are moved to; nil: nowhere.
  @Rare public var snap: Located<Snap>?
  /// Ranges to remove, in the item's own time after `range`, in any order.
  public var cuts: [Located<ItemRange>]
  /// Words to remove, beside `cuts`; nil: none.
  @Rare public var cutWords: WordSelection?
  /// The only words that stay; nil: all.
  @Rare public var keptWords: WordSelection?
  /// How long the sounds on both sides of a cut overlap; nil: 10 ms beside words, else not at all.
  @Rare public var cutCrossfade: Located<Fade>?
  /// Items to insert; the `at` of each is in the item's own time after `range`, before `cuts`.
  public var insertions: [Item]
  /// The shortening of long silences between sounds, after cuts and insertions; nil: none.
  @Rare public var pauses: Located<Pauses>?
  /// The removal of silence at both ends, after pauses are shortened; nil: none.
  @Rare public var trim: Located<Trim>?
  /// Whether it is played from its end to its start.
  public var isReversed: Bool
  /// Its speed; nil: unchanged.
  @Rare public var speed: Located<Speed>?
  /// How often it plays; nil: once.
  @Rare public var loop: Located<Loop>?
  /// Filters, in this order.
  public var effects: [ItemEffect]
  /// The level that it is brought to, before its gain.
  @Rare public var loudness: LoudnessTarget?
  /// A constant gain.
  public var gain: Located<Gain>?
  /// Points of the volume, in the item's own time as it sounds; the volume holds before the first
  /// and after the last.
  public var volume: [ItemPoint<Gain>]
  /// The path from one point of the volume to the next.
  public var volumeCurve: VolumeCurve
  /// Points of the pan, as those of `volume`; one alone holds for the whole item.
  public var pan: [ItemPoint<Pan>]
  /// Whether the sign of every sample changes.
  public var invertsPolarity: Bool
  /// Whether it is silent, but keeps its place.
  public var isMuted: Bool
  /// Ranges that are silent, in the item's own time after `range`, in any order.
  public var mutes: [Located<ItemRange>]
  /// Words that are silent, beside `mutes`; nil: none.
  @Rare public var mutedWords: WordSelection?
  /// What stands in transcripts where a word is silent in `mutes` or `mutedWords`; nil: `…`.
  @Rare public var redaction: String?
  /// The clocks that are named for times of the item; others count as each of them says.
  public var clocks: [ClockedKey: Clock]
  /// A rise from silence at the start.
  @Rare public var fadeIn: Located<Fade>?
  /// A fall to silence at the end.
  @Rare public var fadeOut: Located<Fade>?
  /// Where the item starts, in the time of its sequence; nil: at the end of the item before.
  @Rare public var at: Located<Moment>?
  /// How long the item before overlaps this one; nil: as the sequence sets.
  @Rare public var crossfade: Located<Fade>?
  /// How a track is lowered while others sound. Of the only item of a track: it is the track's.
  @Rare public var ducking: ItemDucking?
  /// A chapter that begins with the item, after any edit.
  @Rare public var chapter: ItemChapter?
  /// In the item's own time after `range`; later edits move them along.
  public var chapters: [ItemChapter]
  /// Of a job's item: chapters that begin at silences of all that it becomes; nil: none.
  @Rare public var chapterSearch: ChapterSearch?
  /// Whether its clips keep the chapters of their files, but for clips that have others.
  public var keepsChapters: Bool
  /// What is said in it: it counts instead of the words of items in it.
  @Rare public var transcript: Located<ItemTranscript>?
  /// Of a clip: the part that samplers and players of games repeat, in its own time after `range`, in place
  /// of the file's own loops; nil: those.
  @Rare public var loopPoints: Located<LoopPoints>?
  /// Its name in messages and references.
  @Rare public var name: Located<String>?
  /// Where the job writes the item.
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
    mutes = []
    clocks = [:]
    chapters = []
    keepsChapters = false
  }

  /// A range of a medium.
  public static func clip(
    _ location: MediaLocation, stream: Int? = nil, range: ItemRange? = nil,
    origin: Origin = .unknown
  ) -> Item {
    var item = Item(.clip(MediaReference(location, stream: stream, origin: origin)), origin: origin)
    item.range = range
    return item
  }
}

/// One stream of sound in one medium, as a job names it.
///
/// Two references are equal if they name the same stream of the same place, wherever they are
/// written: a medium is probed once.
public struct MediaReference: Sendable, Hashable {
  /// The address, or the path, with relative ones joined to the job file's folder.
  public var location: MediaLocation
  /// An index into all of the file's streams, as ffprobe counts them; nil: the best sound.
  public var stream: Int?
  /// What a file without a header holds, which its name does not say.
  public var raw: RawSound?
  /// The SHA-256 of all its bytes, as 64 hexadecimal digits in small letters, if it must have one.
  public var sha256: Located<String>?
  /// Where it is written first.
  public var origin: Origin

  /// A stream of the medium at `location`.
  public init(_ location: MediaLocation, stream: Int? = nil, origin: Origin = .unknown) {
    self.location = location
    self.stream = stream
    self.origin = origin
  }

  /// Whether both name the same stream of the same place, and ask for the same content.
  public static func == (a: MediaReference, b: MediaReference) -> Bool {
    a.location == b.location && a.stream == b.stream && a.raw == b.raw
      && a.sha256?.value == b.sha256?.value
  }

  /// Equal references hash alike.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(location)
    hasher.combine(stream)
    hasher.combine(raw)
    hasher.combine(sha256?.value)
  }
}

/// What repeats when a sampler or a game plays the sound.
public enum LoopPoints: Sendable, Hashable {
  /// Nothing, whatever the file says.
  case none
  case range(ItemRange)
}

/// Items in sequence.
public struct ItemSequence: Sendable, Hashable {
  /// In order.
  public var items: [Item]
  /// For every join where the later item has none of its own.
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
  /// Its items.
  public var sequence: ItemSequence
  /// Where the job writes it.
  public var origin: Origin

  /// A track.
  public init(name: String, _ sequence: ItemSequence, origin: Origin = .unknown) {
    self.name = name
    self.sequence = sequence
    self.origin = origin
  }
}

/// The part of an item that sounds.
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
  /// Whether it is a cue of a transcript: it ends with the content, where that is shorter.
  package var isCue = false

  /// A range; nil is the content's own start or end.
  public init(from: Located<Moment>? = nil, end: End? = nil) {
    self.from = from
    self.end = end
  }

  /// Where a part of it is written.
  package var origin: Origin? {
    if let from { return from.origin }
    switch end {
    case .moment(let moment): return moment.origin
    case .duration(let duration): return duration.origin
    case nil: return nil
    }
  }
}
