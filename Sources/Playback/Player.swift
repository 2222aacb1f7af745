import Diagnosis
import MediaComposition
import MediaTime

/// Plays an item to a sink (`AVPlayer`), with the sound that the item's export encodes.
///
/// Safe from any thread; no call waits for sound. A player has three threads: one renders ahead by
/// some tenths of a second, one writes to the device, and one calls observers. The release of the
/// player ends them and waits for them, four seconds at most if a device or a disk does not answer.
/// A release on one of these threads waits for none.
public final class Player: Sendable {
  let engine: PlayerEngine

  /// A player of one item (`AVPlayer.init(playerItem:)`).
  ///
  /// - Parameters:
  ///   - item: The item to play; nil: none.
  ///   - opener: Opens the device, at the first play; nil: the usual device, as
  ///     `AudioSession.opener` opens `default`. The player is attached to the process's session then,
  ///     whose interruptions pause it.
  /// - Throws: `tryAgain` if the process gets no thread or descriptor.
  public convenience init(
    _ item: PlayerItem? = nil, opening opener: SinkOpener? = nil
  ) throws(Failure) {
    try self.init(item.map { [$0] } ?? [], opening: opener, clock: { monotonicNanoseconds() })
  }

  /// A player of items, by whichever clock.
  init(
    _ items: [PlayerItem], opening opener: SinkOpener?, clock: @escaping @Sendable () -> Int64
  ) throws(Failure) {
    engine = try PlayerEngine(opening: opener ?? Self.usualOpener, clock: clock)
    if opener == nil { AudioSession.sharedInstance().attach(self) }
    engine.update { state in
      for item in items where !state.isInQueue(item) { state.queue.append(item) }
      state.current = items.first
    }
  }

  /// Opens the usual device: the sound server is looked for at the first play and not before.
  private static let usualOpener: SinkOpener = { request throws(Failure) in
    try AudioSession.sharedInstance().opener()(request)
  }

  deinit { engine.end() }

  /// The item that is heard, or that is next (`AVPlayer.currentItem`).
  public var currentItem: PlayerItem? { engine.state.withLock { $0.current } }

  /// The last failure of an item or the device; nil when the player plays again (`AVPlayer.error`).
  public var failure: Failure? { engine.state.withLock { $0.failure } }

  /// The time of the current item that is heard now (`AVPlayer.currentTime()`); zero before the
  /// first sound.
  public var currentTime: Time { engine.place?.time ?? .zero }

  /// The item that is heard now, or that has replaced it, and its time, both of one moment: around the
  /// start of an item, `currentItem` comes up to 20 ms behind `currentTime`. Nil before the first
  /// sound.
  package var currentPlace: (item: PlayerItem, time: Time)? {
    guard let place = engine.place else { return nil }
    let resolved = engine.state.withLock { $0.resolved(place) }
    return (resolved.item, resolved.time)
  }

  /// How far an item was rendered that could not be played on, and was the last one of which that is
  /// true; nil: nothing of it was. What follows is heard from there on.
  package func renderedEnd(of item: PlayerItem) -> Time? {
    engine.state.withLock { $0.cutShort.flatMap { $0.item === item ? $0.time : nil } }
  }

  /// Plays from the current place, or from the start if that is the end. A start that `play(atTime:)`
  /// has set is not waited for.
  public func play() {
    engine.writer.setStart(nil)
    engine.update { state in
      (state.isPlaying, state.startTime) = (true, nil)
      state.returnFromEnd()
    }
  }

  /// Stops the sound at once, at the last frame that was heard.
  public func pause() {
    let heard = engine.heardIndex
    engine.update { state in
      // `currentTime` may be read before the silence is there.
      if state.isPlaying, state.jump == nil, let place = state.place(of: heard) {
        state.rest = state.resolved(place)
      }
      state.isPlaying = false
    }
    engine.writer.setStart(nil)
  }

