import Diagnosis
import MediaComposition
import MediaTime

/// Plays an item to a sink (`AVPlayer`): what is heard is what the item's export encodes.
///
/// Safe from any thread; no call waits for sound. Its work is done by three threads of its own: one
/// renders ahead by some tenths of a second, one writes to the device, and one tells observers. They
/// end when the player is released, which waits for them, unless one of them has released it; four
/// seconds at most, where a device or a disk does not answer.
public final class Player: Sendable {
  let engine: PlayerEngine

  /// A player of one item.
  ///
  /// - Parameters:
  ///   - item: What is played; nil: nothing.
  ///   - opener: Opens the device, when something is to be played first.
  /// - Throws: `tryAgain` where the machine has no thread or descriptor left.
  public init(_ item: PlayerItem? = nil, opening opener: @escaping SinkOpener) throws(Failure) {
    engine = try PlayerEngine(opening: opener)
    guard let item else { return }
    engine.update { state in
      state.queue = [item]
      state.current = item
    }
  }

  deinit { engine.end() }

  /// What is heard, or will be next (`AVPlayer.currentItem`).
  public var currentItem: PlayerItem? { engine.state.withLock { $0.current } }

  /// How it is getting on.
  public enum Status: Sendable, Hashable {
    /// Nothing is wanted.
    case paused
    /// Sound is wanted, and there is a device.
    case playing
    /// Sound is wanted, and there is no device; another is looked for.
    case waitingForDevice
  }

  /// How it is getting on (`AVPlayer.timeControlStatus`).
  public var status: Status { engine.state.withLock { $0.status } }

  /// What went wrong last with an item or the device; nil once it plays again (`AVPlayer.error`).
  public var failure: Failure? { engine.state.withLock { $0.failure } }

  /// The moment of the current item that is heard now (`AVPlayer.currentTime()`); zero before the
  /// first sound.
  public var currentTime: Time { engine.place?.time ?? .zero }

  /// Goes on from where it stands; from the start where it stands at the end.
  public func play() {
    engine.update { state in
      state.isPlaying = true
      guard let rest = state.rest, rest.time >= rest.item.duration else { return }
      state.jump = PlayerState.Jump(item: rest.item, time: .zero)
    }
  }

  /// Falls silent at once, and stands at the last frame that was heard.
  public func pause() {
    let heard = engine.heardIndex
    engine.update { state in
      // For who asks for the time before the silence is there.
      if state.isPlaying, state.jump == nil, let place = state.place(of: heard) {
        state.rest = place
      }
      state.isPlaying = false
    }
  }

  /// Goes to a moment of the current item, at once (`AVPlayer.seek(to:)`). Times outside the item are
  /// its start and its end, infinite ones too. To what is no moment (`.invalid`, `.indefinite`) it does
  /// not go, and plays on; AVPlayer raises an exception.
  ///
  /// The frames from there on are those of the whole, but where something in the item's graph
  /// remembers without end (a speed with the pitch kept, a filter): that is rendered from 300 ms
  /// before.
  public func seek(to time: Time) { go(to: time, exactly: false) }

  /// Goes to a moment of the current item, within tolerances
  /// (`AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`).
  ///
  /// Every moment is found to the frame. Where both tolerances are zero, the samples are those of the
  /// whole, too, whatever the graph remembers: it is then rendered from where that begins, which may
  /// take long.
  public func seek(to time: Time, toleranceBefore before: Time, toleranceAfter after: Time) {
    go(to: time, exactly: before <= .zero && after <= .zero)
  }

  private func go(to time: Time, exactly isExact: Bool) {
    engine.update { state in
      guard time.isNumeric || time.isInfinite, let item = state.current else { return }
      let time = max(.zero, min(time, item.duration))
      let place = PlayerState.Jump(item: item, time: time, isExact: isExact)
      state.jump = place
      state.rest = place
    }
  }

  /// How fast, from 0.5 to 2, the pitch kept (`AVPlayer.rate`, but that pausing is `pause`); heard
  /// when what is rendered ahead has been.
  public var speed: PlaybackSpeed {
    get { engine.state.withLock { $0.speed } }
    set { engine.update { $0.speed = newValue } }
  }

