import Diagnosis
import MediaTime

/// The item that is heard next and the device for it: opened when a player plays, or prepares that.
extension RenderThread {
  /// Opens both, step by step.
  ///
  /// - Returns: Nil if a step was taken, or a device is waited for: the state is to be read again.
  func openDevice() -> (ItemRenderer, SinkFormat, SlotRing)? {
    if renderer == nil, !openFirst() {
      endPreparation { state in
        guard state.unplayable != nil || state.current == nil else { return .goesOn }
        return .failed(state.failure ?? Failure(.mendJob, "there is no item; give the player one"))
      }
      return nil
    }
    guard let renderer else { return nil }
    switch writer.device {
    case .none:
      takeOpener()
      ask(for: renderer)
      wait(milliseconds: -1)
    case .lost(let failure):
      isHalted = true
      engine.lost(failure)
      endPreparation { .failed(failure ?? $0.lossReason ?? Self.disconnected) }
      wait(milliseconds: -1)
    case .failed(let failure):
      isHalted = true
      engine.deviceFailed(failure, at: produced)
      endPreparation { _ in .failed(failure) }
    case .open(let format, let ring):
      takeOpener()
      let isNew = take(ring, format)
      reportDevice(format)
      let count = writer.counts.interruptions.load(ordering: .acquiring)
      if isNew && produced > 0 || count != interruptions
        || isRight(format, for: renderer.item) && !renderer.isFor(format)
      {
        interruptions = count
        resume()
      } else if !isRight(format, for: renderer.item) {
        changeDevice(for: renderer, in: ring)
      } else {
        if isPreparing { renderFirst(of: renderer) }
        return (renderer, format, ring)
      }
    }
    return nil
  }

  private static let disconnected = Failure(
    .mendMachine, "the sound device has disconnected; connect it again, or choose another")

  /// Renders the first sound of a preparation, which opens the files.
  private func renderFirst(of renderer: ItemRenderer) {
    do throws(Failure) {
      if renderer.sound.framesAhead == 0 { try renderer.sound.renderBlock() }
      endPreparation { _ in .isReady }
    } catch {
      if takesInterruption() { return }
      skip(renderer.item, error)
      endPreparation { _ in .failed(error) }
    }
  }

  /// How far a preparation is.
  private enum Preparation {
    case goesOn
    case isReady
    case failed(Failure)
  }

  private func endPreparation(_ state: (PlayerState) -> Preparation) {
    guard isPreparing else { return }
    engine.state.withLock {
      switch state($0) {
      case .goesOn: break
      case .isReady: $0.waiters.endPreparations(nil)
      case .failed(let failure): $0.waiters.endPreparations(failure)
      }
    }
    engine.observationDue.signal()
  }

  /// Takes up a device that is open.
  ///
  /// - Returns: Whether it is another one. A device may have been lost and found during a rendering:
  ///   only another ring proves it.
  private func take(_ ring: SlotRing, _ format: SinkFormat) -> Bool {
    guard ring !== self.ring else { return false }
    if self.ring != nil { engine.lost(nil) }
    (self.ring, isUnreported) = (ring, true)
    if let request { answers[request] = format }
    return true
  }

  /// What a device is asked for, for an item.
  private func request(for item: PlayerItem) -> SinkRequest {
    var request = item.request
    if let assignments = engine.state.withLock({ $0.channelAssignments }) {
      request.channelCount = max(1, (assignments.max() ?? 0) + 1)
    }
    return request
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
  func takeOpener() {
    let number = writer.openerNumber
    guard number != openerNumber else { return }
    (openerNumber, answers, ring) = (number, [:], nil)
    isHalted = false
  }

  func ask(for renderer: ItemRenderer) {
    let wanted = request(for: renderer.item)
    guard wanted != request else { return }
    request = wanted
    writer.open(wanted)
  }

  /// Whether an item is played to the device with a format, without opening one for it.
  func isRight(_ format: SinkFormat, for item: PlayerItem) -> Bool {
    let wanted = request(for: item)
    return wanted.isMet(by: format)
      || answers[wanted].map {
        ($0.sampleRate, $0.channelCount) == (format.sampleRate, format.channelCount)
      } == true
  }

  /// Opens a device for an item, after everything before it was heard: the sound is then the
  /// export's, and only items of one format are gapless.
  func changeDevice(for renderer: ItemRenderer, in ring: SlotRing) {
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
  func resume() {
    isHalted = false
    rest()
  }

  /// Opens the item that is to be heard first.
  ///
  /// - Returns: Whether it is open. If not, the state has another item, or none, or a jump has come.
  func openFirst() -> Bool {
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
}
