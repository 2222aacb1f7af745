import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// The thread that renders: fills the device writer's ring with the sound for `PlayerState`.
///
/// Only this thread requests flushes of the writer, so the ring never holds sound that is out of
/// date. The properties here belong to this thread; shared state is in `PlayerEngine.state`.
final class RenderThread {
  let engine: PlayerEngine
  let writer: DeviceWriter
  private let cancellation: CancellationFlag

  var renderer: ItemRenderer?
  /// Frames that were put into rings so far; the index of the next one.
  var produced: Int64 = 0
  private var request: SinkRequest?
  /// The opened format for each request: a device without the requested one gets it once.
  private var answers: [SinkRequest: SinkFormat] = [:]
  /// The ring that was filled last. Another ring belongs to another device, which has played
  /// nothing.
  private var ring: SlotRing?
  /// The number of the opener that has opened it.
  private var openerNumber = 0
  private var isUnreported = false
  /// Whether the ring is empty, and the device silent.
  var isHalted = true
  /// Whether the last frame was put into the ring.
  var isAtEnd = false
  /// The next items that could not be played; the first is the renderer's own if that failed.
  var tried: [PlayerItem] = []
  /// The number of the current jump, or of the last one.
  var jumpNumber = 0
  /// Items in a row that could not be played.
  var failures = 0
  /// How fast the item is rendered.
  var pace = RenderingPace()
  private var interruptions = 0
  private var damagedMedia: Set<MediaLocation?> = []
  private var slotsUntilLook = 0
  var slotsUntilPrefetch = 0
  /// The item that is being opened behind another one; nil if none is.
  var opening: (next: PlayerItem, previous: PlayerItem)?
  /// Whether the read that waits for bytes is given up.
  var isInterrupted = false
  /// Whether the sound rendered so far is to be left behind, because a read was given up.
  var mustRest = false

  /// About a second of slots: a check takes time that grows with the graph.
  private static let slotsBetweenLooks = 48

  init(_ engine: PlayerEngine, cancellation: CancellationFlag) {
    self.engine = engine
    writer = engine.writer
    self.cancellation = cancellation
  }

  func run() { MediaNetwork.watchingWaits(by: { self.keepsWaiting() }, runLoop) }

  private func runLoop() {
    while true {
      let (isEnding, isDropped, isChanged, jump, isPlaying) = engine.state.withLock { state in
        // Nothing is rendered ahead while the player is paused.
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
        (failures, mustRest) = (0, false)
        halt()
        go(to: jump)
      } else if isDropped {
        continue
      } else if isChanged && isStale() || mustRest && isPlaying {
        rest()
      } else if !isPlaying {
        // `rest` waits for a flush, which clears the wake-up: the state is read again before a
        // wait.
        if isHalted { waitPaused() } else { rest() }
      } else {
        play()
      }
    }
  }

  func wait(milliseconds: Int32) { writer.statusChanged.wait(milliseconds: milliseconds) }

  // MARK: Places

  /// Silence, and an empty ring.
  func halt() {
    guard !isHalted else { return }
    // What is not offered would stay.
    if let ring, ring.isReplacing { ring.offerReplacement() }
    let flush = writer.flush()
    // The writer may have ended, if a player is released on one of its own threads.
    while !writer.isFlushed(flush), !cancellation.isCancelled { wait(milliseconds: 100) }
    isHalted = true
    isAtEnd = false
  }

  /// Leaves no current item.
  private func drop() {
    halt()
    (renderer, mustRest) = (nil, false)
    tried = []
    // Another item may have been requested meanwhile; nothing of it is rendered yet.
    engine.state.withLock { state in (state.marks, state.meters) = ([], []) }
  }

  /// Whether the sound rendered ahead is out of date.
  private func isStale() -> Bool {
    let heard = engine.heardIndex
    return engine.state.withLock { state in
      if let mark = state.marks.last { tried = state.tried(tried, behind: mark) }
      return state.firstStale(from: heard, to: produced) != nil
    }
  }

  /// Stops at the frame that was heard last.
  func rest() {
    mustRest = false
    halt()
    let heard = engine.heardIndex
    let place = engine.state.withLock { state in
      state.placeToGoOn(from: heard, to: produced).map(state.resolved)
    }
    if let place { go(to: place) }
  }

