import Diagnosis
import MediaComposition
import MediaTime

/// Where the sound goes on: after a jump, a pause, or a loss of sound that was rendered ahead.
extension RenderThread {
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
  func drop() {
    halt()
    (renderer, mustRest) = (nil, false)
    tried = []
    // Another item may have been requested meanwhile; nothing of it is rendered yet.
    engine.state.withLock { state in (state.marks, state.meters) = ([], []) }
  }

  /// Finds the frame from which on rendered sound is out of date.
  ///
  /// - Parameter changed: The frame that was heard when the queue was changed.
  /// - Returns: As of `PlayerState.staleFrame`.
  func staleFrame(since changed: Int64?) -> Int64? {
    let heard = engine.heardIndex
    return engine.state.withLock { state in
      if let mark = state.marks.last { tried = state.tried(tried, behind: mark) }
      return state.staleFrame(from: heard, since: changed ?? heard, to: produced)
    }
  }

  /// Stops at the frame that was heard last.
  ///
  /// - Parameter stale: A frame from which on the sound is out of date. The device may play some of that
  ///   before it stops; it does not count as heard.
  func rest(before stale: Int64 = .max) {
    mustRest = false
    halt()
    let heard = min(engine.heardIndex, stale)
    let (place, last) = engine.state.withLock { state in
      let place = state.placeToGoOn(from: heard, to: produced).map(state.resolved)
      return (place, state.place(of: heard).map(state.resolved))
    }
    guard let place else { return }
    let goesOn = place.item === last?.item && place.time == last?.time
    go(to: place, goesOn ? .resume : .jump)
  }

  /// Goes to a place, in silence: by a jump, or where the sound goes on.
  func go(to place: PlayerState.Jump, _ cause: PlayerState.Mark.Cause = .jump) {
    pace = RenderingPace()
    // What is fetched for the place before would delay what is needed here.
    renderer?.item.endPrefetch()
    slotsUntilPrefetch = 0
    do throws(Failure) {
      let renderer = try renderer(of: place.item)
      guard try awaitsBytes(before: place) else { return }
      try renderer.seek(
        to: place.time.frames(atRate: renderer.sampleRate), exactly: place.isExact)
      mark(renderer, cause)
      engine.state.withLock { state in
        guard state.jumpNumber == jumpNumber, !state.isDropped else { return }
        state.arrive()
        (state.rest, state.unplayable) = (place, nil)
        jumpNumber = state.jumpNumber
      }
      engine.observationDue.signal()
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
    item.fail(nil)
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
      if cause.isAnew {
        // Discarded sound was not heard.
        state.unreported += state.passages(from: state.observed, to: heard)
        state.observed = produced
        if case .resume = cause { state.observed += overshoot(of: state, heard, renderer) }
        state.loopsLeft = state.loopsLeft(at: heard)
        state.marks = []
        state.forgetMeters(after: heard)
        if state.jumpNumber == jumpNumber { state.current = renderer.item }
      }
      state.countDown(for: cause)
      let mark = mark(of: renderer, cause, state.loopsLeft)
      state.marks.append(mark)
      if case .jump = cause {
        let target = PlayerState.Jump(item: mark.item, time: mark.time(at: mark.index))
        state.jumps = (state.jumps.count + 1, target)
      }
      state.forget(before: min(heard, produced))
    }
    // A paused player has no other wake-up.
    if case .jump = cause { engine.observationDue.signal() }
  }

  /// Frames of the renderer that are rendered again although observers have reports of them: while a
  /// device plays, what it has played by now is an estimate.
  private func overshoot(
    of state: PlayerState, _ heard: Int64, _ renderer: ItemRenderer
  ) -> Int64 {
    // Nothing may be heard of what was rendered since the last silence.
    let heard = max(heard, state.marks.first?.index ?? heard)
    guard state.observed > heard, let mark = state.marks.last(where: { $0.index <= heard })
    else { return 0 }
    // Both speeds are in hundredths.
    let frame = mark.frame + mark.speed.sourceFrames(of: heard - mark.index)
    let end = state.loop(in: mark).map { mark.frames(in: $0).upperBound } ?? mark.frameCount
    // Behind the end, other sound may follow by now.
    let left = max(0, end - frame)
    let source = min(left, mark.speed.sourceFrames(of: state.observed - heard))
    let scaled = Int128(source) * Int128(renderer.sampleRate) * 100
    return Int64(scaled / (Int128(mark.sampleRate) * Int128(renderer.speed.percent)))
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
}