  /// A factor, 0 to 4, heard at once, by a ramp of 10 ms (`AVPlayer.volume`). At 1 and `pan` 0, samples
  /// are those of the export.
  public var volume: Float {
    get { engine.state.withLock { $0.levels.volume } }
    set { setLevels { $0.volume = newValue.isFinite ? max(0, min(4, newValue)) : 1 } }
  }

  /// From −1, left alone, to 1, right alone, of sound that has two channels (`AVAudioPlayer.pan`).
  public var pan: Float {
    get { engine.state.withLock { $0.levels.pan } }
    set { setLevels { $0.pan = newValue.isFinite ? max(-1, min(1, newValue)) : 0 } }
  }

  private func setLevels(_ body: (inout DeviceSampleConverter.Levels) -> Void) {
    let levels = engine.update { state in
      body(&state.levels)
      return state.levels
    }
    engine.writer.setLevels(levels)
  }

  /// How often the current item is played again after its end; negative: for ever
  /// (`AVAudioPlayer.numberOfLoops`). Counted down at each return that is heard; taken up also when
  /// what comes next is rendered ahead, which is thrown away then.
  public var numberOfLoops: Int {
    get {
      let heard = engine.heardIndex
      return engine.state.withLock { $0.loopsLeft(at: heard) }
    }
    set {
      let heard = engine.heardIndex
      engine.update { $0.setLoops(newValue, heard: heard) }
    }
  }

  /// A range of the current item that is played again and again, without a gap; nil: none. One that
  /// lies outside the item, or is shorter than 10 ms, is none; it ends when another item is current.
  /// Taken up as `numberOfLoops`; where what is heard lies behind its end, it begins at once.
  public var loopRange: TimeRange? {
    get { engine.state.withLock { $0.loop?.range } }
    set {
      engine.update { state in
        state.loop = newValue.flatMap { range -> PlayerState.Loop? in
          guard let item = state.current, range.start >= .zero, range.end <= item.duration,
            range.duration >= Time(value: 1, timescale: 100)
          else { return nil }
          return PlayerState.Loop(item: item, range: range)
        }
      }
    }
  }

  // MARK: What is heard

  /// Whether the last of the current item was heard, or the player has stopped since it cannot be
  /// played.
  public var isAtEnd: Bool {
    engine.state.withLock { state in
      guard let rest = state.rest, !state.isPlaying else { return false }
      return rest.time >= rest.item.duration || rest.item === state.unplayable
    }
  }

  /// The parts of the current item that are rendered ahead, from what is heard on
  /// (`AVPlayerItem.loadedTimeRanges`).
  public var loadedTimeRanges: [TimeRange] {
    let heard = engine.heardIndex
    return engine.state.withLock { state in
      guard let last = state.meters.last?.end, let current = state.current else { return [] }
      return state.passages(from: heard, to: last).filter { $0.item === current }
        .map { TimeRange(start: $0.start, end: $0.end) }
    }
  }

  /// Whether levels and loudness are measured (`AVAudioPlayer.isMeteringEnabled`), which takes about
  /// as much time as rendering; true until it is set. Heard of when what is rendered ahead has been;
  /// loudness leaves out what is not measured.
  public var isMeteringEnabled: Bool {
    get { engine.state.withLock { $0.isMetering } }
    set { engine.update { $0.isMetering = newValue } }
  }

  /// What the meters show of what is heard now, before volume and pan; all silence while nothing
  /// plays.
  public var meters: PlayerMeters {
    let heard = engine.heardIndex
    return engine.state.withLock { state in
      guard state.isPlaying else { return PlayerMeters() }
      return state.meters.first { $0.end > heard }?.meters ?? PlayerMeters()
    }
  }

  /// Where `meters(since:)` goes on.
  package struct MeterPlace: Sendable {
    fileprivate var end: Int64 = 0

    /// Before the first sound.
    package init() {}
  }

