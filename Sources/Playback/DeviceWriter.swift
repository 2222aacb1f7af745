import Diagnosis
import Glibc
import MediaComposition
import Synchronization
import Threads

/// The thread that passes a ring's sound to a sink, in time.
///
/// While sound plays it neither allocates, locks nor logs; it publishes its progress in atomics. It
/// opens the sink, and another if that is gone. It plays everything in the ring: a pause is a
/// flush, and no filling.
final class DeviceWriter: Sendable {
  enum Device: Sendable {
    /// None was requested, or it is being opened.
    case none
    /// A device with this format, fed from this ring.
    case open(SinkFormat, SlotRing)
    /// The device is gone, or cannot be opened; opening is tried again from time to time.
    case lost(Failure?)
    case failed(Failure)
  }

  /// Written by this thread only, read by all.
  let counts = Counts()
  /// Signals the rendering thread: a flush is done, the device has changed, or the last frame was
  /// heard.
  let statusChanged: WakeUp
  private let orderGiven: WakeUp
  /// This thread locks it only while nothing plays.
  let shared: Mutex<Shared>
  /// Counts the flushes that were requested.
  private let flushesWanted = Atomic<Int>(0)
  private let isEnding = Atomic<Bool>(false)
  /// Whether this thread waits for the ring to be filled.
  private let isStarved = Atomic<Bool>(false)
  /// Whether the next sound may take long.
  private let isAwaitingSound = Atomic<Bool>(false)
  private let volume = Atomic<UInt32>(Float(1).bitPattern)
  private let pan = Atomic<UInt32>(Float(0).bitPattern)
  /// When the first sound after a silence is to be heard, in nanoseconds of `clock`; 0: soon.
  private let startTime = Atomic<Int64>(0)
  private let clock: @Sendable () -> Int64
  /// Microseconds of sound that a device is to hold while it plays; 0: as much as it takes.
  private let preferredHold = Atomic<Int>(0)

  struct Shared {
    var device = Device.none
    var request: SinkRequest?
    var opener: SinkOpener
    /// Counts the openers.
    var openerNumber = 0
  }

  /// Slots of a lane of a ring: 213 ms.
  static let slotCount = 10
  /// Between two looks, in milliseconds, while a device has little sound left: several of them happen
  /// before it runs dry.
  private static let lowPause: Int32 = 10
  /// The time between two attempts to open a device, and the longest one, for devices that
  /// disconnect at once.
  private static let retryPause = Duration.milliseconds(500)
  private static let longestRetryPause = Duration.seconds(8)

  /// A writer that opens its sinks by `opener`, and none until `open` is called.
  init(
    _ opener: @escaping SinkOpener,
    clock: @escaping @Sendable () -> Int64 = { monotonicNanoseconds() }
  ) throws(ChildProcess.SystemError) {
    self.clock = clock
    shared = Mutex(Shared(opener: opener))
    statusChanged = try WakeUp()
    orderGiven = try WakeUp()
  }

  // MARK: For other threads

  var device: Device { shared.withLock { $0.device } }

  /// Requests a sink; `statusChanged` is signalled when it is there.
  ///
  /// An open sink is flushed and closed first, unless it is fixed.
  func open(_ request: SinkRequest) {
    shared.withLock { ($0.request, $0.device) = (request, .none) }
    _ = flush()
  }

  /// Has all sinks opened by another opener from now on; an open sink is flushed and closed first.
  func setOpener(_ opener: @escaping SinkOpener) {
    shared.withLock { shared in
      shared.opener = opener
      shared.openerNumber += 1
      shared.device = .none
    }
    _ = flush()
  }

  /// The number of openers before the present one.
  var openerNumber: Int { shared.withLock { $0.openerNumber } }

  /// Signals that the ring was filled, if this thread waits for that.
  func notifyFilled() {
    // Either the writer sees the slot before it waits, or the wait is seen here.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if isStarved.load(ordering: .relaxed) { orderGiven.signal() }
  }

