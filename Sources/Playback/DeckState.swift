import MediaComposition
import MediaTime

/// What is wanted of a deck, and what its threads have to say; behind its lock.
struct DeckState {
  /// What is to be played, in order; each once.
  var queue: [PlayerItem] = []
  /// What is heard, or will be next.
  var current: PlayerItem?
  /// Whether sound is wanted.
  var isPlaying = false
  /// Speed, the pitch kept.
  var speed = PlaybackSpeed.normal
  /// Where to go; taken by the feeding thread.
  var jump: Jump?
  /// How often the item is played again, or the range of it that is looped; negative: for ever.
  var loopsLeft = 0
  /// What is looped without end; in the item's own time.
  var loopRange: TimeRange?
  /// Whether the thread that feeds is to end.
  var isEnding = false

  /// Where it stands while nothing plays.
  var rest: Jump?
  /// What the frames of the ring are, in order; the first holds the one that is heard.
  var marks: [Mark] = []
  /// What the meters showed, and shall show, in order.
  var meters: [MeterFrame] = []
  /// The last that went wrong with an item or the device; nil once it plays.
  var failure: Failure?
  /// Whether there is a device to play to; nil before one was asked for.
  var hasDevice: Bool?

  /// A place in an item.
  struct Jump {
    var item: PlayerItem
    var time: Time
  }

  /// From frame `index` of the ring on, the item's frames from `frame` on are played.
  struct Mark {
    var index: Int64
    var item: PlayerItem
    /// At `sampleRate`, speed 1.
    var frame: Int64
    var sampleRate: Int
    var speed: PlaybackSpeed
    /// How often the item has begun anew before that.
    var isRepeat = false
  }
}

extension DeckState {
  /// The place of a frame of the ring; nil before anything was played.
  func place(of index: Int64) -> Jump? {
    guard let mark = marks.last(where: { $0.index <= index }) ?? marks.first else { return nil }
    let frames = mark.frame + mark.speed.sourceFrames(of: max(0, index - mark.index))
    return Jump(
      item: mark.item,
      time: min(Time(frames: frames, rate: mark.sampleRate), mark.item.duration))
  }

  /// Forgets what was heard before a frame of the ring.
  mutating func forget(before index: Int64) {
    if let first = marks.lastIndex(where: { $0.index <= index }), first > 0 {
      marks.removeFirst(first)
    }
    if let first = meters.firstIndex(where: { $0.end > index }) {
      meters.removeFirst(first)
    } else {
      meters.removeFirst(max(0, meters.count - 1))
    }
  }

  /// The item that follows another in the queue.
  func item(after item: PlayerItem) -> PlayerItem? {
    guard let index = queue.firstIndex(where: { $0 === item }) else { return nil }
    return index + 1 < queue.count ? queue[index + 1] : nil
  }
}

/// What the meters show from one frame of the ring to another.
public struct MeterFrame: Sendable {
  /// The ring's frame after the last that was measured.
  var end: Int64
  /// Of each channel, before volume and pan.
  var channels: [LevelSum]
  /// Of each track of the item; nil for one in which nothing sounded.
  var tracks: [LevelSum?]
}
