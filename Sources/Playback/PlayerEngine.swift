import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import Synchronization
import Threads

/// The state of a player and its three threads: `RenderThread` renders into a `SlotRing`,
/// `DeviceWriter` writes its slots to the sink, `Clock` calls observers.
///
/// A pause, a seek, a removed item and a lost device are one operation: the ring is flushed, and
/// rendering continues at the frame that was heard last. Marks relate the ring's frames to items.
///
/// Safe from any thread. Only `end` waits for a thread.
final class PlayerEngine: Sendable {
  let state = Monitor(PlayerState())
  let writer: DeviceWriter
  /// Signals the observing thread: something has changed.
  let observationDue: WakeUp
  let observers = Observers<PlayerEvent>()
  let timeObservers = Observers<TimeEvent>()
  /// Those who look at values, after each look of the observing thread.
  let valueObservers = Observers<Void>()
  /// The devices' clock, in nanoseconds.
  let clock: @Sendable () -> Int64
  private let cancellation = CancellationFlag()
  private let threads = Mutex<[Thread]>([])
  /// How long `end` waits for the threads that read files and call observers, and then for the
  /// writing one.
  private static let patience = Duration.seconds(2)

  typealias Starter =
    (String, Thread.Urgency, @escaping @Sendable () -> Void) throws(Thread.SpawnError) -> Thread

  /// An engine that plays nothing and opens no sink.
  ///
  /// - Throws: `tryAgain` if the process gets no thread or descriptor.
  init(
    opening opener: @escaping SinkOpener,
    starting start: Starter = { (name, urgency, body) throws(Thread.SpawnError) in
      try Thread.spawn(name: name, urgency: urgency, body)
    },
    clock: @escaping @Sendable () -> Int64 = { monotonicNanoseconds() }
  ) throws(Failure) {
    self.clock = clock
    do throws(ChildProcess.SystemError) {
      writer = try DeviceWriter(opener, clock: clock)
      observationDue = try WakeUp()
    } catch {
      throw Failure(.tryAgain, "playback cannot start: \(error)")
    }
    let writer = writer
    do throws(Thread.SpawnError) {
      keep(try start("playback-write", .live) { writer.run() })
      let cancellation = cancellation
      keep(
        try start("playback-feed", .live) { RenderThread(self, cancellation: cancellation).run() })
      keep(try start("playback-clock", .usual) { Clock(self).run() })
    } catch {
      // Started threads would wait for ever.
      end()
      throw .outOfThreads(error, "playback cannot start")
    }
  }

  private func keep(_ thread: Thread) { threads.withLock { $0.append(thread) } }

  /// Stops the sound at once, ends the threads, and waits for them.
  ///
  /// The wait is bounded (`patience`): a device whose server hangs blocks alsa-lib, and with it the
  /// writing thread. That thread ends, and closes the device, if the server answers again. On one
  /// of the engine's own threads, inside an observer, `end` waits for none: the threads end by
  /// themselves, that one when the observer returns.
  func end() {
    cancellation.cancel()
    update { state in
      state.isEnding = true
      state.waiters.giveUp()
    }
    observationDue.signal()
    answerWaiters()
    observers.close()
    timeObservers.close()
    valueObservers.close()
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    if running.contains(where: \.isCurrent) { return writer.end() }
    // The rendering thread may wait for the writing one, which therefore ends last.
    let deadline = ContinuousClock.now + Self.patience
    for thread in running.dropFirst() { thread.join(until: deadline) }
    writer.end()
    running.first?.join(until: .now + Self.patience)
  }

  // MARK: For players

  /// Changes the state, and signals the threads.
  func update<Result>(_ body: (inout PlayerState) -> Result) -> Result {
    let heard = heardIndex
    let result = state.withLock { state in
      let result = body(&state)
      if state.isChanged { state.changedFrame = state.changedFrame ?? heard }
      return result
    }
    writer.statusChanged.signal()
    observationDue.signal()
    return result
  }

  /// The place that is heard now, or where a paused player continues; nil before the first sound.
  var place: PlayerState.Jump? {
    let heard = heardIndex
    return state.withLock { state in
      if let jump = state.jump { return jump }
      return state.isPlaying ? state.place(of: heard) ?? state.rest : state.rest
    }
  }

