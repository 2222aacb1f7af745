import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// The thread that renders: keeps the writer's ring full of what the deck's state asks for.
///
/// It alone talks to the writer of flushes, so that the ring never holds what nobody wants. Its state
/// is its own; what it shares stands in the deck's, behind the lock.
final class Feeder {
  private let deck: Deck
  private let writer: DeviceWriter
  private let cancellation: CancellationFlag

  /// The item that is being rendered.
  private var voice: Voice?
  /// Frames that were put into rings so far.
  private var produced: Int64 = 0
  /// What was asked of the writer.
  private var request: SinkRequest?
  /// What was opened for each request: a device that has not what was asked for is asked once.
  private var answers: [SinkRequest: SinkFormat] = [:]
  /// The ring that was filled last; another one is another device, which has heard nothing.
  private var ring: SlotRing?
  /// Whether nobody was told of that device so far.
  private var isUntold = false
  /// Whether the ring is empty, and the device silent.
  private var isHalted = true
  /// Whether the last frame was put into the ring.
  private var isAtEnd = false
  /// Items that come next, and were tried in vain; the first is the voice's, where that broke off.
  private var tried: [PlayerItem] = []
  /// The number of the jump that is being done, or was done last.
  private var jumpNumber = 0
  /// Items that could not be played since one could.
  private var failures = 0
  private var interruptions = 0
  /// Files that were told to be damaged.
  private var damagedPaths: Set<FilePath?> = []
  /// Slots until damage is looked for again.
  private var slotsUntilLook = 0

  /// About a second of slots: to look takes time that grows with the graph.
  private static let slotsBetweenLooks = 48

  init(_ deck: Deck, cancellation: CancellationFlag) {
    self.deck = deck
    writer = deck.writer
    self.cancellation = cancellation
  }

  /// Runs until the deck ends.
  func run() {
    while true {
      let (isEnding, isDropped, isChanged, jump, isPlaying) = deck.state.withLock { state in
        // Of what nobody hears nothing is rendered ahead.
        let isChanged = state.isChanged && (state.isPlaying || !isHalted)
        defer {
          state.isDropped = false
          if isChanged { state.isChanged = false }
        }
        jumpNumber = state.jumpNumber
        return (state.isEnding, state.isDropped, isChanged, state.jump, state.isPlaying)
      }
      if isEnding { return }
      if isDropped { drop() }
      if let jump {
        failures = 0
        halt()
        go(to: jump)
      } else if isDropped {
        continue
      } else if isChanged, isStale() {
        rest()
      } else if !isPlaying {
        // To rest is to wait for a flush, which hears all rings: what they were for is looked at
        // before it waits for more.
        if isHalted { wait(milliseconds: -1) } else { rest() }
      } else {
        play()
      }
    }
  }

  private func wait(milliseconds: Int32) { writer.news.wait(milliseconds: milliseconds) }

  // MARK: Places

  /// Silence, and an empty ring.
  private func halt() {
    guard !isHalted else { return }
    let flush = writer.flush()
    // The writer may have ended, where a player is released on one of its own threads.
    while !writer.isFlushed(flush), !cancellation.isCancelled { wait(milliseconds: 100) }
    isHalted = true
    isAtEnd = false
  }

  /// Nothing is current any more.
  private func drop() {
    halt()
    voice = nil
    tried = []
    // Somebody may have asked for another item meanwhile, of which nothing is rendered yet.
    deck.state.withLock { state in (state.marks, state.meters) = ([], []) }
  }

  /// Whether something else is to follow now than is rendered ahead.
  private func isStale() -> Bool {
    let heard = deck.heardIndex
    return deck.state.withLock { state in
      if let mark = state.marks.last { tried = state.tried(tried, behind: mark) }
      return state.firstStale(from: heard, to: produced) != nil
    }
  }

  /// Stops, and stands at the frame that was heard last.
  private func rest() {
    halt()
    let heard = deck.heardIndex
    let place = deck.state.withLock { $0.placeToGoOn(from: heard, to: produced) }
    if let place { go(to: place) }
  }

  /// Opens an item at a place; nothing sounds yet.
  private func go(to place: DeckState.Jump) {
    do throws(Failure) {
      let voice = try voice(of: place.item)
      try voice.source.seek(
        to: place.time.frames(atRate: voice.source.format.sampleRate), exactly: place.isExact)
      mark(voice, .jump)
      deck.state.withLock { state in
        guard state.jumpNumber == jumpNumber, !state.isDropped else { return }
        (state.rest, state.jump, state.unplayable) = (place, nil, nil)
        jumpNumber = state.jumpNumber
      }
    } catch {
      leaveOut(place.item, error)
    }
    (isAtEnd, tried) = (false, [])
  }

