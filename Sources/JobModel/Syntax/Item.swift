import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// A sound: a clip, a silence, a sequence or a mix of items, with the same modifiers for all four.
///
/// The syntax tree of the job language, which `Job.exports` lowers to a `Composition`. Times are
/// still as written: `end` and numbers of samples become times once the media are probed.
package struct Item: Sendable, Hashable {
  /// The kinds of sound.
  package indirect enum Content: Sendable, Hashable {
    case clip(MediaReference)
    case silence(Located<TimeText>)
    case concat(ItemSequence)
    case tracks([ItemTrack])
  }

  /// The sound.
  package var content: Content
  /// The channels to use; nil: all.
  @Rare package var channels: Located<ItemChannels>?
  /// The part of it, in its own time; nil: the whole.
  @Rare package var range: ItemRange?
  /// Of a clip: where the edges of `range` and `cuts` are moved to; nil: nowhere.
  @Rare package var snap: Located<Snap>?
  /// Ranges to remove, in the item's own time after `range`, in any order.
  package var cuts: [Located<ItemRange>]
  /// Words to remove, beside `cuts`; nil: none.
  @Rare package var cutWords: WordSelection?
  /// The only words that stay; nil: all.
  @Rare package var keptWords: WordSelection?
  /// How long the sounds on both sides of a cut overlap; nil: 10 ms beside words, else not at all.
  @Rare package var cutCrossfade: Located<Fade>?
  /// Items to insert; the `at` of each is in the item's own time after `range`, before `cuts`.
  package var insertions: [Item]
  /// The shortening of long silences between sounds, after cuts and insertions; nil: none.
  @Rare package var pauses: Located<Pauses>?
  /// The removal of silence at both ends, after pauses are shortened; nil: none.
  @Rare package var trim: Located<Trim>?
  /// Whether it is played from its end to its start.
  package var isReversed: Bool
  /// Its speed; nil: unchanged.
  @Rare package var speed: Located<Speed>?
  /// How often it plays; nil: once.
  @Rare package var loop: Located<Loop>?
  /// Filters, in this order.
  package var effects: [ItemEffect]
  /// The level that it is brought to, before its gain.
  @Rare package var loudness: LoudnessTarget?
  /// A constant gain.
  package var gain: Located<Gain>?
  /// Points of the volume, in the item's own time as it sounds; the volume holds before the first
  /// and after the last.
  package var volume: [ItemPoint<Gain>]
  /// The path from one point of the volume to the next.
  package var volumeCurve: VolumeCurve
  /// Points of the pan, as those of `volume`; one alone holds for the whole item.
  package var pan: [ItemPoint<Pan>]
  /// Whether the sign of every sample changes.
  package var invertsPolarity: Bool
  /// Whether it is silent, but keeps its place.
  package var isMuted: Bool
  /// Ranges that are silent, in the item's own time after `range`, in any order.
  package var mutes: [Located<ItemRange>]
  /// Words that are silent, beside `mutes`; nil: none.
  @Rare package var mutedWords: WordSelection?
  /// What stands in transcripts where a word is silent in `mutes` or `mutedWords`; nil: `…`.
  @Rare package var redaction: String?
  /// The clocks that are named for times of the item; others count as each of them says.
  package var clocks: [ClockedKey: Clock]
  /// A rise from silence at the start.
  @Rare package var fadeIn: Located<Fade>?
  /// A fall to silence at the end.
  @Rare package var fadeOut: Located<Fade>?
  /// Where the item starts, in the time of its sequence; nil: at the end of the item before.
  @Rare package var at: Located<Moment>?
  /// How long the item before overlaps this one; nil: as the sequence sets.
  @Rare package var crossfade: Located<Fade>?
  /// How a track is lowered while others sound. Of the only item of a track: it is the track's.
  @Rare package var ducking: ItemDucking?
  /// A chapter that begins with the item, after any edit.
  @Rare package var chapter: ItemChapter?
  /// In the item's own time after `range`; later edits move them along.
  package var chapters: [ItemChapter]
  /// Of a job's item: chapters that begin at silences of all that it becomes; nil: none.
  @Rare package var chapterSearch: ChapterSearch?
  /// Whether its clips keep the chapters of their files, but for clips that have others.
  package var keepsChapters: Bool
  /// What is said in it: it counts instead of the words of items in it.
  @Rare package var transcript: Located<ItemTranscript>?
  /// Of a clip: the part that samplers and players of games repeat, in its own time after `range`, in place
  /// of the file's own loops; nil: those.
  @Rare package var loopPoints: Located<LoopPoints>?
  /// Its name in messages and references.
  @Rare package var name: Located<String>?
  /// Where the job writes the item.
  package var origin: Origin

  /// An item without modifiers.
  package init(_ content: Content, origin: Origin = .unknown) {
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
  package static func clip(
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
package struct MediaReference: Sendable, Hashable {
  /// The address, or the path, with relative ones joined to the job file's folder.
  package var location: MediaLocation
  /// An index into all of the file's streams, as ffprobe counts them; nil: the best sound.
  package var stream: Int?
  /// Where the stream is chosen; unknown where it is not.
  package var streamOrigin = Origin.unknown
  /// What a file without a header holds, which its name does not say.
  package var raw: RawSound?
  /// The SHA-256 of all its bytes, as 64 hexadecimal digits in small letters, if it must have one.
  package var sha256: Located<String>?
  /// Where it is written first.
  package var origin: Origin

  /// A stream of the medium at `location`.
  package init(_ location: MediaLocation, stream: Int? = nil, origin: Origin = .unknown) {
    self.location = location
    self.stream = stream
    self.origin = origin
  }

  /// Whether both name the same stream of the same place, and ask for the same content.
  package static func == (a: MediaReference, b: MediaReference) -> Bool {
    a.location == b.location && a.stream == b.stream && a.raw == b.raw
      && a.sha256?.value == b.sha256?.value
  }

  /// Equal references hash alike.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(location)
    hasher.combine(stream)
    hasher.combine(raw)
    hasher.combine(sha256?.value)
  }
}

/// What repeats when a sampler or a game plays the sound.
package enum LoopPoints: Sendable, Hashable {
  /// Nothing, whatever the file says.
  case none
  case range(ItemRange)
}

/// Items in sequence.
package struct ItemSequence: Sendable, Hashable {
  /// In order.
  package var items: [Item]
  /// For every join where the later item has none of its own.
  package var crossfade: Located<Fade>?

  /// A sequence of `items`.
  package init(_ items: [Item], crossfade: Located<Fade>? = nil) {
    self.items = items
    self.crossfade = crossfade
  }
}

/// A named sequence that sounds together with others.
package struct ItemTrack: Sendable, Hashable {
  /// The track's name.
  package var name: String
  /// Its items.
  package var sequence: ItemSequence
  /// Where the job writes it.
  package var origin: Origin

  /// A track.
  package init(name: String, _ sequence: ItemSequence, origin: Origin = .unknown) {
    self.name = name
    self.sequence = sequence
    self.origin = origin
  }
}

/// The part of an item that sounds.
package struct ItemRange: Sendable, Hashable {
  /// How the range ends.
  package enum End: Sendable, Hashable {
    case moment(Located<Moment>)
    case duration(Located<TimeText>)
  }

  /// nil: at the start of the content.
  package var from: Located<Moment>?
  /// nil: at the end of the content.
  package var end: End?
  /// Whether it is a cue of a transcript: it ends with the content, where that is shorter.
  package var isCue = false

  /// A range; nil is the content's own start or end.
  package init(from: Located<Moment>? = nil, end: End? = nil) {
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
