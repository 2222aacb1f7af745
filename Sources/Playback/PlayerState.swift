import Diagnosis
import MediaComposition
import MediaTime

/// The shared state of a player: its settings, and the progress of its threads. Behind a lock.
struct PlayerState {
  /// The queue, in order; each item once.
  var queue: [PlayerItem] = [] {
    didSet {
      isChanged = true
      if let item = stalled?.item, !isQueued(item) { stalled = nil }
    }
  }
  /// The item that is heard, or that is next.
  var current: PlayerItem? {
    didSet { if let loop, loop.item !== current { self.loop = nil } }
  }
  /// Whether the player is to play.
  var isPlaying = false {
    didSet {
      if oldValue, !isPlaying { stops += 1 }
      if !isPlaying { (stall, startTime) = (nil, nil) }
    }
  }
  /// Counts the stops, also after a very short play.
  private(set) var stops = 0
  /// When the first sound is to be heard, in nanoseconds of the devices' clock; nil: soon.
  var startTime: Int64?
  /// Whether a start waits until playback is likely to keep up.
  var waitsToMinimizeStalling = true
  /// The device's channel for each channel of an item; nil: as usual.
  var channelAssignments: [Int]?
  /// Speed, the pitch kept.
  var speed = PlaybackSpeed.normal
  /// The place to go to; nil when the rendering thread is there.
  var jump: Jump? {
    didSet {
      jumpNumber += 1
      // Of another place the first sound is enough.
      if jump != nil { stall?.goal = nil }
      // Another jump, or none any more.
      if let seek = waiters.seek { waiters.answer { seek(false) } }
      waiters.seek = nil
    }
  }
  /// Who waits for the end of a seek or of a preparation.
  var waiters = Waiters()
  /// Counts jumps, so that the rendering thread finds newer ones.
  private(set) var jumpNumber = 0
  /// Whether the rendered sound is to be discarded; reset by the rendering thread.
  var isDropped = false
  /// Whether the rendered sound may be out of date; reset by the rendering thread.
  var isChanged = false
  /// The frame of the rings that was heard when the rendered sound may first have been out of date; nil:
  /// not known. Reset with `isChanged`.
  var changedFrame: Int64?
  /// Whether a player that plays is to begin anew where it is; reset by the rendering thread.
  var isRestarted = false
  /// How often the rendered item is played again; negative: for ever.
  var loopsLeft = 0
  /// Items whose sound is still rendered or heard, and is replaced by that of others.
  var replacements: [Replacement] = []
  /// The range that is looped while its item is current.
  var loop: Loop? { didSet { isChanged = true } }
  /// Whether the first item follows the last.
  var repeatsQueue = false { didSet { isChanged = true } }
  var isMetering = true
  var preferredIOBufferDuration = Time.zero
  /// The share of the way to exact sound; nil where the sound is the export's.
  var chaseProgress: Double?
  /// Seconds of sound that are rendered in a second; nil before that is known.
  var renderingRate: Double?
  var isEnding = false

  var rest: Jump?
  /// The item that cannot be played, if the player has stopped for it.
  var unplayable: PlayerItem?
  /// The item that could not be played on last, and how far it is rendered.
  var cutShort: Jump?
  /// The items and places of the ring's frames, in order; the first mark has the frame heard now.
  var marks: [Mark] = []
  /// The meters of the last second and of everything rendered ahead, in order.
  var meters: [MeterFrame] = []
  var heardLoudness = HeardLoudness()
  /// The frame of the ring up to which that was counted.
  var countedFrame: Int64 = 0
  /// The frame of the ring up to which observers have reports.
  var observed: Int64 = 0
  /// Passages before the last jump that are still to be reported.
  var unreported: [Passage] = []
  /// Counts jumps that were done, and has the last one.
  var jumps = (count: 0, last: Jump?.none)
  var levels = DeviceSampleConverter.Levels()
  /// The last failure of an item or the device; nil when the player plays again.
  var failure: Failure?
  /// Whether there is a device; nil before the first one.
  var hasDevice: Bool?
  /// The silence for want of bytes, if there is one; none while the player is paused.
  var stall: Stall?
  /// The item that has stalled last, and how often.
  var stalled: (item: PlayerItem, count: Int)?
  /// The last reason for having no device, if there is one.
  var lossReason: Failure?