  /// The item, opened at the rate of the device that is open for it, if there is one.
  private func voice(of item: PlayerItem) throws(Failure) -> Voice {
    let format: SinkFormat? =
      if case .open(let format, _) = writer.device, isRight(format, for: item) {
        format
      } else {
        nil
      }
    if let voice, voice.item === item, item !== tried.last, voice.isFor(format) { return voice }
    let opened = try Voice(item, for: format, cancellation)
    voice = opened
    return opened
  }

  /// Notes what the ring's next frames will be.
  private func mark(_ voice: Voice, _ cause: DeckState.Mark.Cause) {
    let heard = deck.heardIndex
    deck.state.withLock { state in
      // It is of no use to anybody any more.
      guard !state.isDropped else { return }
      if case .jump = cause {
        // What was rendered and thrown away was not heard.
        state.untold += state.passages(from: state.observed, to: heard)
        state.loopsLeft = state.loopsLeft(at: heard)
        state.marks = []
        state.forgetMeters(after: heard)
        if state.jumpNumber == jumpNumber { state.current = voice.item }
        state.jumps += 1
        state.observed = produced
      }
      state.countDown(for: cause)
      state.marks.append(
        DeckState.Mark(
          index: produced, item: voice.item, frame: voice.source.position,
          sampleRate: voice.source.format.sampleRate, frameCount: voice.source.frameCount,
          speed: voice.speed, loopsLeft: state.loopsLeft, cause: cause))
      state.forget(before: min(heard, produced))
    }
    // It may wait for nothing else, while nothing plays.
    if case .jump = cause { deck.clock.ring() }
  }

  // MARK: Playing

  private func play() {
    if voice == nil, !openFirst() { return }
    guard let voice else { return }
    switch writer.device {
    case .none:
      ask(for: voice)
      wait(milliseconds: -1)
    case .lost(let failure):
      isHalted = true
      deck.lost(failure)
      wait(milliseconds: -1)
    case .failed(let failure):
      isHalted = true
      deck.deviceFailed(failure, at: produced)
    case .open(let format, let ring):
      // It may have come and gone while something was rendered: by the ring that is known for sure.
      let isNew = ring !== self.ring
      if isNew {
        if self.ring != nil { deck.lost(nil) }
        (self.ring, isUntold) = (ring, true)
        if let request { answers[request] = format }
      }
      tellFound(format)
      let count = writer.counts.interruptions.load(ordering: .acquiring)
      if isNew && produced > 0 || count != interruptions
        || isRight(format, for: voice.item) && !voice.isFor(format)
      {
        interruptions = count
        resume()
      } else if !isRight(format, for: voice.item) {
        changeDevice(for: voice, in: ring)
      } else if isAtEnd {
        goOn(in: ring)
      } else if ring.slots.room > 0 {
        fill(ring, voice, format)
      } else {
        wait(milliseconds: 20)
      }
    }
  }

  /// Tells of a device: of the first one at once; of one in whose place none was, when it has
  /// played, since it may be gone again before.
  private func tellFound(_ format: SinkFormat) {
    guard isUntold else { return }
    let isFirst = deck.state.withLock { $0.hasDevice == nil }
    guard isFirst || writer.counts.hasPlayed.load(ordering: .acquiring) else { return }
    isUntold = false
    deck.found(format)
  }

  private func ask(for voice: Voice) {
    guard voice.item.request != request else { return }
    request = voice.item.request
    writer.open(voice.item.request)
  }

  /// Whether an item is played to a device of a format, and not to one that is opened for it.
  private func isRight(_ format: SinkFormat, for item: PlayerItem) -> Bool {
    item.request.isMet(by: format)
      || answers[item.request].map {
        ($0.sampleRate, $0.channelCount) == (format.sampleRate, format.channelCount)
      } == true
  }

  /// Has a device opened for an item when all that was rendered before it is heard: so its sound is the
  /// export's, and a queue is gapless only where formats agree.
  private func changeDevice(for voice: Voice, in ring: SlotRing) {
    if !isHalted {
      guard isAtEnd else {
        return ring.slots.room > 0 ? end(ring) : wait(milliseconds: 20)
      }
      guard writer.counts.finished.load(ordering: .acquiring) >= produced else {
        return wait(milliseconds: 50)
      }
      halt()
    }
    self.ring = nil
    ask(for: voice)
    wait(milliseconds: 20)
  }

  /// Goes on where sound was lost, or before any was heard.
  private func resume() {
    isHalted = false
    rest()
  }

  private func openFirst() -> Bool {
    let first = deck.state.withLock { state -> DeckState.Jump? in
      if let rest = state.rest { return rest }
      guard let item = state.current ?? state.queue.first else {
        state.stop(unplayable: nil)
        return nil
      }
      return DeckState.Jump(item: item, time: .zero)
    }
    guard let first else {
      deck.clock.ring()
      return false
    }
    go(to: first)
    return voice != nil
  }