  /// Reads the meters so that no peak is missed, by whoever looks at them once a second or more often.
  ///
  /// - Parameter place: Of the last call; of one reader.
  /// - Returns: What they have shown since the last call, also before a pause, and what they show now,
  ///   in order; of more than a second ago nothing.
  /// - Complexity: O(n), of what is rendered ahead and a second
  package func meters(since place: inout MeterPlace) -> [PlayerMeters] {
    let heard = engine.heardIndex
    return engine.state.withLock { state in
      var found: [PlayerMeters] = []
      for frame in state.meters {
        let isNow = frame.end > heard
        if isNow, !state.isPlaying { break }
        if isNow || frame.end > place.end { found.append(frame.meters) }
        place.end = max(place.end, frame.end)
        if isNow { break }
      }
      return found
    }
  }

  /// Decibels of a channel, counted from 0 (`AVAudioPlayer.averagePower(forChannel:)`).
  public func averagePower(forChannel channel: Int) -> Double {
    let channels = meters.channels
    return channels.indices.contains(channel)
      ? channels[channel].averagePower : LevelReading.silence
  }

  /// Decibels of a channel, counted from 0 (`AVAudioPlayer.peakPower(forChannel:)`).
  public func peakPower(forChannel channel: Int) -> Double {
    let channels = meters.channels
    return channels.indices.contains(channel) ? channels[channel].peakPower : LevelReading.silence
  }

  /// What the device takes, and how it is doing.
  public struct DeviceState: Sendable, Hashable {
    /// Nil where there is none.
    public var format: SinkFormat?
    /// How often it ran dry.
    public var xruns: Int
    /// Sound that is rendered and not heard yet, in the ring and in the device, in seconds.
    public var bufferedSeconds: Double
  }

  /// The device as it is now.
  public var device: DeviceState {
    let format: SinkFormat? =
      if case .open(let format, _) = engine.writer.device { format } else { nil }
    let heard = engine.heardIndex
    let end = engine.state.withLock { $0.meters.last?.end ?? heard }
    return DeviceState(
      format: format, xruns: engine.writer.counts.xruns.load(ordering: .relaxed),
      bufferedSeconds: Double(max(0, end - heard)) / Double(format?.sampleRate ?? 48_000))
  }

  // MARK: Observing

  /// What happens from now on. Ends with the player; one that reads too late misses the oldest of more
  /// than a thousand.
  public var events: AsyncStream<PlayerEvent> { engine.observers.events() }

  /// Calls `tell` for each thing that happens from now on: what `events` gives, for who has no task to
  /// read them, and without a limit.
  ///
  /// - Parameter tell: Called on the player's threads, of which it must not keep one for long; one call
  ///   at a time is not promised. What it holds lives until the observation goes.
  /// - Returns: What to keep while it is to go on.
  public func addEventObserver(
    using tell: @escaping @Sendable (PlayerEvent) -> Void
  ) -> PlayerObservation {
    engine.observers.add(tell)
  }

  /// Calls `tell` whenever a multiple of `interval` is heard, and after each jump
  /// (`addPeriodicTimeObserver(forInterval:queue:using:)`).
  ///
  /// What `tell` holds lives until the observation goes. One that holds the player keeps it, its threads
  /// and its device until then, though nobody else does: let it hold the player weakly
  /// (`[weak player]`).
  ///
  /// - Parameters:
  ///   - interval: More than zero; shorter ones than 10 ms are told together.
  ///   - tell: Gets the time of the item, on a thread of the player's, which it should not keep.
  /// - Returns: What to keep while it is to go on.
  public func addPeriodicTimeObserver(
    forInterval interval: Time, using tell: @escaping @Sendable (Time) -> Void
  ) -> PlayerObservation {
    engine.observers.add(every: interval, tell)
  }

  /// Calls `tell` whenever one of `times` of the item is heard, each time once
  /// (`addBoundaryTimeObserver(forTimes:queue:using:)`); a jump over one tells nothing.
  ///
  /// What `tell` holds lives until the observation goes: let it hold the player weakly, as
  /// `addPeriodicTimeObserver` says.
  ///
  /// - Parameters:
  ///   - times: Moments of whatever item is heard.
  ///   - tell: Gets the moment, within some 10 ms, on a thread of the player's, which it should not
  ///     keep.
  /// - Returns: What to keep while it is to go on.
  public func addBoundaryTimeObserver(
    forTimes times: [Time], using tell: @escaping @Sendable (Time) -> Void
  ) -> PlayerObservation {
    engine.observers.add(at: times, tell)
  }
}