  /// The frame of the rings that is heard now.
  var heardIndex: Int64 {
    let progress = writer.counts.progress
    guard progress.delay > 0, case .open(let format, _) = writer.device else {
      return progress.written
    }
    let elapsed = progress.nanoseconds.map { monotonicNanoseconds() - $0 } ?? 0
    // A second at most: no sum overflows, and the time does not run ahead of a device that hangs.
    let frames = max(0, min(elapsed, 1_000_000_000)) * Int64(format.sampleRate) / 1_000_000_000
    return progress.written - progress.delay + min(progress.delay, frames)
  }

  /// The frame of the rings up to which everything was heard for certain.
  var certainlyHeardIndex: Int64 {
    let progress = writer.counts.progress
    return progress.written - progress.delay
  }

  // MARK: From the rendering thread

  /// Reports that there is no device, at first and for each new reason.
  func lost(_ failure: Failure?) {
    let isNews = state.withLock { state in
      let isNews = state.hasDevice != false || failure != nil && failure != state.lossReason
      (state.hasDevice, state.lossReason) = (false, failure ?? state.lossReason)
      if let failure { state.failure = failure }
      return isNews
    }
    if isNews { observers.yield(.deviceLost(failure)) }
    observationDue.signal()
  }

  func found(_ format: SinkFormat) {
    state.withLock { state in
      if state.hasDevice == false { state.failure = nil }
      (state.hasDevice, state.lossReason) = (true, nil)
    }
    observers.yield(.deviceFound(format))
    observationDue.signal()
  }

  /// Reports that the device has failed for good, then stops. `produced` is the next frame's index.
  func deviceFailed(_ failure: Failure, at produced: Int64) {
    let heard = heardIndex
    state.withLock { $0.failure = failure }
    observers.yield(.deviceFailed(failure))
    state.withLock { state in
      if state.jump == nil {
        state.rest = state.placeToGoOn(from: heard, to: produced) ?? state.rest
      }
      state.stop(unplayable: nil)
    }
    observationDue.signal()
  }

  /// Stops after the end of the queue was heard.
  ///
  /// - Parameter last: The last item, if it cannot be played.
  /// - Returns: Whether the player stops. It does not if a seek has come meanwhile, or another item
  ///   may follow now.
  func finished(_ last: PlayerItem?) -> Bool {
    let heard = heardIndex
    let isOver = state.withLock { state in
      guard state.jump == nil, !state.isDropped, !state.isChanged else { return false }
      let place = state.marks.last.flatMap { state.place(of: max($0.index, heard)) }
      // The observing thread may not have reached the last item yet.
      state.current = (last ?? state.marks.last?.item).map(state.resolved) ?? state.current
      state.rest = state.current.map { item in
        // An item that fails is left where it was heard last.
        let failed = place.flatMap { $0.item === item ? $0.time : nil } ?? .zero
        return PlayerState.Jump(item: item, time: last == nil ? item.duration : failed)
      }
      state.stop(unplayable: last)
      return true
    }
    observationDue.signal()
    return isOver
  }

  /// Reports that an item cannot be played, before the player stops for it. `produced` is the next
  /// frame's index.
  func failed(_ item: PlayerItem, _ failure: Failure, at produced: Int64) {
    state.withLock { state in
      state.failure = failure
      state.cutShort = state.place(of: produced).flatMap { $0.item === item ? $0 : nil }
    }
    item.fail(failure)
    observers.yield(.itemFailed(item, failure))
    observationDue.signal()
  }

  /// Skips an item that cannot be played, in silence.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - next: The item that is played instead; nil: the player stops.
  ///   - number: The state's `jumpNumber` when the item was to be played; after another jump
  ///     nothing is done.
  func skip(_ item: PlayerItem, for next: PlayerItem?, ifStill number: Int) {
    state.withLock { state in
      guard state.jumpNumber == number, !state.isDropped else { return }
      state.jump = nil
      state.current = next ?? item
      state.rest = PlayerState.Jump(item: next ?? item, time: .zero)
      if next == nil { state.stop(unplayable: item) }
    }
    observationDue.signal()
  }
}