  /// The speed from 0.25 to 4, with the pitch kept (`AVPlayer.rate`; `pause` pauses). A change is
  /// heard as soon as the device has played what it holds.
  public var speed: PlaybackSpeed {
    get { engine.state.withLock { $0.speed } }
    set { engine.update { $0.speed = newValue } }
  }

  /// The volume as a factor from 0 to 4 (`AVPlayer.volume`). A change is heard at once, by a ramp
  /// of 10 ms. At 1 and `pan` 0, samples are those of the export.
  public var volume: Float {
    get { engine.state.withLock { $0.levels.volume } }
    set { setLevels { $0.volume = newValue.isFinite ? max(0, min(4, newValue)) : 1 } }
  }

  /// The pan of two channels: from −1, left only, to 1, right only (`AVAudioPlayer.pan`).
  public var pan: Float {
    get { engine.state.withLock { $0.levels.pan } }
    set { setLevels { $0.pan = newValue.isFinite ? max(-1, min(1, newValue)) : 0 } }
  }

  /// Plays to another sink from now on: the present one is closed, and sound goes on in the new one
  /// at the last frame heard. The new sink is opened on the writing thread; if it cannot be,
  /// `PlayerEvent.deviceLost` has the reason, and opening is tried again and again.
  ///
  /// - Parameter opener: Opens the device.
  public func setOutput(opening opener: @escaping SinkOpener) {
    engine.writer.setOpener(opener)
    engine.update { _ in }
  }

  /// As little as suits a player that is steered by hand.
  package static let responsiveIOBufferDuration = Time(value: 40, timescale: 1000)

  /// The sound that a device is to hold while it plays (`AVAudioSession.preferredIOBufferDuration`),
  /// up to a minute; zero, the default: as much as it takes.
  ///
  /// Changes of volume, tracks and speed are heard after what the device holds: 40 ms suit a player
  /// that is steered by hand. A machine that is too busy for that lets the device run dry, and each
  /// time the device holds twice as much from then on, as long as it is open. A change acts at once.
  package var preferredIOBufferDuration: Time {
    get { engine.state.withLock { $0.preferredIOBufferDuration } }
    set {
      let length =
        newValue.isNumeric ? max(.zero, min(newValue, Time(value: 60, timescale: 1))) : .zero
      engine.update { $0.preferredIOBufferDuration = length }
      engine.writer.setPreferredHold(.microseconds(length.frames(atRate: 1_000_000)))
    }
  }

  private func setLevels(_ body: (inout DeviceSampleConverter.Levels) -> Void) {
    let levels = engine.update { state in
      body(&state.levels)
      return state.levels
    }
    engine.writer.setLevels(levels)
  }

  /// How often the current item is played again after its end; negative: for ever
  /// (`AVAudioPlayer.numberOfLoops`). Each repetition that is heard counts down. A change discards
  /// the sound that is rendered ahead.
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

  /// A range of the current item that repeats without a gap; nil: none. A range outside the item,
  /// or shorter than 10 ms, is none; it ends with the current item. Taken up as `numberOfLoops`;
  /// after its end it begins at once.
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

  // MARK: Current sound

  /// Whether the current item was heard to its end, or the player has stopped at an item that it
  /// cannot play.
  public var isAtEnd: Bool {
    engine.state.withLock { state in
      guard let rest = state.rest, !state.isPlaying else { return false }
      return rest.time >= rest.item.duration || rest.item === state.unplayable
    }
  }

  /// The parts of the current item that are rendered ahead, from the current time on.
  package var renderedTimeRanges: [TimeRange] {
    let heard = engine.heardIndex
    return engine.state.withLock { state in
      guard let last = state.meters.last?.end, let current = state.current else { return [] }
      return state.passages(from: heard, to: last).filter { $0.item === current }
        .map { TimeRange(start: $0.start, end: $0.end) }
    }
  }

