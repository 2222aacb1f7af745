import Diagnosis
import MediaTime

/// Whether a player plays, and why not.
extension Player {
  /// Whether a player plays (`AVPlayer.TimeControlStatus`).
  public enum TimeControlStatus: Sendable, Hashable {
    /// Paused, or never started.
    case paused
    /// To play, and silent: `reasonForWaitingToPlay` has the reason. The player goes on by itself.
    case waitingToPlayAtSpecifiedRate
    /// Playing, to a device that is open.
    case playing
  }

  /// Why a player waits (`AVPlayer.WaitingReason`).
  public enum WaitingReason: Sendable, Hashable {
    /// For bytes of a server, at a start as `automaticallyWaitsToMinimizeStalling` has it. After a
    /// stall playback continues when it is likely to keep up, and nothing of the sound is lost.
    case toMinimizeStalls
    /// For sound that takes longer to render than to hear: some seconds of it are rendered ahead, more
    /// each time. AVPlayer has no such reason.
    case toRenderAhead
    /// For a device, which is opened again and again. AVPlayer has no such reason.
    case noDevice
    /// For the first device, which is being opened. AVPlayer has no such reason.
    case openingDevice
    /// For the time that `play(atTime:)` was given. AVPlayer has no such reason.
    case startTime
  }

  /// Whether the player plays (`AVPlayer.timeControlStatus`).
  public var timeControlStatus: TimeControlStatus {
    let now = engine.clock()
    return engine.state.withLock { $0.timeControlStatus(at: now) }
  }

  /// Why the player waits; nil if it does not (`AVPlayer.reasonForWaitingToPlay`).
  public var reasonForWaitingToPlay: WaitingReason? {
    let now = engine.clock()
    return engine.state.withLock { $0.reasonForWaitingToPlay(at: now) }
  }

  /// Whether `play` was called last, and neither `pause` nor the end came since
  /// (`AVAudioPlayer.isPlaying`): also while the player waits, which `timeControlStatus` shows.
  public var isPlaying: Bool { engine.state.withLock { $0.isPlaying } }

  /// Why there is no device, or `unknown` for one that was lost without a reason; nil: there is one, or
  /// none was opened yet.
  package func deviceFailure(orElse unknown: Failure) -> Failure? {
    if case .failed(let failure) = engine.writer.device { return failure }
    return engine.state.withLock { state in
      state.hasDevice == false ? state.lossReason ?? unknown : nil
    }
  }

  /// Whether the media of the current item are here for so long that the player would go on after a
  /// stall, or that no more is fetched for now (`AVPlayerItem.isPlaybackLikelyToKeepUp`). False
  /// without an item.
  public var isPlaybackLikelyToKeepUp: Bool {
    let found = engine.state.withLock { state in
      state.current.map { ($0, state.stallCount(of: $0)) }
    }
    guard let (item, stalls) = found else { return false }
    return isPlaybackBufferFull
      || item.isLoaded(from: currentTime, lasting: item.resumeDuration(afterStalls: stalls))
  }

  /// Whether all that was rendered is heard, and the next sound is on its way from a server
  /// (`AVPlayerItem.isPlaybackBufferEmpty`).
  public var isPlaybackBufferEmpty: Bool { engine.state.withLock { $0.stall != nil } }

  /// Whether the media of the current item are here so far ahead that no more is fetched for now:
  /// half as far as the player fetches them (`AVPlayerItem.isPlaybackBufferFull`). False without an
  /// item.
  public var isPlaybackBufferFull: Bool {
    guard let item = currentItem else { return false }
    return item.isLoaded(
      from: currentTime, lasting: item.forwardBufferDuration.multiplied(by: 1, over: 2))
  }

  /// How many seconds of the current item are rendered in a second; below 1 it is too heavy to be
  /// heard without pauses. Nil before that is known, and for media of servers.
  package var renderingRate: Double? { engine.state.withLock { $0.renderingRate } }

  /// The share of what must be here before the player goes on after a stall, from 0 to 1; nil if it
  /// goes on with the first sound, or does not wait for bytes.
  package var bufferingProgress: Double? {
    let stall = engine.state.withLock { $0.stall }
    if let share = stall?.share { return share }
    guard let goal = stall?.goal else { return nil }
    let needed = min(goal.length, goal.item.duration - goal.start).seconds
    return min(1, goal.item.loadedSeconds(from: goal.start, lasting: goal.length) / needed)
  }
}

extension PlayerState {
  /// A silence in which the next sound is on its way.
  struct Stall {
    /// What must be here before playback continues; nil: the first sound is enough.
    var goal: Goal?
    /// The share that is rendered ahead, of sound that is rendered too slowly; nil: the silence is
    /// for want of bytes.
    var share: Double?
  }

  /// A part of an item, from the first sound that is missing.
  struct Goal {
    var item: PlayerItem
    /// Before the item's end.
    var start: Time
    /// Cut off by the item's end.
    var length: Time
  }

  /// How often an item has stalled since another one did.
  func stallCount(of item: PlayerItem) -> Int {
    stalled.flatMap { $0.item === item ? $0.count : nil } ?? 0
  }

  /// Begins a stall.
  ///
  /// - Parameter produced: The frame of the ring that is missing; nil: the first after a jump.
  mutating func beginStall(at produced: Int64?) {
    stall = Stall(goal: nil)
    // It is not known how fast the server of another place or another item is.
    guard let place = produced.flatMap(place(of:)), place.time < place.item.duration else { return }
    let count = stallCount(of: place.item) + 1
    stalled = (place.item, count)
    let length = place.item.resumeDuration(afterStalls: count)
    stall = Stall(goal: Goal(item: place.item, start: place.time, length: length))
  }

  /// The status for observers.
  func timeControlStatus(at now: Int64) -> Player.TimeControlStatus {
    guard isPlaying else { return .paused }
    return reasonForWaitingToPlay(at: now) == nil ? .playing : .waitingToPlayAtSpecifiedRate
  }

  /// Nil unless the player waits; `now` is of the devices' clock.
  func reasonForWaitingToPlay(at now: Int64) -> Player.WaitingReason? {
    guard isPlaying else { return nil }
    if hasDevice == false { return .noDevice }
    if let stall { return stall.share == nil ? .toMinimizeStalls : .toRenderAhead }
    if hasDevice == nil { return .openingDevice }
    return startTime.map { $0 > now } == true ? .startTime : nil
  }
}
