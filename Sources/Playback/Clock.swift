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
    let (now, why, stopped) = engine.state.withLock { state in
      defer { stops = state.stops }
      return (state.timeControlStatus, state.reasonForWaitingToPlay, state.stops != stops)
    }
    let heard = engine.heardIndex
    let (past, passages, jumped, place) = engine.state.withLock { state in
      let jumped = state.jumps != jumps
      jumps = state.jumps
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
      return (past, passages, jumped, state.place(of: state.observed))
    }
    for passage in past { report(passage) }
    if place == nil { item = nil }
    if jumped, passages.isEmpty, let place { turn(to: place.item) }
    // A fast device may have played several items since the last look.
    for passage in passages { report(passage) }
    if jumped, passages.isEmpty, let place { engine.timeObservers.yield(.jumped(to: place.time)) }
    let count = engine.writer.counts.xruns.load(ordering: .relaxed)
    if count > xruns { engine.observers.yield(.ranDry(count: count)) }
    xruns = count
    // A pause that began and ended between two looks is reported, too.
    if now != status || why != reason || stopped && now == .paused {
      engine.observers.yield(.timeControlStatusChanged(now, why))
    }
    (status, reason) = (now, why)
  }

  private func report(_ passage: PlayerState.Passage) {
    var isFresh = true
    // An item that replaces another one at its own end is looped at once.
    turn(to: passage.item)
    switch passage.cause {
    case .jump, .advance(_, isSame: false): break
    case .advance, .again, .loop: engine.observers.yield(.looped(passage.item))
    case .change, .replacement: isFresh = false
    }
    engine.timeObservers.yield(.passed(from: passage.start, to: passage.end, isFresh: isFresh))
    if passage.end >= passage.item.duration { engine.observers.yield(.itemEnded(passage.item)) }
  }

  private func turn(to item: PlayerItem) {
    guard item !== self.item else { return }
    self.item = item
    engine.observers.yield(.itemBegan(item))
  }
}
