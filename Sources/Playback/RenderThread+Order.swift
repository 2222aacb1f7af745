import Diagnosis
import MediaComposition
import MediaTime

/// The sound after the end of an item.
extension RenderThread {
  /// Continues after the end of the item that was rendered last: with its loop, or with the next
  /// item that can be played. If there is none, the player stops when everything was heard.
  func goOn(in ring: SlotRing) {
    let (last, cause) = engine.state.withLock { state in
      let mark = state.marks.last
      return (mark, tried.isEmpty ? mark.flatMap(state.cause(behind:)) : nil)
    }
    // All items were removed just now.
    guard let last else { return }
    do throws(Failure) {
      switch cause {
      case .loop(let range):
        return try begin(last.item, last.frames(in: range).lowerBound, .loop(range))
      case .again: return try begin(last.item, 0, .again)
      default: break
      }
    } catch {
      if takesInterruption() { return }
      passOver(last.item, error)
    }
    if continueQueue(behind: last.item) { return }
    // A seek went to the very end, or the rest of the queue was removed just now.
    if isAtEnd { finishIfHeard() } else { end(ring) }
  }

  /// Continues with a frame of an item.
  private func begin(
    _ item: PlayerItem, _ frame: Int64, _ cause: PlayerState.Mark.Cause
  ) throws(Failure) {
    let renderer = try renderer(of: item)
    try renderer.seek(to: frame)
    mark(renderer, cause)
    (isAtEnd, tried) = (false, [])
  }

  /// Puts the end into the ring, if no slot was marked as the last one.
  func end(_ ring: SlotRing) {
    ring.fillEnd(at: produced)
    endStall()
    (isHalted, isAtEnd) = (false, true)
    offerReplacement(in: ring)
    writer.notifyFilled()
  }

  /// Continues with the next item that can be played. The sound before it is heard to its end.
  ///
  /// - Returns: Whether there is such an item, or the opening of one was given up.
  private func continueQueue(behind previous: PlayerItem) -> Bool {
    defer { opening = nil }
    while let next = following(tried.last ?? previous) {
      opening = (next, tried.last ?? previous)
      do throws(Failure) {
        try begin(next, 0, .advance(past: tried, isSame: next === previous))
        return true
      } catch {
        if takesInterruption() { return true }
        passOver(next, error)
      }
    }
    return false
  }

  /// The next item; nil if no item of the queue can be played.
  private func following(_ item: PlayerItem) -> PlayerItem? {
    engine.state.withLock { state in
      failures < state.queue.count ? state.item(after: item) : nil
    }
  }

  /// Records that an item cannot be played; the next one follows it.
  func passOver(_ item: PlayerItem, _ failure: Failure) {
    endStall()
    failures += 1
    tried += unmark(item) + [item]
    engine.failed(item, failure, at: produced)
  }

  /// Forgets that an item begins where nothing of it was rendered: if the one before is replaced, it
  /// goes on there.
  ///
  /// - Returns: The items that could not be played before it.
  private func unmark(_ item: PlayerItem) -> [PlayerItem] {
    engine.state.withLock { state in
      guard state.marks.count > 1, let mark = state.marks.last, mark.item === item,
        mark.index == produced, case .advance(let past, isSame: _) = mark.cause
      else { return [] }
      state.marks.removeLast()
      return past
    }
  }

  func finishIfHeard() {
    guard writer.counts.finished.load(ordering: .acquiring) >= produced else {
      wait(milliseconds: 50)
      return
    }
    if case .open(let format, _) = writer.device { reportDevice(format) }
    halt()
    if engine.finished(tried.last) { (renderer, tried, failures) = (nil, [], 0) }
  }

  /// Skips an item that cannot be opened, in silence.
  func skip(_ item: PlayerItem, _ failure: Failure) {
    renderer = nil
    passOver(item, failure)
    let next = following(item)
    if next == nil { failures = 0 }
    engine.skip(item, for: next, ifStill: jumpNumber)
  }
}