  private func go(to place: PlayerState.Jump) {
    pace = RenderingPace()
    // What is fetched for the place before would delay what is needed here.
    renderer?.item.endPrefetch()
    slotsUntilPrefetch = 0
    do throws(Failure) {
      let renderer = try renderer(of: place.item)
      guard try awaitsBytes(before: place) else { return }
      try renderer.seek(
        to: place.time.frames(atRate: renderer.sampleRate), exactly: place.isExact)
      mark(renderer, .jump)
      engine.state.withLock { state in
        guard state.jumpNumber == jumpNumber, !state.isDropped else { return }
        (state.rest, state.jump, state.unplayable) = (place, nil, nil)
        jumpNumber = state.jumpNumber
      }
    } catch {
      if takesInterruption() { return }
      skip(place.item, error)
    }
    (isAtEnd, tried) = (false, [])
  }

  /// The item, opened at the rate of the device that is open for it, if there is one.
  func renderer(of item: PlayerItem) throws(Failure) -> ItemRenderer {
    let format: SinkFormat? =
      if case .open(let format, _) = writer.device, isRight(format, for: item) {
        format
      } else {
        nil
      }
    if let renderer, renderer.item === item, item !== tried.last, renderer.isFor(format) {
      return renderer
    }
    let opened = try ItemRenderer(item, for: format, cancellation)
    item.trackChanges.wake(writer.statusChanged)
    renderer = opened
    return opened
  }

  /// Marks the item and the frame that the ring's next frame belongs to.
  func mark(_ renderer: ItemRenderer, _ cause: PlayerState.Mark.Cause) {
    let heard = engine.heardIndex
    engine.state.withLock { state in
      // The item is not current any more.
      guard !state.isDropped else { return }
      if case .jump = cause {
        // Discarded sound was not heard.
        state.unreported += state.passages(from: state.observed, to: heard)
        state.loopsLeft = state.loopsLeft(at: heard)
        state.marks = []
        state.forgetMeters(after: heard)
        if state.jumpNumber == jumpNumber { state.current = renderer.item }
        state.jumps += 1
        state.observed = produced
      }
      state.countDown(for: cause)
      state.marks.append(mark(of: renderer, cause, state.loopsLeft))
      state.forget(before: min(heard, produced))
    }
    // A paused player has no other wake-up.
    if case .jump = cause { engine.observationDue.signal() }
  }

  /// The mark of a renderer's place.
  func mark(
    of renderer: ItemRenderer, _ cause: PlayerState.Mark.Cause, _ loopsLeft: Int
  ) -> PlayerState.Mark {
    PlayerState.Mark(
      index: produced, item: renderer.item, frame: renderer.position,
      sampleRate: renderer.sampleRate, frameCount: renderer.frameCount, speed: renderer.speed,
      trackRevision: renderer.trackRevision, loopsLeft: loopsLeft, cause: cause)
  }

  // MARK: Playing

  private func play() {
    if renderer == nil, !openFirst() { return }
    guard let renderer else { return }
    switch writer.device {
    case .none:
      takeOpener()
      ask(for: renderer)
      wait(milliseconds: -1)
    case .lost(let failure):
      isHalted = true
      engine.lost(failure)
      wait(milliseconds: -1)
    case .failed(let failure):
      isHalted = true
      engine.deviceFailed(failure, at: produced)
    case .open(let format, let ring):
      takeOpener()
      // A device may have been lost and found during a rendering: only another ring proves it.
      let isNew = ring !== self.ring
      if isNew {
        if self.ring != nil { engine.lost(nil) }
        (self.ring, isUnreported) = (ring, true)
        if let request { answers[request] = format }
      }
      reportDevice(format)
      let count = writer.counts.interruptions.load(ordering: .acquiring)
      if isNew && produced > 0 || count != interruptions
        || isRight(format, for: renderer.item) && !renderer.isFor(format)
      {
        interruptions = count
        resume()
      } else if !isRight(format, for: renderer.item) {
        changeDevice(for: renderer, in: ring)
      } else if needsRevision(in: ring) {
        revise(in: ring)
      } else if isAtEnd {
        goOn(in: ring)
      } else if ring.filled.slots.room > 0 {
        fill(ring, renderer, format)
      } else {
        let progress = renderer.sound.chaseProgress
        engine.state.withLock { $0.chaseProgress = progress }
        // Three slots of ten: to wake for each one costs more. A change wakes this thread.
        wait(milliseconds: 64)
      }
    }
  }

  /// Reports a device: the first at once, a later one when it has played, as it may disconnect
  /// before.
  func reportDevice(_ format: SinkFormat) {
    guard isUnreported else { return }
    let isFirst = engine.state.withLock { $0.hasDevice == nil }
    guard isFirst || writer.counts.hasPlayed.load(ordering: .acquiring) else { return }
    isUnreported = false
    engine.found(format)
  }

