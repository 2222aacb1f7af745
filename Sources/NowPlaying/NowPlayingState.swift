import MediaTime
import Synchronization
import Threads

/// The state that programs set, and that callers on the bus see.
@dynamicMemberLookup
struct NowPlayingState {
  /// What is compared at each change; the tracks, which may be many, are not.
  struct Facts: Equatable {
    var info: NowPlayingInfo?
    var playbackState = NowPlayingPlaybackState.unknown
    /// The index of the current one in `tracks`.
    var trackIndex: Int?
    var repeatType = RepeatType.off
    var shuffleType = ShuffleType.off
    /// A factor.
    var volume = 1.0
    var supportedRates = 1.0...1.0
  }

  private(set) var facts = Facts()
  var tracks: [NowPlayingTrack] = []
  fileprivate(set) var timeline = NowPlayingTimeline()
  /// Whether the position has changed otherwise than by playing, and that was not signalled.
  fileprivate(set) var hasJumped = false
  /// Counts changes that callers may see, except the position's.
  fileprivate(set) var revision = 0

  /// The place of playing, in microseconds.
  func position(at now: ContinuousClock.Instant) -> Int64 {
    timeline.position.value(at: now, within: duration)
  }

  /// In microseconds.
  var duration: Int64? { facts.info?.playbackDuration?.microseconds }

  subscript<Value>(dynamicMember path: WritableKeyPath<Facts, Value>) -> Value {
    get { facts[keyPath: path] }
    set { facts[keyPath: path] = newValue }
  }
}

/// The place of playing as it is, and as those believe who have seen the last change.
struct NowPlayingTimeline {
  /// A place that may advance by itself, in microseconds.
  struct Position {
    var value: Int64 = 0
    var since = ContinuousClock.now
    /// Microseconds in a microsecond; 0: it stands still.
    var rate = 0.0

    func value(at now: ContinuousClock.Instant, within duration: Int64? = nil) -> Int64 {
      let passed = rate == 0 ? 0 : since.duration(to: now).seconds * rate * 1_000_000
      // A rate is bounded, and a process lives for less than 10^9 seconds.
      let value = value.addingReportingOverflow(Int64(passed))
      return max(0, min(value.overflow ? .max : value.partialValue, duration ?? .max))
    }
  }

  fileprivate(set) var position = Position()
  fileprivate var belief = Position()

  /// How far the belief of others may be off while the position advances: devices start late by
  /// their buffers.
  private static let tolerance: Int64 = 200_000

  /// Sets the place, and whether it advances.
  ///
  /// - Parameters:
  ///   - value: The place.
  ///   - duration: Where it ends; nil: unknown.
  ///   - rate: As in `Position`.
  ///   - isInterrupted: Whether it stands still until a cause is over.
  ///   - isOther: Whether it is a place of another track, which begins at 0.
  /// - Returns: Whether that is to be signalled.
  fileprivate mutating func set(
    _ value: Int64, within duration: Int64?, rate: Double, isInterrupted: Bool, isOther: Bool
  ) -> Bool {
    let now = ContinuousClock.now
    position = Position(value: value, since: now, rate: isInterrupted ? 0 : rate)
    // The belief advances until the interruption is over: it may be short.
    if isInterrupted, !isOther { return false }
    let believed = isOther ? 0 : belief.value(at: now, within: duration)
    let isFar = abs(believed - value) > (rate == 0 ? 1000 : Self.tolerance)
    belief = Position(value: isFar ? value : believed, since: now, rate: rate)
    return isFar
  }
}

/// The state of a session, and the wake-up of the thread that signals changes. Safe from any thread.
final class NowPlayingCore: Sendable {
  private let state = Mutex(NowPlayingState())
  private let alarm = Mutex<WakeUp?>(nil)

  func read<Result>(_ body: (NowPlayingState) -> Result) -> Result {
    state.withLock { body($0) }
  }

  /// Changes the state; the thread is woken if others can see it.
  ///
  /// - Parameters:
  ///   - time: The place of playing now; nil: as it is.
  ///   - tracksHaveChanged: Whether `body` changes the tracks.
  ///   - body: Changes the state.
  func update(
    elapsed time: Time? = nil, tracksHaveChanged: Bool = false,
    _ body: (inout NowPlayingState) -> Void = { _ in }
  ) {
    let isSeen = state.withLock { state in
      let before = state.facts
      body(&state)
      let after = state.facts
      let hasChanged = tracksHaveChanged || before != after
      if hasChanged { state.revision += 1 }
      let isOther =
        before.info?.externalContentIdentifier != after.info?.externalContentIdentifier
      guard hasChanged || time != nil else { return false }
      let value = time?.microseconds ?? (isOther ? 0 : state.position(at: .now))
      let isInterrupted = state.playbackState == .interrupted
      let advances = isInterrupted || state.playbackState == .playing
      let mustTell = state.timeline.set(
        max(0, value), within: state.duration, rate: advances ? state.info?.playbackRate ?? 1 : 0,
        isInterrupted: isInterrupted, isOther: isOther)
      if mustTell { state.hasJumped = true }
      return hasChanged || mustTell
    }
    if isSeen { wake() }
  }

  /// Notes that a listener has jumped, even if not far.
  func noteJump() {
    state.withLock { $0.hasJumped = true }
    wake()
  }

  /// Notes that a command can be used now, or no more.
  func commandsHaveChanged() {
    state.withLock { $0.revision += 1 }
    wake()
  }

  /// Whether a jump is to be signalled, which the caller does.
  func takeJump() -> Bool {
    state.withLock { state in
      defer { state.hasJumped = false }
      return state.hasJumped
    }
  }

  /// Lets `update` wake a thread; nil: none.
  func setAlarm(_ wakeUp: WakeUp?) { alarm.withLock { $0 = wakeUp } }

  func wake() { alarm.withLock { $0?.signal() } }
}

extension Time {
  /// Rounded down; the nearest that can be held, and 0 for what is no number.
  var microseconds: Int64 { frames(atRate: 1_000_000, rounding: .towardZero) }

  init(microseconds: Int64) { self.init(value: microseconds, timescale: 1_000_000) }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
