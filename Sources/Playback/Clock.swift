import Glibc
import MediaComposition
import MediaTime

/// The thread that tells observers what is heard, when it is heard.
///
/// A hundred times a second while something plays, or fifty where nobody wants to know the time;
/// otherwise only when something is changed.
final class Clock {
  private let deck: Deck
  private var status = Player.Status.paused
  private var item: PlayerItem?
  private var jumps = 0
  private var xruns = 0
  private var stops = 0

  init(_ deck: Deck) { self.deck = deck }

  /// Runs until the deck ends.
  func run() {
    while true {
      let isRunning = deck.state.withLock { !$0.isEnding }
      guard isRunning else { return }
      tick()
      // A key that is held down rings often, and nobody has to be told as often.
      if status == .paused {
        deck.clock.wait(milliseconds: -1)
      } else {
        usleep(deck.observers.isEmpty ? 20_000 : 10_000)
      }
    }
  }

  private func tick() {
    // Before the place: where all was heard by now, it is told before the pause that follows it.
    let (now, stopped) = deck.state.withLock { state in
      defer { stops = state.stops }
      return (state.status, state.stops != stops)
    }
    let heard = deck.heardIndex
    let (past, passages, jumped, place) = deck.state.withLock { state in
      let jumped = state.jumps != jumps
      jumps = state.jumps
      let past = state.untold
      state.untold = []
      let passages = state.passages(from: state.observed, to: heard)
      state.observed = max(state.observed, heard)
      // Where it has stopped, or is to go elsewhere, somebody knows better.
      if state.isPlaying, state.jump == nil, let item = passages.last?.item,
        item !== state.current, state.isQueued(item)
      {
        state.current = item
      }
      return (past, passages, jumped, state.place(of: state.observed))
    }
    for passage in past { tell(passage) }
    if place == nil { item = nil }
    if jumped, passages.isEmpty, let place { turn(to: place.item) }
    // Several may have come and gone since the last look, where a device is fast.
    for passage in passages { tell(passage) }
    if jumped, passages.isEmpty, let place { deck.observers.jump(to: place.time) }
    let count = deck.writer.counts.xruns.load(ordering: .relaxed)
    if count > xruns { deck.observers.yield(.ranDry(count: count)) }
    xruns = count
    // What has begun and ended between two looks was a pause, too.
    if now != status || stopped && now == .paused { deck.observers.yield(.statusChanged(now)) }
    status = now
  }

  private func tell(_ passage: DeckState.Passage) {
    var isFresh = true
    switch passage.cause {
    case .jump, .advance(_, isSame: false): turn(to: passage.item)
    case .advance, .again, .loop: deck.observers.yield(.looped(passage.item))
    case .change: isFresh = false
    }
    deck.observers.pass(passage.start, passage.end, isFresh: isFresh)
    if passage.end >= passage.item.duration { deck.observers.yield(.itemEnded(passage.item)) }
  }

  private func turn(to item: PlayerItem) {
    guard item !== self.item else { return }
    self.item = item
    deck.observers.yield(.itemBegan(item))
  }
}

extension DeckState {
  /// How it is getting on.
  var status: Player.Status {
    guard isPlaying else { return .paused }
    return hasDevice == false ? .waitingForDevice : .playing
  }
}
