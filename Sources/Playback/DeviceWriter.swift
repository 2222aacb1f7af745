import Diagnosis
import Glibc
import MediaComposition
import Synchronization
import Threads

/// The thread that hands a ring's sound to a sink, in time.
///
/// While sound plays it neither allocates, locks nor logs; what it has to say stands in atomics. It
/// opens the sink, and opens another where the one it had is gone. It plays whatever the ring
/// holds: to pause is to flush, and to fill no more.
final class DeviceWriter: Sendable {
  /// What there is to write to.
  enum Device: Sendable {
    /// None was asked for so far.
    case none
    /// This one; in the ring's format from now on.
    case open(SinkFormat, SlotRing)
    /// It is gone, or could not be opened; another is looked for from time to time.
    case lost(Failure?)
    /// It cannot be played to any more, and no other is looked for.
    case failed(Failure)
  }

  /// Written by this thread alone; read by all.
  let counts = Counts()
  /// Rung after each change that the filling thread has to know: a flush, a device, the last frame.
  let news: WakeUp
  private let bell: WakeUp
  private let opener: SinkOpener
  /// This thread takes it only while nothing plays; tests hold it.
  let shared = Mutex(Shared())
  /// Counts flushes that were asked for, and those that were done.
  private let flushesWanted = Atomic<Int>(0)
  private let isEnding = Atomic<Bool>(false)
  /// Whether it waits for the ring to be filled.
  private let isStarved = Atomic<Bool>(false)
  private let volume = Atomic<UInt32>(Float(1).bitPattern)
  private let pan = Atomic<UInt32>(Float(0).bitPattern)

  struct Shared {
    var device = Device.none
    var request: SinkRequest?
  }

  /// Slots of a ring: 213 ms, which is what a change of tracks takes to be heard, too.
  static let slotCount = 10
  /// Between two looks for a device, and at most, where those that are found are gone at once.
  private static let retryPause = Duration.milliseconds(500)
  private static let longestRetryPause = Duration.seconds(8)

  /// A writer that opens its sinks by `opener`, and none until `open` is called.
  init(_ opener: @escaping SinkOpener) throws(ChildProcess.SystemError) {
    self.opener = opener
    news = try WakeUp()
    bell = try WakeUp()
  }

  // MARK: For other threads

  /// What there is to write to.
  var device: Device { shared.withLock { $0.device } }

  /// Asks for a sink, or another one; `news` is rung when it is there.
  ///
  /// One that is open is flushed and closed first, unless it is fixed.
  func open(_ request: SinkRequest) {
    shared.withLock { ($0.request, $0.device) = (request, .none) }
    _ = flush()
  }

  /// Says that the ring was filled; one that waits for the sink is left alone.
  func notifyFilled() {
    // In one order for both threads: what was filled is seen before the wait, or the wait is seen
    // here.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if isStarved.load(ordering: .relaxed) { bell.ring() }
  }

  /// Asks for silence at once and an empty ring; `news` is rung when that is so.
  ///
  /// - Returns: What `isFlushed` is to be asked about.
  func flush() -> Int {
    let number = flushesWanted.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    bell.ring()
    return number
  }

  /// Whether that flush is done.
  func isFlushed(_ number: Int) -> Bool { counts.flushes.load(ordering: .acquiring) >= number }

  /// Sets the levels; a ramp leads there.
  func setLevels(_ levels: SampleConverter.Levels) {
    volume.store(levels.volume.bitPattern, ordering: .relaxed)
    pan.store(levels.pan.bitPattern, ordering: .relaxed)
  }

  /// Ends the thread, at once.
  func end() {
    isEnding.store(true, ordering: .releasing)
    bell.ring()
  }

  // MARK: The thread

  /// Runs until `end` is called.
  func run() {
    var pause = Self.retryPause
    var kept: (any AudioSink)?
    while !isEnding.load(ordering: .acquiring) {
      guard let request = shared.withLock({ $0.request }) else {
        answerFlush()
        bell.wait(milliseconds: -1)
        continue
      }
      switch play(request, to: &kept) {
      case .over: pause = Self.retryPause
      case .absent(let failure):
        pause = Self.retryPause
        lose(failure, for: pause)
      case .gone(hasPlayed: true):
        pause = Self.retryPause
        lose(nil, for: pause)
      case .gone(hasPlayed: false):
        lose(Self.vain, for: pause)
        pause = min(pause * 2, Self.longestRetryPause)
      case .failed(let failure): fail(failure)
      }
    }
  }

  /// How playing to a sink has ended.
  private enum Ending {
    /// Another one is wanted, or none any more.
    case over
    /// It could not be opened.
    case absent(Failure)
    /// It went away; before anything was heard, or later.
    case gone(hasPlayed: Bool)
    /// It has failed for good.
    case failed(Failure)
  }

  private static let vain = Failure(
    .mendMachine,
    "it can be opened, and is gone again before it has played anything; connect it anew, or choose "
      + "another device")

  /// Opens a sink, plays to it, and closes it, or keeps it where it is fixed.
  private func play(_ request: SinkRequest, to kept: inout (any AudioSink)?) -> Ending {
    let sink: any AudioSink
    do throws(Failure) {
      if let kept { sink = kept } else { sink = try opener(request) }
      try Self.check(sink.format)
      kept = sink.isFixed ? sink : nil
    } catch {
      return .absent(error)
    }
    let ring = SlotRing(
      channelCount: sink.format.channelCount, sampleRate: sink.format.sampleRate,
      slotCount: Self.slotCount)
    counts.hasPlayed.store(false, ordering: .releasing)
    // What was to be flushed was before this device: what comes from now on is for it.
    answerFlush()
    shared.withLock { $0.device = .open(sink.format, ring) }
    news.ring()
    do throws(Failure) {
      return try play(ring, to: sink, asked: request)
    } catch {
      return .failed(error)
    }
  }