  /// A part of an item, in the item's own time.
  struct Loop {
    var item: PlayerItem
    var range: TimeRange
  }

  struct Jump {
    var item: PlayerItem
    var time: Time
    /// Whether unbounded memory is rendered from its start, however long that takes.
    var isExact = false
  }

  /// From frame `index` of the ring on, the item's frames from `frame` on are played.
  struct Mark {
    var index: Int64
    var item: PlayerItem
    /// At `sampleRate`, speed 1.
    var frame: Int64
    var sampleRate: Int
    /// Frames of the item.
    var frameCount: Int64
    var speed: PlaybackSpeed
    /// The changes of the item's tracks that are in the sound.
    var trackRevision: Int
    /// How often the item is still to be played again; negative: for ever.
    var loopsLeft: Int
    var cause: Cause

    enum Cause: Sendable {
      case jump
      /// The item goes on after a pause, or where sound was lost.
      case resume
      /// The item before has ended. The items of `past` between them could not be played; a single
      /// item may follow itself.
      case advance(past: [PlayerItem], isSame: Bool)
      case loop(TimeRange)
      case again
      /// The item goes on at another speed, or with other tracks.
      case change
      /// The item goes on in another one.
      case replacement
    }
  }
}

extension PlayerState.Mark.Cause {
  /// Whether everything that was rendered before was discarded.
  var isAnew: Bool {
    switch self {
    case .jump, .resume: true
    case .advance, .loop, .again, .change, .replacement: false
    }
  }
}

extension PlayerState {
  /// The place of a frame of the ring; nil before anything was played.
  func place(of index: Int64) -> Jump? {
    guard let mark = marks.last(where: { $0.index <= index }) ?? marks.first else { return nil }
    return Jump(item: mark.item, time: mark.time(at: index))
  }

  /// Goes to the start, if the player is at the end of an item.
  mutating func returnFromEnd() {
    guard let rest, rest.time >= rest.item.duration else { return }
    jump = Jump(item: rest.item, time: .zero)
  }

  /// Stops after an item that was heard or cannot be played.
  mutating func stop(unplayable item: PlayerItem?) {
    (isPlaying, unplayable) = (false, item)
  }

  /// Clears the current item, in silence.
  mutating func drop() {
    (current, jump, rest, isPlaying) = (nil, nil, nil, false)
    // Loops that were rendered ahead were not heard.
    loopsLeft = marks.first?.loopsLeft ?? loopsLeft
    (marks, meters, replacements, cutShort) = ([], [], [], nil)
    isDropped = true
  }

  /// Removes marks of sound before a frame of the ring, as far as it was reported.
  ///
  /// An item that was heard to its end keeps its mark until a frame of the next item was heard: if
  /// the next item cannot be played, the one before can still be replaced.
  mutating func forget(before index: Int64) {
    let index = min(index, observed)
    if let first = marks.lastIndex(where: { $0.index < index }), first > 0 {
      marks.removeFirst(first)
    }
    forgetReplacements()
  }

  /// Appends meters, and removes those of more than a second ago, which bounds their memory.
  mutating func add(_ frame: MeterFrame, heard: Int64) {
    let past = heard - Int64(marks.last?.sampleRate ?? 0)
    meters.removeFirst(meters.firstIndex { $0.end > past } ?? meters.count)
    meters.append(frame)
  }

  mutating func forgetMeters(after heard: Int64) { meters.removeAll { $0.end > heard } }

  /// The passages between two frames of the ring, one for each mark.
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

  /// A stretch of an item that was heard.
  struct Passage {
    var item: PlayerItem
    var start: Time
    var end: Time
    /// Why it begins; `.change` if the item goes on.
    var cause: Mark.Cause
  }
}

extension PlayerState.Mark {
  /// The item's time at a frame of the ring.
  func time(at index: Int64) -> Time {
    let frames = frame + speed.sourceFrames(of: max(0, index - self.index))
    // At another speed, the last frame may fall on either side of the rounded length.
    let isAtEnd = frames >= frameCount - (speed == .normal ? 0 : 2)
    return isAtEnd ? item.duration : Time(frames: frames, rate: sampleRate)
  }
}
