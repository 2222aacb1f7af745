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
  let cancellation: CancellationFlag

  var renderer: ItemRenderer?
  /// Frames that were put into rings so far; the index of the next one.
  var produced: Int64 = 0
  var request: SinkRequest?
  /// The opened format for each request: a device without the requested one gets it once.
  var answers: [SinkRequest: SinkFormat] = [:]
  /// The ring that was filled last. Another ring belongs to another device, which has played
  /// nothing.
  var ring: SlotRing?
  /// The number of the opener that has opened it.
  var openerNumber = 0
  var isUnreported = false
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
  var interruptions = 0
  /// Whether somebody waits until the item and the device are open.
  var isPreparing = false
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
      let order = engine.state.withLock { state in
        jumpNumber = state.jumpNumber
        return Order(&state, isHalted: isHalted)
      }
      isPreparing = order.isPreparing
      if order.isEnding { return }
      if order.isDropped { drop() }
      if let jump = order.jump {
        (failures, mustRest) = (0, false)
        halt()
        go(to: jump)
      } else if order.isDropped {
        continue
      } else if order.isRestarted || mustRest && order.isPlaying {
        rest()
      } else if order.isChanged, let stale = staleFrame(since: order.changedFrame) {
        rest(before: stale)
      } else if order.isPlaying {
        play()
      } else if !isHalted {
        // `rest` waits for a flush, which clears the wake-up: the state is read again before a
        // wait.
        rest()
      } else if order.isPreparing {
        _ = openDevice()
      } else {
        waitPaused()
      }
    }
  }

  /// What is to be done, read at once.
  private struct Order {
    let isEnding, isDropped, isChanged, isRestarted, isPlaying, isPreparing: Bool
    let jump: PlayerState.Jump?
    let changedFrame: Int64?

    init(_ state: inout PlayerState, isHalted: Bool) {
      (isEnding, isDropped, jump) = (state.isEnding, state.isDropped, state.jump)
      (isPlaying, isPreparing) = (state.isPlaying, !state.waiters.preparations.isEmpty)
      // Nothing is rendered ahead while the player is paused.
      let isRendering = state.isPlaying || !isHalted
      (isChanged, changedFrame) = (state.isChanged && isRendering, state.changedFrame)
      isRestarted = state.isRestarted && isRendering
      state.isDropped = false
      if isRendering {
        (state.isChanged, state.changedFrame, state.isRestarted) = (false, nil, false)
      }
    }
  }

  func wait(milliseconds: Int32) { writer.statusChanged.wait(milliseconds: milliseconds) }

  // MARK: Playing

  private func play() {
    guard let (renderer, format, ring) = openDevice() else { return }
    if needsRevision(in: ring) {
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
      awaitLikelihood(of: renderer, at: first)
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
    let assignments = engine.state.withLock { $0.channelAssignments }
    ring.fill(renderer.block(for: device, assignments), at: produced) { slot in
      slot.firstFrame = renderer.ditherFrame(of: first)
      slot.isDithered = renderer.isDithered(on: device, assignments)
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
