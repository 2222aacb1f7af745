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

  /// A deck that plays nothing yet, and opens no sink.
  ///
  /// - Throws: `tryAgain` where the machine has no thread or descriptor left.
  init(opening opener: @escaping SinkOpener) throws(Failure) {
    do {
      writer = try DeviceWriter(opener)
      clock = try WakeUp()
      let writer = writer
      let writing = try Thread.spawn(name: "playback-write", urgency: .live) { writer.run() }
      threads.withLock { $0.append(writing) }
      let feeding = try Thread.spawn(name: "playback-feed", urgency: .live) { [cancellation] in
        Feeder(self, cancellation: cancellation).run()
      }
      threads.withLock { $0.append(feeding) }
      let watching = try Thread.spawn(name: "playback-clock") { Clock(self).run() }
      threads.withLock { $0.append(watching) }
    } catch {
      throw Failure(.tryAgain, "playback cannot start: \(error)")
    }
  }

  /// Ends both threads, and waits for them; silence at once. Nothing plays after it.
  func end() {
    cancellation.cancel()
    update { $0.isEnding = true }
    clock.ring()
    observers.close()
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    // The one that feeds may be waiting for the one that writes, which ends when all others have.
    for thread in running.dropFirst() { thread.join() }
    writer.end()
    running.first?.join()
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
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let elapsed = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - progress.nanoseconds
    // A second at most: no sum overflows, and a device that stands still is not run ahead of.
    let frames = max(0, min(elapsed, 1_000_000_000)) * Int64(format.sampleRate) / 1_000_000_000
    return progress.written - progress.delay + min(progress.delay, frames)
  }

  // MARK: From the feeding thread

  /// There is no device, for now.
  func lost(_ failure: Failure?) {
    let isNews = state.withLock { state in
      defer { state.hasDevice = false }
      if let failure { state.failure = failure }
      return state.hasDevice != false
    }
    if isNews { observers.yield(.deviceLost(failure)) }
  }

  /// There is a device that was not there before.
  func found(_ format: SinkFormat) {
    let hadDevice = state.withLock { state in
      defer { state.hasDevice = true }
      if state.hasDevice == false { state.failure = nil }
      return state.hasDevice == true
    }
    // The one before was lost, and nobody has noticed until now.
    if hadDevice { observers.yield(.deviceLost(nil)) }
    observers.yield(.deviceFound(format))
  }

  /// All was heard.
  func finished() {
    state.withLock { state in
      state.isPlaying = false
      // Who tells what is heard may not have come to the last item yet.
      state.current = state.marks.last?.item ?? state.current
      state.rest = state.current.map { DeckState.Jump(item: $0, time: $0.duration) }
    }
    clock.ring()
  }

  /// An item cannot be played: on with the next one.
  func failed(_ item: PlayerItem, _ failure: Failure) {
    state.withLock { state in
      state.failure = failure
      guard let next = state.item(after: item) else {
        state.isPlaying = false
        return
      }
      state.current = next
      state.rest = DeckState.Jump(item: next, time: .zero)
    }
    observers.yield(.itemFailed(item, failure))
    clock.ring()
  }
}