  /// Forgets the devices of an earlier opener: another device is no loss.
  private func takeOpener() {
    let number = writer.openerNumber
    guard number != openerNumber else { return }
    (openerNumber, answers, ring) = (number, [:], nil)
    isHalted = false
  }

  private func ask(for renderer: ItemRenderer) {
    guard renderer.item.request != request else { return }
    request = renderer.item.request
    writer.open(renderer.item.request)
  }

  /// Whether an item is played to the device with a format, without opening one for it.
  private func isRight(_ format: SinkFormat, for item: PlayerItem) -> Bool {
    item.request.isMet(by: format)
      || answers[item.request].map {
        ($0.sampleRate, $0.channelCount) == (format.sampleRate, format.channelCount)
      } == true
  }

  /// Opens a device for an item, after everything before it was heard: the sound is then the
  /// export's, and only items of one format are gapless.
  private func changeDevice(for renderer: ItemRenderer, in ring: SlotRing) {
    if !isHalted {
      guard isAtEnd else {
        return ring.filled.slots.room > 0 ? end(ring) : wait(milliseconds: 20)
      }
      guard writer.counts.finished.load(ordering: .acquiring) >= produced else {
        return wait(milliseconds: 50)
      }
      halt()
    }
    self.ring = nil
    ask(for: renderer)
    wait(milliseconds: 20)
  }

  /// Continues where sound was lost, or at the start.
  private func resume() {
    isHalted = false
    rest()
  }

  private func openFirst() -> Bool {
    let first = engine.state.withLock { state -> PlayerState.Jump? in
      if let rest = state.rest { return rest }
      guard let item = state.current ?? state.queue.first else {
        state.stop(unplayable: nil)
        return nil
      }
      return PlayerState.Jump(item: item, time: .zero)
    }
    guard let first else {
      engine.observationDue.signal()
      return false
    }
    go(to: first)
    return renderer != nil
  }

  private func fill(_ ring: SlotRing, _ renderer: ItemRenderer, _ device: SinkFormat) {
    let (speed, isMetering) = engine.state.withLock { ($0.speed, $0.isMetering) }
    renderer.sound.isMetered = isMetering
    do throws(Failure) {
      if speed != renderer.speed {
        try renderer.go(to: renderer.position, at: speed)
        mark(renderer, .change)
      }
      let end = engine.state.withLock { $0.end(of: renderer.item) }
      if renderer.position >= end { return goOn(in: ring) }
      let first = renderer.position
      try read(renderer, ring.slotFrames, before: end)
      if takesInterruption() || !rebuffers() { return }
      guard try rendersAhead(renderer) else { return rest() }
      let isEnd = renderer.position >= end
      let isLast = isEnd && !engine.state.withLock { $0.goesOn }
      put(renderer, at: first, into: ring, device, isLast: isLast)
      reportDamage(renderer, isAtEnd: isEnd)
      prefetch(renderer)
    } catch {
      if takesInterruption() { return }
      if ring.isReplacing { return giveUp(renderer.item, error) }
      passOver(renderer.item, error)
      goOn(in: ring)
    }
  }

  private func put(
    _ renderer: ItemRenderer, at first: Int64, into ring: SlotRing, _ device: SinkFormat,
    isLast: Bool
  ) {
    ring.fill(renderer.block(for: device), at: produced) { slot in
      slot.firstFrame = renderer.ditherFrame(of: first)
      slot.isDithered = renderer.isDithered(on: device)
      slot.isLast = isLast
    }
    produced += Int64(renderer.block.frameCount)
    (isHalted, failures) = (false, 0)
    endStall()
    let meters = renderer.meters(endingAt: produced)
    let heard = engine.heardIndex
    let progress = renderer.sound.chaseProgress
    let certain = engine.certainlyHeardIndex
    engine.state.withLock { state in
      state.countHeard(to: certain)
      state.add(meters, heard: heard)
      state.chaseProgress = progress
    }
    if isLast { isAtEnd = true }
    offerReplacement(in: ring)
    writer.notifyFilled()
  }

  /// Reports damaged files, about once a second and at the item's end.
  private func reportDamage(_ renderer: ItemRenderer, isAtEnd: Bool) {
    slotsUntilLook -= 1
    guard isAtEnd || slotsUntilLook <= 0 else { return }
    slotsUntilLook = Self.slotsBetweenLooks
    for warning in renderer.sound.source.live.damageWarnings
    where damagedMedia.insert(warning.location).inserted {
      engine.observers.yield(.damaged(renderer.item, warning))
    }
  }
}
