import Diagnosis
import ExportEngine
import MediaTime

/// Sound whose bytes are on their way from a server: the thread waits in a read then, and looks at
/// the player's state from there.
extension RenderThread {
  /// Slots between two calls of `prefetch`, a quarter of a second.
  static let slotsBetweenPrefetches = 12

  /// Called every 20 ms while a read waits. Publishes a stall of a player that is to play, once all
  /// that was rendered is heard.
  ///
  /// - Returns: Whether to wait on; not if the player is to be silent, or elsewhere.
  func keepsWaiting() -> Bool {
    writer.awaitSound(true)
    let heard = engine.heardIndex
    let isSilent = isHalted || heard >= produced
    let (isStalled, isWanted) = engine.state.withLock { state -> (Bool, Bool) in
      let isStale =
        state.isChanged && (state.isPlaying || !isHalted)
        && state.firstStale(from: heard, to: produced) != nil
      let isNext = opening.map { state.item(after: $0.previous) === $0.next } ?? true
      let isWanted =
        !state.isEnding && !state.isDropped && state.jumpNumber == jumpNumber && !isStale
        && isNext && (state.isPlaying || isHalted)
      let isStalled = isWanted && isSilent && state.isPlaying && state.stall == nil
      if isStalled { state.beginStall(at: isHalted ? nil : produced) }
      return (isStalled, isWanted)
    }
    if isStalled { engine.observationDue.signal() }
    if !isWanted { isInterrupted = true }
    return isWanted
  }

  func endStall() {
    writer.awaitSound(false)
    let wasStalled = engine.state.withLock { state in
      defer { state.stall = nil }
      return state.stall != nil
    }
    if wasStalled { engine.observationDue.signal() }
  }

  /// Whether a read was given up, so that its failure, and what it has read, do not count. The item
  /// is opened again where it is continued.
  func takesInterruption() -> Bool {
    guard isInterrupted else { return false }
    isInterrupted = false
    renderer?.item.endPrefetch()
    renderer = nil
    // What the stall was to end with may be of another place or another item now.
    engine.state.withLock { $0.stall?.goal = nil }
    mustRest = true
    return true
  }

  /// Waits for all bytes before a place of media that are read from their start: their reader would
  /// ask for them piece by piece.
  ///
  /// - Returns: Whether to go on; not if the player is to be silent, or elsewhere.
  /// - Throws: `Failure` where such a medium cannot be opened.
  func awaitsBytes(before place: PlayerState.Jump) throws(Failure) -> Bool {
    let readers = try place.item.openMediaReadFromTheirStart(at: place.time)
    return withExtendedLifetime(readers) {
      while place.item.prefetch(before: place.time) == .isUnderWay {
        wait(milliseconds: 20)
        guard keepsWaiting() else { return !takesInterruption() }
      }
      return true
    }
  }

  /// Has a start wait, if the player is to wait then, and more is to be here before it.
  ///
  /// - Parameters:
  ///   - renderer: Its item was opened, and its first sound is here.
  ///   - frame: The item's frame of that sound.
  func awaitLikelihood(of renderer: ItemRenderer, at frame: Int64) {
    let item = renderer.item
    guard isHalted, !item.remoteSpans.isEmpty else { return }
    let start = Time(frames: frame, rate: renderer.sampleRate)
    let stalls = engine.state.withLock { state in
      state.waitsToMinimizeStalling && state.isPlaying ? state.stallCount(of: item) : nil
    }
    guard let stalls else { return }
    let length = item.resumeDuration(afterStalls: stalls)
    guard start < item.duration, !item.isLoaded(from: start, lasting: length) else { return }
    engine.state.withLock { state in
      guard state.jumpNumber == jumpNumber, !state.isDropped else { return }
      state.stall = PlayerState.Stall(
        goal: PlayerState.Goal(item: item, start: start, length: length))
    }
    engine.observationDue.signal()
  }

  /// Waits at a start or after a stall until enough is ahead to go on, or no more comes.
  ///
  /// - Returns: Whether to go on; not if the player is to be silent, or elsewhere.
  func rebuffers() -> Bool {
    guard let goal = engine.state.withLock({ $0.stall?.goal }) else { return true }
    while goal.item.prefetch(from: goal.start, lasting: goal.length, isAwaited: true)
      == .isUnderWay
    {
      guard keepsWaiting() else { return !takesInterruption() }
      wait(milliseconds: 20)
    }
    return true
  }

  /// Has fetched what will soon be rendered, now and then.
  func prefetch(_ renderer: ItemRenderer) {
    slotsUntilPrefetch -= 1
    guard slotsUntilPrefetch <= 0 else { return }
    slotsUntilPrefetch = Self.slotsBetweenPrefetches
    prefetch(for: renderer, isAwaited: false)
  }

  /// Waits for a change of a paused player. The sound after its place is fetched meanwhile: a fetch
  /// begins only after earlier ones have ended.
  func waitPaused() {
    let readiness = renderer.map { prefetch(for: $0, isAwaited: true) }
    wait(milliseconds: readiness == .isUnderWay ? 250 : -1)
  }

  /// Fetches the sound after the place of a renderer, without waiting.
  @discardableResult
  private func prefetch(
    for renderer: ItemRenderer, isAwaited: Bool
  ) -> RemoteMedium.Readiness {
    let item = renderer.item
    let place = Time(frames: renderer.position, rate: renderer.sampleRate)
    return item.prefetch(
      from: place, lasting: item.forwardBufferDuration, isAwaited: isAwaited)
  }
}