  /// Whether the sound that is heard is nearly that of the export, and not the same samples, and how
  /// far it is from that: the share, from 0 to 1, of the sound from the item's start that is rendered
  /// again. Nil where it is the export's: always, except for a while after a jump into an item whose
  /// effects remember without end (`denoise`, a speed with the pitch kept), and until the item's end
  /// where its media come from servers.
  package var approximation: Double? { engine.state.withLock { $0.chaseProgress } }

  /// Whether levels and loudness are measured (`AVAudioPlayer.isMeteringEnabled`), which takes
  /// about as much time as rendering; true by default. A change acts after the sound that is
  /// rendered ahead. Loudness leaves out sound that is not measured.
  public var isMeteringEnabled: Bool {
    get { engine.state.withLock { $0.isMetering } }
    set { engine.update { $0.isMetering = newValue } }
  }

  /// The meters of the sound that is heard now, before volume and pan; all silence while the player
  /// does not play.
  public var meters: PlayerMeters {
    let (heard, certain) = (engine.heardIndex, engine.certainlyHeardIndex)
    return engine.state.withLock { state in
      guard state.isPlaying else { return PlayerMeters() }
      state.countHeard(to: certain)
      return state.meters.first { $0.end > heard }.map(state.meters) ?? PlayerMeters()
    }
  }

  /// The place where `meters(since:)` continues.
  package struct MeterPlace: Sendable {
    fileprivate var end: Int64 = 0

    /// Before the first sound.
    package init() {}
  }

  /// Reads the meters without missing a peak, if it is called once a second or more often.
  ///
  /// - Parameter place: The place of this reader's last call.
  /// - Returns: The meters of all that was heard since the last call, also before a pause, as one:
  ///   the highest peaks, the mean power, the last loudness. Nil if nothing was heard. Sound of
  ///   more than a second ago is left out.
  /// - Complexity: O(n) in the meters of a second and of the sound that is rendered ahead
  package func meters(since place: inout MeterPlace) -> PlayerMeters? {
    let (heard, certain) = (engine.heardIndex, engine.certainlyHeardIndex)
    return engine.state.withLock { state in
      state.countHeard(to: certain)
      var heardMeters: MeterFrame?
      for frame in state.meters {
        let isNow = frame.end > heard
        if isNow, !state.isPlaying { break }
        if isNow || frame.end > place.end {
          if heardMeters == nil { heardMeters = frame } else { heardMeters?.append(frame) }
        }
        place.end = max(place.end, frame.end)
        if isNow { break }
      }
      return heardMeters.map(state.meters)
    }
  }

  /// Decibels of a channel, counted from 0 (`AVAudioPlayer.averagePower(forChannel:)`).
  public func averagePower(forChannel channel: Int) -> Double {
    reading(ofChannel: channel).averagePower
  }

  /// Decibels of a channel, counted from 0 (`AVAudioPlayer.peakPower(forChannel:)`).
  public func peakPower(forChannel channel: Int) -> Double {
    reading(ofChannel: channel).peakPower
  }

  private func reading(ofChannel channel: Int) -> LevelReading {
    let channels = meters.channels
    return channels.indices.contains(channel) ? channels[channel] : LevelReading()
  }

  /// The format of the device, and its progress.
  package struct DeviceState: Sendable, Hashable {
    /// Nil if there is no device.
    package var format: SinkFormat?
    /// How often the device ran out of sound.
    package var xruns: Int
    /// Seconds of sound that is rendered and not heard yet, in the ring and in the device.
    package var bufferedSeconds: Double
  }

  /// The device now.
  package var device: DeviceState {
    let format: SinkFormat? =
      if case .open(let format, _) = engine.writer.device { format } else { nil }
    let heard = engine.heardIndex
    let end = engine.state.withLock { $0.meters.last?.end ?? heard }
    return DeviceState(
      format: format, xruns: engine.writer.counts.xruns.load(ordering: .relaxed),
      bufferedSeconds: Double(max(0, end - heard)) / Double(format?.sampleRate ?? 48_000))
  }
}
