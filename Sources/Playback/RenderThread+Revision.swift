import Diagnosis
import MediaTime

/// Sound that is rendered ahead and is to sound otherwise: it is replaced while it plays, so that a
/// listener hears a change as soon as the device has played what it holds.
extension RenderThread {
  /// Whether the sound that the device does not have yet is to sound otherwise. While a lane waits to
  /// be taken it is filled, and a change is found again behind that.
  func needsRevision(in ring: SlotRing) -> Bool {
    guard !isHalted, !ring.isReplacing, !ring.isOffered else { return false }
    let next = writer.counts.progress.written
    return engine.state.withLock { $0.isRevised(from: next) }
  }

  /// Renders the sound that the device does not have yet anew, into the ring's other lane.
  func revise(in ring: SlotRing) {
    let start = writer.counts.progress.written
    let found = engine.state.withLock { state in
      state.place(of: start).map { (state.resolved($0), state.speed) }
    }
    guard let (place, speed) = found else { return rest() }
    // Another item may take longer to open than the old lane lasts: no reason to run dry.
    writer.awaitSound(true)
    defer { writer.awaitSound(false) }
    do throws(Failure) {
      let renderer = try renderer(of: place.item)
      try renderer.go(to: place.time.frames(atRate: renderer.sampleRate), at: speed)
      ring.beginReplacement()
      (produced, isAtEnd, tried) = (start, false, [])
      engine.state.withLock { state in
        state.loopsLeft = state.loopsLeft(at: start)
        // The change may be just where an item begins, or is looped.
        let cause = state.marks.first { $0.index == start }?.cause ?? .change
        let isOther = state.item(at: start) !== place.item
        state.marks.removeAll { $0.index >= start }
        state.forgetMeters(after: start)
        state.marks.append(mark(of: renderer, isOther ? .replacement : cause, state.loopsLeft))
      }
    } catch {
      if !takesInterruption() { giveUp(place.item, error) }
    }
  }

  /// Skips an item that cannot be played in the place of another, as after a jump: of the next one,
  /// the old lane would play over the beginning.
  func giveUp(_ item: PlayerItem, _ failure: Failure) {
    halt()
    skip(item, failure)
  }

  /// Offers the other lane, once it has sound for longer than the device needs to go over to it.
  func offerReplacement(in ring: SlotRing) {
    guard ring.isReplacing else { return }
    let needed = writer.counts.progress.written + Int64(2 * ring.slotFrames)
    guard isAtEnd || ring.filled.slots.room == 0 || produced >= needed else { return }
    ring.offerReplacement()
    writer.notifyOffered()
  }
}
