import Glibc
import MediaComposition
import MediaTime

/// The thread that reports to observers when sound is heard.
///
/// It runs a hundred times a second while sound plays, fifty times without observers of the time,
/// and otherwise only after a change.
final class Clock {
  private let engine: PlayerEngine
  private var status = Player.TimeControlStatus.paused
  private var reason: Player.WaitingReason?
  private var item: PlayerItem?
  private var jumps = 0
  private var xruns = 0
  private var stops = 0
  /// The time of the item up to which observers have reports; nil before the first sound.
  private var reached: Time?
  /// Whether that is where a jump went.
  private var isFresh = false

  init(_ engine: PlayerEngine) { self.engine = engine }

  /// Runs until the engine ends.
  func run() {
    while true {
      let isRunning = engine.state.withLock { !$0.isEnding }
      guard isRunning else { return }
      tick()
      // A key that is held down signals often; reports need not come as often.
      if status == .paused {
        engine.observationDue.wait(milliseconds: -1)
      } else {
        usleep(engine.timeObservers.isEmpty ? 20_000 : 10_000)
      }
    }
  }

  private func tick() {
    // Read before the place: an end that is heard by now is reported before the pause that follows
    // it.
    let clock = engine.clock()
    let (now, why, stopped) = engine.state.withLock { state in
      defer { stops = state.stops }
      return (
        state.timeControlStatus(at: clock), state.reasonForWaitingToPlay(at: clock),
        state.stops != stops
      )
    }
    let heard = engine.heardIndex
    let seen = engine.state.withLock { state in look(&state, heard: heard) }
    for passage in seen.past { report(passage) }
    if !seen.hasPlace { item = nil }
    if let jump = seen.jump {
      turn(to: jump.item)
      noteJump(to: jump.time)
    }
    // A fast device may have played several items since the last look.
    for passage in seen.passages { report(passage) }
    let count = engine.writer.counts.xruns.load(ordering: .relaxed)
    if count > xruns { engine.observers.yield(.ranDry(count: count)) }
    xruns = count
    // A pause that began and ended between two looks is reported, too.
    if now != status || why != reason || stopped && now == .paused {
      engine.observers.yield(.timeControlStatusChanged(now, why))
    }
    (status, reason) = (now, why)
    engine.answerWaiters()
    engine.valueObservers.yield(())
  }

  /// What was heard since the last look.
  private struct Seen {
    /// Before the last jump.
    var past: [PlayerState.Passage]
    var jump: PlayerState.Jump?
    var passages: [PlayerState.Passage]
    /// Whether there is an item.
    var hasPlace: Bool
  }

  private func look(_ state: inout PlayerState, heard: Int64) -> Seen {
    let jumped = state.jumps.count != jumps
    jumps = state.jumps.count
    let past = state.unreported
    state.unreported = []
    let passages = state.passages(from: state.observed, to: heard)
    state.observed = max(state.observed, heard)
    // A stop or a jump has set the current item itself.
    if state.isPlaying, state.jump == nil,
      let item = passages.last.map({ state.resolved($0.item) }),
      item !== state.current, state.isQueued(item)
    {
      state.current = item
    }
    let hasPlace = !state.marks.isEmpty
    return Seen(
      past: past, jump: jumped && hasPlace ? state.jumps.last : nil, passages: passages,
      hasPlace: hasPlace)
  }

  private func noteJump(to time: Time) {
    engine.timeObservers.yield(.jumped(to: time))
    (reached, isFresh) = (time, true)
  }

  private func report(_ passage: PlayerState.Passage) {
    let isSame = passage.item === item
    // An item that replaces another one at its own end is looped at once.
    turn(to: passage.item)
    var start = passage.start
    switch passage.cause {
    // Reported before its first sound.
    case .jump: break
    case .advance(_, isSame: false): noteJump(to: start)
    case .advance, .again, .loop:
      engine.observers.yield(.looped(passage.item))
      noteJump(to: start)
    // What was reported already is heard again, or its frames are counted anew.
    case .resume, .change: if isSame, let reached { start = reached }
    case .replacement: break
    }
    guard start < passage.end else { return }
    let isEnd = passage.end >= passage.item.duration
    engine.timeObservers.yield(
      .passed(from: start, to: passage.end, isFresh: isFresh && start == reached, isEnd: isEnd))
    (reached, isFresh) = (passage.end, false)
    if isEnd { engine.observers.yield(.itemEnded(passage.item)) }
  }

  private func turn(to item: PlayerItem) {
    guard item !== self.item else { return }
    self.item = item
    engine.observers.yield(.itemBegan(item))
  }
}
