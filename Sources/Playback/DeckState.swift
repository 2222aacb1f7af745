import Diagnosis
import MediaComposition
import MediaTime

/// What is wanted of a deck, and what its threads have to say; behind its lock.
struct DeckState {
  /// What is to be played, in order; each once.
  var queue: [PlayerItem] = [] { didSet { isChanged = true } }
  /// What is heard, or will be next.
  var current: PlayerItem? {
    didSet { if let loop, loop.item !== current { self.loop = nil } }
  }
  /// Whether sound is wanted.
  var isPlaying = false { didSet { if oldValue, !isPlaying { stops += 1 } } }
  /// Counts how often sound was not wanted any more, however short it was wanted.
  private(set) var stops = 0
  /// Speed, the pitch kept.
  var speed = PlaybackSpeed.normal
  /// Where to go; nil as soon as the feeding thread has got there.
  var jump: Jump? { didSet { jumpNumber += 1 } }
  /// Counts what was asked for: by it the feeding thread knows whether it is still wanted.
  private(set) var jumpNumber = 0
  /// Whether what is rendered belongs to nothing any more; taken by the feeding thread.
  var isDropped = false
  /// Whether something else may have to follow than is rendered; taken by the feeding thread.
  var isChanged = false
  /// How often what is being rendered is played again; negative: for ever.
  var loopsLeft = 0
  /// What is looped without end, while its item is the current one.
  var loop: Loop? { didSet { isChanged = true } }
  /// Whether the first item follows the last.
  var repeatsQueue = false { didSet { isChanged = true } }
  /// Whether what is rendered is measured.
  var isMetering = true
  /// Whether the thread that feeds is to end.
  var isEnding = false

  /// Where it stands while nothing plays.
  var rest: Jump?
  /// The item that it has stopped for, since it cannot be played.
  var unplayable: PlayerItem?
  /// What the frames of the ring are, in order; the first holds the one that is heard.
  var marks: [Mark] = []
  /// What the meters showed in the last second, and shall show, in order.
  var meters: [MeterFrame] = []
  /// Frames of the ring up to which observers were told.
  var observed: Int64 = 0
  /// What was heard before the last jump, and observers are still to be told of.
  var untold: [Passage] = []
  /// Counts jumps, which are no passing of time.
  var jumps = 0
  /// Factor and position that the listener has set.
  var levels = SampleConverter.Levels()
  /// The last that went wrong with an item or the device; nil once it plays.
  var failure: Failure?
  /// Whether there is a device to play to; nil before one was asked for.
  var hasDevice: Bool?
  /// Why there was none last; nil where nobody knows.
  var lossReason: Failure?

  /// A part of an item, in the item's own time.
  struct Loop {
    var item: PlayerItem
    var range: TimeRange
  }

  /// A place in an item.
  struct Jump {
    var item: PlayerItem
    var time: Time
    /// Whether all that came before may have to be rendered to get there.
    var isExact = false
  }

  /// From frame `index` of the ring on, the item's frames from `frame` on are played.
  struct Mark {
    var index: Int64
    var item: PlayerItem
    /// At `sampleRate`, speed 1.
    var frame: Int64
    var sampleRate: Int
    /// How many the item has.
    var frameCount: Int64
    var speed: PlaybackSpeed
    /// How often the item is played again behind it; negative: for ever.
    var loopsLeft: Int
    /// Why it begins here.
    var cause: Cause

    enum Cause: Sendable {
      /// Somebody went there.
      case jump
      /// The item before it has ended, and those that come between could not be played; one that is
      /// alone follows itself.
      case advance(past: [PlayerItem], isSame: Bool)
      /// This range is looped, and begins anew.
      case loop(TimeRange)
      /// The item is played again.
      case again
      /// It goes on, otherwise.
      case change
    }
  }
}

extension DeckState {
  /// The place of a frame of the ring; nil before anything was played.
  func place(of index: Int64) -> Jump? {
    guard let mark = marks.last(where: { $0.index <= index }) ?? marks.first else { return nil }
    return Jump(item: mark.item, time: mark.time(at: index))
  }

  /// Stops by itself, behind an item that was heard or cannot be played.
  mutating func stop(unplayable item: PlayerItem?) {
    (isPlaying, unplayable) = (false, item)
  }

  /// Nothing is current, and nothing sounds.
  mutating func drop() {
    (current, jump, rest, isPlaying) = (nil, nil, nil, false)
    // What was rendered ahead was not heard.
    loopsLeft = marks.first?.loopsLeft ?? loopsLeft
    (marks, meters) = ([], [])
    isDropped = true
  }

  /// Forgets what was heard before a frame of the ring, as far as observers know of it.
  mutating func forget(before index: Int64) {
    let index = min(index, observed)
    if let first = marks.lastIndex(where: { $0.index <= index }), first > 0 {
      marks.removeFirst(first)
    }
  }

  /// Notes what the meters will show, and forgets what they have shown more than a second ago: there
  /// are never more than that, and what the ring and the device hold.
  mutating func add(_ frame: MeterFrame, heard: Int64) {
    let past = heard - Int64(marks.last?.sampleRate ?? 0)
    meters.removeFirst(meters.firstIndex { $0.end > past } ?? meters.count)
    meters.append(frame)
  }

  /// Forgets what the meters will show: it was thrown away unheard.
  mutating func forgetMeters(after heard: Int64) { meters.removeAll { $0.end > heard } }

  /// What was heard from one frame of the ring to another: a stretch of time for each mark.
  func passages(from start: Int64, to end: Int64) -> [Passage] {
    marks.indices.compactMap { index in
      let mark = marks[index]
      let next = index + 1 < marks.count ? marks[index + 1].index : .max
      let first = max(start, mark.index)
      let last = min(end, next)
      guard first < last else { return nil }
      return Passage(
        item: mark.item, start: mark.time(at: first), end: mark.time(at: last),
        cause: first == mark.index ? mark.cause : .change)
    }
  }

  /// Time of an item that has gone by.
  struct Passage {
    var item: PlayerItem
    var start: Time
    var end: Time
    /// Why it begins; `.change` where it goes on.
    var cause: Mark.Cause
  }
}

extension DeckState.Mark {
  /// The item's time at a frame of the ring.
  func time(at index: Int64) -> Time {
    let frames = frame + speed.sourceFrames(of: max(0, index - self.index))
    // At another speed, the last frame may fall on either side of the rounded length.
    let isAtEnd = frames >= frameCount - (speed == .normal ? 0 : 2)
    return isAtEnd ? item.duration : Time(frames: frames, rate: sampleRate)
  }
}
