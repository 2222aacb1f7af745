import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import Synchronization
import Threads

/// What players share: the queue and what is wanted of it, a thread that renders and one that
/// writes.
///
/// Safe from any thread; nothing here waits for sound or a device but `end`.
final class Deck: Sendable {
  let state = Monitor(DeckState())
  let writer: DeviceWriter
  /// Rung when there is something to observe.
  let clock: WakeUp
  let observers = Observers()
  private let cancellation = CancellationFlag()
  private let threads = Mutex<[Thread]>([])
  /// How long `end` waits for the threads that read files and call observers, and then for the one that
  /// writes to the device.
  private static let patience = Duration.seconds(2)

  /// How the deck starts its threads.
  typealias Starter =
    (String, Thread.Urgency, @escaping @Sendable () -> Void) throws(Thread.SpawnError) -> Thread

  /// A deck that plays nothing yet, and opens no sink.
  ///
  /// - Throws: `tryAgain` where the machine has no thread or descriptor left.
  init(
    opening opener: @escaping SinkOpener,
    starting start: Starter = { (name, urgency, body) throws(Thread.SpawnError) in
      try Thread.spawn(name: name, urgency: urgency, body)
    }
  ) throws(Failure) {
    do throws(ChildProcess.SystemError) {
      writer = try DeviceWriter(opener)
      clock = try WakeUp()
    } catch {
      throw Self.failure(error)
    }
    let writer = writer
    do throws(Thread.SpawnError) {
      keep(try start("playback-write", .live) { writer.run() })
      let cancellation = cancellation
      keep(
        try start("playback-feed", .live) { Feeder(self, cancellation: cancellation).run() })
      keep(try start("playback-clock", .usual) { Clock(self).run() })
    } catch {
      // Those that have started would wait for ever.
      end()
      throw Self.failure(error)
    }
  }

  private func keep(_ thread: Thread) { threads.withLock { $0.append(thread) } }

  private static func failure(_ error: any Error) -> Failure {
    Failure(.tryAgain, "playback cannot start: \(error)")
  }

  /// Ends its threads, and waits for them; silence at once. Nothing plays after it.
  ///
  /// It waits for a bounded time (`patience`): a device whose server hangs blocks alsa-lib, and with it
  /// the thread that writes. That thread ends, and closes the device, if the server answers again.
  /// Where one of the threads asks, which may be inside an observer, it waits for none: they end by
  /// themselves, that one as soon as the observer returns.
  func end() {
    cancellation.cancel()
    update { $0.isEnding = true }
    clock.ring()
    observers.close()
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    if running.contains(where: \.isCurrent) { return writer.end() }
    // The one that feeds may be waiting for the one that writes, which ends when all others have.
    let deadline = ContinuousClock.now + Self.patience
    for thread in running.dropFirst() { thread.join(until: deadline) }
    writer.end()
    running.first?.join(until: .now + Self.patience)
  }

  // MARK: For players

  /// Changes what is wanted.
  func update<Result>(_ body: (inout DeckState) -> Result) -> Result {
    let result = state.withLock(body)
    writer.news.ring()
    clock.ring()
    return result
  }

  /// The place that is heard now, or from which it will go on; nil before anything was played.
  var place: DeckState.Jump? {
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
    let elapsed = monotonicNanoseconds() - progress.nanoseconds
    // A second at most: no sum overflows, and a device that stands still is not run ahead of.
    let frames = max(0, min(elapsed, 1_000_000_000)) * Int64(format.sampleRate) / 1_000_000_000
    return progress.written - progress.delay + min(progress.delay, frames)
  }

  // MARK: From the feeding thread

  /// There is no device, for now: told when that begins, and when there is another reason for it.
  func lost(_ failure: Failure?) {
    let isNews = state.withLock { state in
      let isNews = state.hasDevice != false || failure != nil && failure != state.lossReason
      (state.hasDevice, state.lossReason) = (false, failure ?? state.lossReason)
      if let failure { state.failure = failure }
      return isNews
    }
    if isNews { observers.yield(.deviceLost(failure)) }
  }

  /// There is a device that was not there before.
  func found(_ format: SinkFormat) {
    state.withLock { state in
      if state.hasDevice == false { state.failure = nil }
      (state.hasDevice, state.lossReason) = (true, nil)
    }
    observers.yield(.deviceFound(format))
  }

  /// The device cannot be played to any more; whoever hears of it does so before the player stops.
  /// `produced` is the frame of the rings that would be rendered next.
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
    clock.ring()
  }

  /// All was heard that the queue has, up to its end.
  ///
  /// - Parameter last: The last item, where it is not heard, since it cannot be played.
  /// - Returns: Whether it stops. It does not where somebody has gone elsewhere just now, or something
  ///   may follow by now.
  func finished(_ last: PlayerItem?) -> Bool {
    let isOver = state.withLock { state in
      guard state.jump == nil, !state.isDropped, !state.isChanged else { return false }
      // Who tells what is heard may not have come to the last item yet.
      state.current = last ?? state.marks.last?.item ?? state.current
      state.rest = state.current.map {
        DeckState.Jump(item: $0, time: last == nil ? $0.duration : .zero)
      }
      state.stop(unplayable: last)
      return true
    }
    clock.ring()
    return isOver
  }

  /// An item cannot be played; whoever hears of it does so before the player stops for it.
  func failed(_ item: PlayerItem, _ failure: Failure) {
    state.withLock { $0.failure = failure }
    observers.yield(.itemFailed(item, failure))
  }

  /// Nothing sounds, and an item that was to be played cannot be.
  ///
  /// - Parameters:
  ///   - item: Which.
  ///   - next: What is played instead; nil: it stops.
  ///   - number: The state's `jumpNumber` when it was to be played; nothing is done where somebody has
  ///     gone elsewhere since.
  func leftOut(_ item: PlayerItem, for next: PlayerItem?, ifStill number: Int) {
    state.withLock { state in
      guard state.jumpNumber == number, !state.isDropped else { return }
      state.jump = nil
      state.current = next ?? item
      state.rest = DeckState.Jump(item: next ?? item, time: .zero)
      if next == nil { state.stop(unplayable: item) }
    }
    clock.ring()
  }
}
