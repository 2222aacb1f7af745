import Diagnosis
import ExportEngine
import MediaComposition
import Synchronization
import Threads

/// Renders an item from its start to where it is heard, on a thread of its own, after a jump into an
/// item with unbounded memory: the sound is nearly that of the export until the chase arrives, and
/// then the export's, bit for bit.
///
/// Safe from any thread.
final class ExactChase: Sendable {
  /// A source on its way to another thread.
  //
  // `@unchecked Sendable`: whoever makes one does not use the source any more, and it is given away
  // once: to the chasing thread by `init`, and from it by `take`.
  private struct Runner: @unchecked Sendable {
    let source: MonitoredSource
  }

  private enum State {
    case running
    case arrived(Runner)
    /// It has failed, as the rendering will, or is taken.
    case over
  }

  private let state = Mutex(State.running)
  private let cancellation = CancellationFlag()
  /// The frame that is to be reached.
  private let goal: Atomic<Int64>
  private let reached: Atomic<Int64>

  private static let blockSize = 4096

  /// Begins a chase.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - sampleRate: The rate of the frames.
  ///   - goal: The frame that is to be reached.
  ///   - source: A source of the item that has arrived elsewhere, and that nobody else uses; nil: one
  ///     at the start.
  /// - Throws: `SpawnError` where the system has no thread to give.
  init(
    _ item: PlayerItem, atRate sampleRate: Int, to goal: Int64, with source: MonitoredSource? = nil
  ) throws(Thread.SpawnError) {
    self.goal = Atomic(goal)
    reached = Atomic(source?.live.position ?? 0)
    let runner = source.map(Runner.init)
    // The thread keeps this object until it ends, soon after a cancellation.
    _ = try Thread.spawn(name: "playback-exact", urgency: .idle) {
      self.run(item, sampleRate, runner)
    }
  }

  private func run(_ item: PlayerItem, _ sampleRate: Int, _ runner: Runner?) {
    do throws(Failure) {
      let source =
        if let runner {
          runner.source
        } else {
          try MonitoredSource(item, atRate: sampleRate, cancellation)
        }
      source.isMetered = false
      let live = source.live
      let block = AudioBuffer(channelCount: live.channelCount, capacity: Self.blockSize)
      var isAtEnd = false
      while !isAtEnd, live.position < goal.load(ordering: .relaxed), !cancellation.isCancelled {
        isAtEnd = try live.read(into: block, at: 0, count: block.capacity) == 0
        reached.store(live.position, ordering: .relaxed)
      }
      state.withLock { $0 = cancellation.isCancelled ? .over : .arrived(Runner(source: source)) }
    } catch {
      state.withLock { $0 = .over }
    }
  }

  /// Ends it soon.
  func cancel() { cancellation.cancel() }

  /// Has it run to another frame, if it runs.
  func run(to goal: Int64) { self.goal.store(goal, ordering: .relaxed) }

  /// The frame that it has reached, and the share of its way.
  var progress: (frame: Int64, share: Double) {
    let frame = reached.load(ordering: .relaxed)
    let goal = max(1, goal.load(ordering: .relaxed))
    return (frame, min(1, Double(frame) / Double(goal)))
  }

  /// Whether nothing more comes of it.
  var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }

  /// The source, once, when it has arrived: it begins at the frame that was to be reached, or a
  /// little behind.
  func take() -> MonitoredSource? {
    state.withLock { state in
      guard case .arrived(let runner) = state else { return nil }
      state = .over
      return runner.source
    }
  }
}