  /// Renders a slot.
  private func fill(_ ring: SlotRing, _ voice: Voice, _ device: SinkFormat) {
    let (speed, isMetering) = deck.state.withLock { ($0.speed, $0.isMetering) }
    voice.isMetered = isMetering
    do throws(Failure) {
      if speed != voice.speed {
        try voice.setSpeed(speed)
        mark(voice, .change)
      }
      let end = deck.state.withLock { $0.end(of: voice.item) }
      if voice.source.position >= end { return goOn(in: ring) }
      let first = voice.source.position
      try voice.read(ring.slotFrames, before: end)
      let isEnd = voice.source.position >= end
      let isLast = isEnd && !deck.state.withLock { $0.goesOn }
      put(voice, at: first, into: ring, device, isLast: isLast)
      tellDamage(voice, isAtEnd: isEnd)
      isAtEnd = isLast
    } catch {
      passOver(voice.item, error)
      goOn(in: ring)
    }
  }

  private func put(
    _ voice: Voice, at first: Int64, into ring: SlotRing, _ device: SinkFormat, isLast: Bool
  ) {
    ring.fill(voice.block(for: device), at: produced) { slot in
      slot.firstFrame = voice.ditherFrame(of: first)
      slot.isDithered = voice.isDithered(on: device)
      slot.isLast = isLast
    }
    produced += Int64(voice.block.frameCount)
    (isHalted, failures) = (false, 0)
    let meters = voice.meters(endingAt: produced)
    let heard = deck.heardIndex
    deck.state.withLock { $0.add(meters, heard: heard) }
    writer.notifyFilled()
  }

  /// Tells of files that could not be decoded whole, now and then, and at the item's end.
  private func tellDamage(_ voice: Voice, isAtEnd: Bool) {
    slotsUntilLook -= 1
    guard isAtEnd || slotsUntilLook <= 0 else { return }
    slotsUntilLook = Self.slotsBetweenLooks
    for warning in voice.source.damageWarnings
    where damagedPaths.insert(warning.path).inserted {
      deck.observers.yield(.damaged(voice.item, warning))
    }
  }

  // MARK: Ends

  /// Goes on behind the end of what was rendered last: begins anew, or with the next item that can be
  /// played. Where there is none, it ends when all was heard.
  private func goOn(in ring: SlotRing) {
    let (last, cause) = deck.state.withLock { state in
      let mark = state.marks.last
      return (mark, tried.isEmpty ? mark.flatMap(state.cause(behind:)) : nil)
    }
    // All was taken away just now.
    guard let last else { return }
    do throws(Failure) {
      switch cause {
      case .loop(let range):
        return try begin(last.item, last.frames(in: range).lowerBound, .loop(range))
      case .again: return try begin(last.item, 0, .again)
      default: break
      }
    } catch {
      passOver(last.item, error)
    }
    if continueQueue(behind: last.item) { return }
    // Somebody went to the very end, or took the rest of the queue away just now.
    if isAtEnd { finishIfHeard() } else { end(ring) }
  }

  /// Goes on with a frame of an item.
  private func begin(
    _ item: PlayerItem, _ frame: Int64, _ cause: DeckState.Mark.Cause
  ) throws(Failure) {
    let voice = try voice(of: item)
    try voice.source.seek(to: frame)
    mark(voice, cause)
    (isAtEnd, tried) = (false, [])
  }

  /// Says that nothing follows what the ring holds, where no slot has said so.
  private func end(_ ring: SlotRing) {
    ring.fillEnd(at: produced)
    (isHalted, isAtEnd) = (false, true)
    writer.notifyFilled()
  }

  /// Goes on with the next item of the queue that can be played, if there is one. What was rendered
  /// before it is heard to its end.
  private func continueQueue(behind previous: PlayerItem) -> Bool {
    while let next = following(tried.last ?? previous) {
      do throws(Failure) {
        try begin(next, 0, .advance(past: tried, isSame: next === previous))
        return true
      } catch {
        passOver(next, error)
      }
    }
    return false
  }

  /// The next item, unless all were tried in vain.
  private func following(_ item: PlayerItem) -> PlayerItem? {
    deck.state.withLock { state in
      failures < state.queue.count ? state.item(after: item) : nil
    }
  }

  /// Notes that an item cannot be played, and that what comes next comes after it.
  private func passOver(_ item: PlayerItem, _ failure: Failure) {
    failures += 1
    tried.append(item)
    deck.failed(item, failure)
  }

  private func finishIfHeard() {
    guard writer.counts.finished.load(ordering: .acquiring) >= produced else {
      wait(milliseconds: 50)
      return
    }
    if case .open(let format, _) = writer.device { tellFound(format) }
    halt()
    if deck.finished(tried.last) { (voice, tried, failures) = (nil, [], 0) }
  }

  /// Leaves an item out that cannot be opened; nothing sounds.
  private func leaveOut(_ item: PlayerItem, _ failure: Failure) {
    voice = nil
    passOver(item, failure)
    let next = following(item)
    if next == nil { failures = 0 }
    deck.leftOut(item, for: next, ifStill: jumpNumber)
  }
}
