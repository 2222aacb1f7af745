import Synchronization

/// The progress of a writer, for all threads.
final class Counts: Sendable {
  /// The parts of `progress`.
  private let written = Atomic<Int64>(0)
  private let delayed = Atomic<Int64>(0)
  private let time = Atomic<Int64>(.max)
  /// Odd while the three values above change.
  private let version = Atomic<Int>(0)
  let xruns = Atomic<Int>(0)
  /// How often the system stopped the sink, and its sound was lost.
  let interruptions = Atomic<Int>(0)
  /// Whether the current sink, or the last one, has played something.
  let hasPlayed = Atomic<Bool>(false)
  let flushes = Atomic<Int>(0)
  /// The frame after the end that was heard last; −1 before that.
  let finished = Atomic<Int64>(-1)

  /// The frame of the ring up to which everything was written or discarded, the number of those
  /// still to be heard, and the time of that, in nanoseconds of the monotonic clock.
  struct Progress: Sendable {
    var written: Int64 = 0
    var delay: Int64 = 0
    /// Nil while nothing is heard since the silence before: when the sound begins is unknown.
    var nanoseconds: Int64?
  }

  /// The newest, all of one moment.
  var progress: Progress {
    while true {
      let before = version.load(ordering: .acquiring)
      let seen = time.load(ordering: .acquiring)
      let found = Progress(
        written: written.load(ordering: .acquiring), delay: delayed.load(ordering: .acquiring),
        nanoseconds: seen == .max ? nil : seen)
      if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before { return found }
    }
  }

  /// By the writer's thread alone. `isHeard`: whether the device has played since the last silence.
  func publish(written: Int64, delay: Int, isHeard: Bool) {
    version.wrappingAdd(1, ordering: .acquiringAndReleasing)
    self.written.store(written, ordering: .releasing)
    delayed.store(Int64(delay), ordering: .releasing)
    time.store(isHeard ? monotonicNanoseconds() : .max, ordering: .releasing)
    version.wrappingAdd(1, ordering: .releasing)
  }
}