  private static func check(_ format: SinkFormat) throws(Failure) {
    guard format.sampleRate > 0, format.channelCount > 0 else {
      throw Failure(
        .mendMachine,
        "it takes \(format.channelCount) channels at \(format.sampleRate) Hz, which is "
          + "no sound; choose another device")
    }
  }

  /// Says that there is none, and waits before another is looked for.
  private func lose(_ failure: Failure?, for pause: Duration) {
    shared.withLock { $0.device = .lost(failure) }
    news.ring()
    let deadline = ContinuousClock.now + pause
    while !isEnding.load(ordering: .acquiring) {
      answerFlush()
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else { return }
      let (seconds, attoseconds) = rest.components
      // Rounded up, so that nobody asks the time again and again.
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
      bell.wait(milliseconds: Int32(clamping: milliseconds))
    }
  }

  /// Says that there will be none, and does nothing more.
  private func fail(_ failure: Failure) {
    shared.withLock { $0.device = .failed(failure) }
    news.ring()
    while !isEnding.load(ordering: .acquiring) {
      answerFlush()
      bell.wait(milliseconds: -1)
    }
  }

  /// Of nothing there is nothing to flush.
  private func answerFlush() {
    let wanted = flushesWanted.load(ordering: .acquiring)
    guard counts.flushes.load(ordering: .relaxed) < wanted else { return }
    counts.flushes.store(wanted, ordering: .releasing)
    news.ring()
  }

  /// Plays until the sink is gone, another is wanted, or the end.
  private func play(
    _ ring: SlotRing, to sink: any AudioSink, asked request: SinkRequest
  ) throws(Failure) -> Ending {
    var chunk = Chunk(ring, sink, counts)
    // What comes after the sound that was lost must not be heard before it is rendered again.
    var isLost = false
    while !isEnding.load(ordering: .acquiring) {
      let wanted = flushesWanted.load(ordering: .acquiring)
      if counts.flushes.load(ordering: .relaxed) < wanted {
        chunk.flush()
        isLost = false
        counts.flushes.store(wanted, ordering: .releasing)
        news.ring()
        // Only here may it lock: nothing plays.
        if shared.withLock({ $0.request }) != request { return .over }
      }
      if isLost {
        bell.wait(milliseconds: -1)
        continue
      }
      let levels = SampleConverter.Levels(
        volume: Float(bitPattern: volume.load(ordering: .relaxed)),
        pan: Float(bitPattern: pan.load(ordering: .relaxed)))
      switch try chunk.step(levels) {
      case .again: break
      case .wait: sink.wait(or: bell.descriptor, milliseconds: 200)
      case .starved: waitForSound(in: ring, milliseconds: 200)
      case .finished:
        news.ring()
        waitForSound(in: ring, milliseconds: -1)
      case .interrupted:
        chunk.lose()
        sink.drop()
        isLost = true
        counts.interruptions.wrappingAdd(1, ordering: .releasing)
        news.ring()
      case .gone:
        chunk.lose()
        // Before the device is closed, which may take as long as its server hangs.
        shared.withLock { $0.device = .lost(nil) }
        news.ring()
        return .gone(hasPlayed: counts.hasPlayed.load(ordering: .relaxed))
      }
      bell.clear()
    }
    sink.drop()
    return .over
  }

  /// Waits until the ring is filled, or for an order.
  private func waitForSound(in ring: SlotRing, milliseconds: Int32) {
    isStarved.store(true, ordering: .relaxed)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if ring.slots.first == nil { bell.wait(milliseconds: milliseconds) }
    isStarved.store(false, ordering: .relaxed)
  }
}

/// What a writer has done, for all threads to see.
final class Counts: Sendable {
  /// Frames of the ring that the sink has taken, and that are heard; see `heard`.
  private let written = Atomic<Int64>(0)
  private let delayed = Atomic<Int64>(0)
  private let time = Atomic<Int64>(0)
  /// Odd while the three above are being changed.
  private let version = Atomic<Int>(0)
  /// Times that the sink ran dry.
  let xruns = Atomic<Int>(0)
  /// Times that the system stopped it, and what it held was lost.
  let interruptions = Atomic<Int>(0)
  /// Whether the sink that is open, or was last, has played anything.
  let hasPlayed = Atomic<Bool>(false)
  /// Flushes that were done.
  let flushes = Atomic<Int>(0)
  /// The frame of the ring behind the last slot that was the last and was heard to its end.
  let finished = Atomic<Int64>(-1)

  /// Frames of the ring up to which everything was handed to the sink or thrown away, how many of
  /// these are still to be heard, and when that was so, in nanoseconds of the monotonic clock.
  struct Progress: Sendable {
    var written: Int64 = 0
    var delay: Int64 = 0
    var nanoseconds: Int64 = 0
  }

  /// The newest, all of one moment.
  var progress: Progress {
    while true {
      let before = version.load(ordering: .acquiring)
      let found = Progress(
        written: written.load(ordering: .acquiring), delay: delayed.load(ordering: .acquiring),
        nanoseconds: time.load(ordering: .acquiring))
      if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before { return found }
    }
  }

  /// By the writer's thread alone.
  func publish(written: Int64, delay: Int) {
    version.wrappingAdd(1, ordering: .acquiringAndReleasing)
    self.written.store(written, ordering: .releasing)
    delayed.store(Int64(delay), ordering: .releasing)
    time.store(monotonicNanoseconds(), ordering: .releasing)
    version.wrappingAdd(1, ordering: .releasing)
  }
}