  /// Requests silence at once and an empty ring; `statusChanged` is signalled when that is done.
  ///
  /// - Returns: The number for `isFlushed`.
  func flush() -> Int {
    let number = flushesWanted.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    orderGiven.signal()
    return number
  }

  func isFlushed(_ number: Int) -> Bool { counts.flushes.load(ordering: .acquiring) >= number }

  /// Declares that the next sound may take long, as it comes from a server: an empty ring is then no
  /// reason to let the device run dry; what it holds is played to its end.
  func awaitSound(_ isAwaited: Bool) { isAwaitingSound.store(isAwaited, ordering: .relaxed) }

  func setLevels(_ levels: DeviceSampleConverter.Levels) {
    volume.store(levels.volume.bitPattern, ordering: .relaxed)
    pan.store(levels.pan.bitPattern, ordering: .relaxed)
  }

  /// Has a device hold so much sound while it plays, and more after it has run dry; zero: as much as
  /// it takes.
  func setPreferredHold(_ length: Duration) {
    let (seconds, attoseconds) = max(.zero, min(length, .seconds(60))).components
    preferredHold.store(
      Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000), ordering: .relaxed)
  }

  /// Has the next sound after a silence heard at a time of the clock, in nanoseconds; nil: soon.
  func setStart(_ time: Int64?) { startTime.store(time ?? 0, ordering: .releasing) }

  private var start: Int64? {
    let time = startTime.load(ordering: .acquiring)
    return time > 0 ? time : nil
  }

  /// Signals that another lane of the ring is offered.
  func notifyOffered() { orderGiven.signal() }

  func end() {
    isEnding.store(true, ordering: .releasing)
    orderGiven.signal()
  }

  // MARK: The thread

  func run() {
    var pause = Self.retryPause
    var kept: (any AudioSink)?
    var keptNumber: Int?
    while !isEnding.load(ordering: .acquiring) {
      let order = shared.withLock { Order($0) }
      if order?.number != keptNumber { (kept, keptNumber) = (nil, order?.number) }
      guard let order else {
        answerFlush()
        orderGiven.wait(milliseconds: -1)
        continue
      }
      switch play(order, to: &kept) {
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

  /// What is to be opened, and how.
  private struct Order {
    let request: SinkRequest
    let opener: SinkOpener
    let number: Int

    init?(_ shared: Shared) {
      guard let request = shared.request else { return nil }
      (self.request, opener, number) = (request, shared.opener, shared.openerNumber)
    }

    func isValid(in shared: Shared) -> Bool {
      shared.request == request && shared.openerNumber == number
    }
  }

  /// The end of playing to a sink.
  private enum Ending {
    /// Another sink was requested, or the writer ends.
    case over
    /// It could not be opened.
    case absent(Failure)
    /// The sink is gone, before or after it has played something.
    case gone(hasPlayed: Bool)
    case failed(Failure)
  }

  private static let vain = Failure(
    .mendMachine,
    "it can be opened, but disconnects before it has played a frame; connect it again, or choose "
      + "another device")

  /// Opens a sink, plays to it, and closes it, or keeps it where it is fixed.
  private func play(_ order: Order, to kept: inout (any AudioSink)?) -> Ending {
    let sink: any AudioSink
    do throws(Failure) {
      if let kept { sink = kept } else { sink = try order.opener(order.request) }
      try Self.check(sink.format)
      kept = sink.isFixed ? sink : nil
    } catch {
      return .absent(error)
    }
    let ring = SlotRing(
      channelCount: sink.format.channelCount, sampleRate: sink.format.sampleRate,
      slotCount: Self.slotCount)
    counts.hasPlayed.store(false, ordering: .releasing)
    // Flushes up to here were for sound before this device.
    answerFlush()
    let isAsked = shared.withLock { shared in
      // Opening takes long: another sink may be requested meanwhile.
      guard order.isValid(in: shared) else { return false }
      shared.device = .open(sink.format, ring)
      return true
    }
    guard isAsked else { return .over }
    statusChanged.signal()
    do throws(Failure) {
      return try play(ring, to: sink, by: order)
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

  /// Publishes that there is no device, and waits until the next attempt.
  private func lose(_ failure: Failure?, for pause: Duration) {
    shared.withLock { $0.device = .lost(failure) }
    statusChanged.signal()
    let deadline = ContinuousClock.now + pause
    while !isEnding.load(ordering: .acquiring) {
      answerFlush()
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else { return }
      let (seconds, attoseconds) = rest.components
      // Rounded up, so that the loop does not spin.
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
      orderGiven.wait(milliseconds: Int32(clamping: milliseconds))
    }
  }

  /// Publishes that the device has failed, and ends.
  private func fail(_ failure: Failure) {
    shared.withLock { $0.device = .failed(failure) }
    statusChanged.signal()
    while !isEnding.load(ordering: .acquiring) {
      answerFlush()
      orderGiven.wait(milliseconds: -1)
    }
  }

  /// Confirms a flush while there is no sink.
  private func answerFlush() {
    let wanted = flushesWanted.load(ordering: .acquiring)
    guard counts.flushes.load(ordering: .relaxed) < wanted else { return }
    counts.flushes.store(wanted, ordering: .releasing)
    statusChanged.signal()
  }

  /// Plays until the sink is gone, another one is requested, or the writer ends.
  private func play(
    _ ring: SlotRing, to sink: any AudioSink, by order: Order
  ) throws(Failure) -> Ending {
    var packet = DevicePacket(ring, sink, counts, clock)
    // Sound after the loss is not played before the lost sound is rendered again.
    var isLost = false
    while !isEnding.load(ordering: .acquiring) {
      let wanted = flushesWanted.load(ordering: .acquiring)
      if counts.flushes.load(ordering: .relaxed) < wanted {
        packet.flush()
        isLost = false
        counts.flushes.store(wanted, ordering: .releasing)
        statusChanged.signal()
        // Nothing plays here, so a lock is harmless.
        if shared.withLock({ !order.isValid(in: $0) }) { return .over }
      }
      if isLost {
        orderGiven.wait(milliseconds: -1)
        continue
      }
      let levels = DeviceSampleConverter.Levels(
        volume: Float(bitPattern: volume.load(ordering: .relaxed)),
        pan: Float(bitPattern: pan.load(ordering: .relaxed)))
      let hold = preferredHold.load(ordering: .relaxed)
      let most = hold > 0 ? hold * sink.format.sampleRate / 1_000_000 : nil
      switch try packet.step(levels, holding: most, startingAt: start) {
      case .again: break
      case .hold(let milliseconds): orderGiven.wait(milliseconds: min(milliseconds, 200))
      case .wait:
        sink.wait(or: orderGiven.descriptor, milliseconds: 200)
        orderGiven.clear()
      case .starved:
        let time = packet.millisecondsUntilLow
        if time == 0, isAwaitingSound.load(ordering: .relaxed) {
          packet.playOut()
        } else {
          // A read may begin to wait for a server meanwhile, which wakes nobody.
          waitForSound(in: ring, milliseconds: max(time, Self.lowPause))
        }
      case .finished:
        statusChanged.signal()
        waitForSound(in: ring, milliseconds: -1)
      case .interrupted:
        packet.lose()
        sink.drop()
        isLost = true
        counts.interruptions.wrappingAdd(1, ordering: .releasing)
        statusChanged.signal()
      case .gone:
        packet.lose()
        let hasPlayed = counts.hasPlayed.load(ordering: .relaxed)
        // At once, with the reason: closing the device may take as long as its server hangs.
        shared.withLock { $0.device = .lost(hasPlayed ? nil : Self.vain) }
        statusChanged.signal()
        return .gone(hasPlayed: hasPlayed)
      }
    }
    sink.drop()
    return .over
  }

  /// Waits for a filled slot or an order.
  private func waitForSound(in ring: SlotRing, milliseconds: Int32) {
    isStarved.store(true, ordering: .relaxed)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let isOver = ring.isOffered && ring.next.slots.first != nil
    if ring.played.slots.first == nil, !isOver {
      orderGiven.wait(milliseconds: milliseconds)
    }
    isStarved.store(false, ordering: .relaxed)
  }
}
