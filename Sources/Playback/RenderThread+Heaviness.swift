import Diagnosis

/// Sound that takes longer to render than to hear: it is rendered ahead, with pauses between, instead
/// of being torn into pieces for ever.
extension RenderThread {
  /// How fast an item is rendered, since a jump.
  struct RenderingPace {
    private var seconds = 0.0
    private var soundSeconds = 0.0
    /// Seconds of sound that are rendered ahead in the next pause.
    private(set) var goal = 2.0

    /// Seconds of sound in a second; nil before there is a quarter of one.
    var rate: Double? { soundSeconds >= 0.25 ? soundSeconds / seconds : nil }

    /// Notes that some sound was rendered in some time, and forgets slowly what was long ago.
    mutating func note(sound: Double, took time: Double) {
      if soundSeconds > 4 { (seconds, soundSeconds) = (seconds / 2, soundSeconds / 2) }
      (seconds, soundSeconds) = (seconds + time, soundSeconds + sound)
    }

    /// Notes a pause: the next one is longer.
    mutating func pause() { goal = min(goal * 2, 16) }
  }

  /// Reads the next frames of a renderer, and notes how long that takes.
  func read(_ renderer: ItemRenderer, _ count: Int, before end: Int64) throws(Failure) {
    let (start, before) = (monotonicNanoseconds(), renderer.sound.renderedPosition)
    try renderer.read(count, before: end)
    // What is only copied was noted when it was rendered.
    let rendered = renderer.sound.renderedPosition - before
    guard rendered > 0, renderer.item.remoteSpans.isEmpty else { return }
    note(rendered, of: renderer, since: start)
  }

  private func note(_ frames: Int64, of renderer: ItemRenderer, since start: Int64) {
    pace.note(
      sound: Double(frames) / Double(renderer.sampleRate) / renderer.speed.factor,
      took: max(1e-9, Double(monotonicNanoseconds() - start) * 1e-9))
    let rate = pace.rate
    engine.state.withLock { $0.renderingRate = rate }
  }

  /// Renders ahead, in silence, if everything was heard because rendering is too slow.
  ///
  /// - Returns: Whether to go on; not if the player is to be silent, or elsewhere.
  func rendersAhead(_ renderer: ItemRenderer) throws(Failure) -> Bool {
    guard !isHalted, renderer.item.remoteSpans.isEmpty, renderer.isReadOut,
      let rate = pace.rate, rate < 1, engine.heardIndex >= produced
    else { return true }
    let goal = Int64(pace.goal * Double(renderer.sampleRate) * renderer.speed.factor)
    pace.pause()
    // What the device holds is played to its end, and no xrun.
    writer.awaitSound(true)
    defer { endStall() }
    while renderer.sound.framesAhead < goal {
      let share = Double(renderer.sound.framesAhead) / Double(goal)
      let isWanted = engine.state.withLock { state in
        state.stall = PlayerState.Stall(share: share)
        return !state.isEnding && !state.isDropped && state.jumpNumber == jumpNumber
          && state.isPlaying
      }
      engine.observationDue.signal()
      guard isWanted else { return false }
      let (start, before) = (monotonicNanoseconds(), renderer.sound.framesAhead)
      try renderer.sound.renderBlock()
      let rendered = renderer.sound.framesAhead - before
      guard rendered > 0 else { return true }
      note(rendered, of: renderer, since: start)
    }
    return true
  }
}
