import Diagnosis
import Glibc
import MediaComposition
import Synchronization
import Threads

/// The thread that reads from a source, in time.
///
/// While it records it neither allocates, locks nor logs: it reads into a ring that holds some
/// seconds, so that no disk delays it. It opens the source, and opens it again if it is gone.
final class DeviceReader: Sendable {
  /// The device, or the reason why there is none.
  enum Device: Sendable {
    /// None was opened yet.
    case none
    /// The device gives sound.
    case open
    /// The device is gone, or cannot be opened; opening is tried again from time to time.
    case lost(Failure?)
  }

  /// The format of the first device, and the ring for it and for later ones.
  typealias Opened = (format: SourceFormat, ring: CaptureRing, monitored: CaptureRing)

  /// Signals the monitor: a slot of its ring, or its end.
  let soundArrived: WakeUp
  /// Whether sound is passed on to the monitor.
  let isMonitored = Atomic<Bool>(false)
  /// Frames for which the monitor's ring had no room.
  let unmonitoredFrames = Atomic<Int64>(0)
  /// Signals the writing thread: a slot, a change of the device, or an order.
  let workArrived: WakeUp
  private let opener: SourceOpener
  private let request: SourceRequest
  /// Nanoseconds of a clock that counts while the machine sleeps.
  private let clock: @Sendable () -> Int64
  private let endRequested: WakeUp
  private let shared = Mutex((device: Device.none, opened: Opened?.none))
  private let isEnding = Atomic<Bool>(false)
  /// Frames that the source has recorded so far, lost ones included.
  private let position = Atomic<Int64>(0)
  /// The time of the frame at `position`; 0 before the first.
  private let anchor = Atomic<Int64>(0)
  /// Whether nothing was read since the source was gone.
  private let isStill = Atomic<Bool>(false)
  /// Odd while `position` and `anchor` change.
  private let version = Atomic<Int>(0)

  static let ringSeconds = 6
  /// The time between two attempts to open a source.
  private static let retryMilliseconds: Int32 = 500

  /// A reader whose source `opener` opens.
  init(
    _ request: SourceRequest, clock: @escaping @Sendable () -> Int64 = bootNanoseconds,
    _ opener: @escaping SourceOpener
  ) throws(ChildProcess.SystemError) {
    self.request = request
    self.clock = clock
    self.opener = opener
    soundArrived = try WakeUp()
    workArrived = try WakeUp()
    endRequested = try WakeUp()
  }

  // MARK: For other threads

  /// The device, or the reason why there is none, and the first one that was opened, also after a loss:
  /// of one moment, since a device may be opened and lost between two looks.
  var current: (device: Device, opened: Opened?) { shared.withLock { $0 } }

  /// Whether the device is gone, and why it cannot be opened again, after an attempt.
  var loss: (isLost: Bool, failure: Failure?) {
    if case .lost(let failure) = current.device { (true, failure) } else { (false, nil) }
  }

  /// Frames that the source has recorded so far, lost ones included.
  var index: Int64 { position.load(ordering: .acquiring) }

  /// Whether the source is gone, and nothing was read since: only the clock gives the current
  /// frame.
  var isGone: Bool { isStill.load(ordering: .acquiring) }

  /// The frame of the sound now: `index`, plus the time of the clock while the source is gone.
  func now(atRate rate: Int) -> Int64 {
    guard isGone else { return index }
    let anchor = anchor.load(ordering: .acquiring)
    return index + (anchor == 0 ? 0 : Self.frames(in: clock() - anchor, atRate: rate))
  }

  /// A frame of the source and the time at which it was at the microphone, as far as the device
  /// gives its delay: in nanoseconds of the reader's clock. Nil before the first frame, and while
  /// the source is gone.
  var place: (frame: Int64, nanoseconds: Int64)? {
    while true {
      let before = version.load(ordering: .acquiring)
      let (frame, time) = (
        position.load(ordering: .acquiring), anchor.load(ordering: .acquiring)
      )
      guard before.isMultiple(of: 2), version.load(ordering: .acquiring) == before else { continue }
      return time == 0 || isGone ? nil : (frame, time)
    }
  }

  /// Ends the thread, which takes a fifth of a second, or as long as alsa-lib blocks.
  func end() {
    isEnding.store(true, ordering: .releasing)
    endRequested.signal()
  }

  // MARK: The thread

  func run() {
    var first: Opened?
    while !isEnding.load(ordering: .acquiring) {
      do throws(Failure) {
        let source = try opener(request)
        let format = source.format
        let opened =
          first
          ?? (
            format, CaptureRing(format, seconds: Self.ringSeconds), CaptureRing(format, seconds: 1)
          )
        if let first {
          try Self.requireSame(format, as: first.format)
        } else {
          first = opened
          shared.withLock { $0 = (.open, opened) }
          workArrived.signal()
          soundArrived.signal()
        }
        let isLost = isGone
        read(source, into: opened, after: isLost ? .unplugged : nil)
        // Before the device is closed, which may take as long as its server hangs.
        withExtendedLifetime(source) { lose(isLost && isGone ? Self.vain : nil) }
      } catch {
        lose(error)
      }
      if !isEnding.load(ordering: .acquiring) {
        endRequested.wait(milliseconds: Self.retryMilliseconds)
      }
    }
  }

  private func lose(_ failure: Failure?) {
    guard !isEnding.load(ordering: .acquiring) else { return }
    isStill.store(true, ordering: .releasing)
    shared.withLock { $0.device = .lost(failure) }
    workArrived.signal()
  }

  private static let vain = Failure(
    .mendMachine, "it can be opened, but gives no sound; connect it again, or choose another device"
  )

  private static func requireSame(
    _ format: SourceFormat, as first: SourceFormat
  ) throws(Failure) {
    guard format.sampleRate != first.sampleRate || format.channelCount != first.channelCount else {
      return
    }
    throw Failure(
      .mendMachine,
      "the device has \(format.sampleRate) Hz and \(format.channelCount) channels now, instead of "
        + "\(first.sampleRate) Hz and \(first.channelCount); connect the same device again")
  }

  /// Reads until the source is gone, or the reader ends.
  ///
  /// A slot is passed on when it is full, so that short reads do not waste the ring, or at the end.
  private func read(
    _ source: any AudioSource, into opened: Opened, after cause: RecordingLoss.Cause?
  ) {
    let (format, ring) = (source.format, opened.ring)
    var slot = OpenSlot(index: position.load(ordering: .relaxed), cause: cause)
    // Whether the clock measures the loss before the next frames.
    var isClocked = cause != nil
    var isLost = cause != nil
    var (wasEmpty, wasFull) = (false, false)
    // Published with the frames, so that both belong together.
    var time = anchor.load(ordering: .relaxed)
    // Takes sound for which the ring has no room.
    let waste = UnsafeMutableRawPointer.allocate(
      byteCount: ring.slotFrames * format.frameSize, alignment: 16)
    defer { waste.deallocate() }
    while !isEnding.load(ordering: .acquiring) {
      let room = ring.slots.next ?? waitForRoom(in: ring, format, isFirst: !wasFull)
      wasFull = room == nil
      let place = room.map { $0.bytes + slot.count * format.frameSize } ?? waste
      switch source.read(into: place, count: ring.slotFrames - slot.count) {
      case .read(let count):
        monitor(place, count, format, opened.monitored)
        // A device is found with its first frames: it may disconnect before. Nothing was recorded
        // until now, so the lock delays nothing.
        if isLost {
          isLost = false
          shared.withLock { $0.device = .open }
        }
        let end = clock() - Self.nanoseconds(source.delay, atRate: format.sampleRate)
        if isClocked {
          let start = end - Self.nanoseconds(count, atRate: format.sampleRate)
          slot.index += Self.lost(between: time, and: start, atRate: format.sampleRate)
        }
        (isClocked, wasEmpty) = (false, false)
        time = end
        if room == nil {
          slot = OpenSlot(index: slot.index + Int64(count), cause: .slowDisk)
          publish(slot.index, at: time)
        } else {
          slot.count += count
          if slot.count == ring.slotFrames { hand(&slot, to: ring, format.encoding, time) }
        }
      case .empty:
        if wasEmpty { hand(&slot, to: ring, format.encoding, time) }
        wasEmpty = true
        source.wait(milliseconds: 200)
      case .overran:
        hand(&slot, to: ring, format.encoding, time)
        (slot.cause, isClocked) = (.overrun, true)
      case .interrupted:
        hand(&slot, to: ring, format.encoding, time)
        (slot.cause, isClocked) = (.interruption, true)
      case .gone: return hand(&slot, to: ring, format.encoding, time)
      }
    }
  }

  /// Waits for room in the ring before sound is discarded: the device's buffer holds some as well,
  /// and a device without a clock (alsa-lib's `null` and `file`) gives sound without end.
  ///
  /// The first time, `isFirst`, the wait is half of the device's buffer; after discarded sound it
  /// is shorter than that sound, so that the device does not overrun.
  ///
  /// - Returns: The next slot; nil if there is still no room.
  private func waitForRoom(
    in ring: CaptureRing, _ format: SourceFormat, isFirst: Bool
  ) -> CaptureRing.Slot? {
    let frames = (isFirst ? min(format.bufferFrames, format.sampleRate) : ring.slotFrames) / 2
    let patience = Duration.nanoseconds(Self.nanoseconds(frames, atRate: format.sampleRate))
    let deadline = ContinuousClock.now + patience
    while !isEnding.load(ordering: .acquiring), ContinuousClock.now < deadline {
      endRequested.wait(milliseconds: 2)
      if let slot = ring.slots.next { return slot }
    }
    return nil
  }

  private struct OpenSlot {
    var index: Int64
    var cause: RecordingLoss.Cause?
    var count = 0
  }

  /// Hands over a slot with frames, and begins the next one, at a time.
  private func hand(
    _ slot: inout OpenSlot, to ring: CaptureRing, _ encoding: SampleEncoding, _ time: Int64
  ) {
    guard slot.count > 0 else { return }
    ring.slots.fill { filled in
      (filled.frameCount, filled.index, filled.cause) = (slot.count, slot.index, slot.cause)
      filled.encoding = encoding
    }
    slot = OpenSlot(index: slot.index + Int64(slot.count), cause: nil)
    publish(slot.index, at: time)
    workArrived.signal()
  }

  /// Passes frames on to the monitor, which may be slow or gone: it loses them then.
  private func monitor(
    _ frames: UnsafeRawPointer, _ count: Int, _ format: SourceFormat, _ ring: CaptureRing
  ) {
    guard isMonitored.load(ordering: .acquiring) else { return }
    guard ring.slots.next != nil else {
      unmonitoredFrames.wrappingAdd(Int64(count), ordering: .relaxed)
      return
    }
    ring.slots.fill { slot in
      slot.bytes.copyMemory(from: frames, byteCount: count * format.frameSize)
      (slot.frameCount, slot.encoding) = (count, format.encoding)
    }
    soundArrived.signal()
  }

  private func publish(_ index: Int64, at time: Int64) {
    version.wrappingAdd(1, ordering: .acquiringAndReleasing)
    defer { version.wrappingAdd(1, ordering: .releasing) }
    anchor.store(time, ordering: .releasing)
    position.store(index, ordering: .releasing)
    isStill.store(false, ordering: .releasing)
  }

  /// The frames that were lost between the last ones, until `end`, and those from `start` on: at
  /// least one, and none before the first frame.
  private static func lost(between end: Int64, and start: Int64, atRate rate: Int) -> Int64 {
    end == 0 ? 0 : max(1, frames(in: start - end, atRate: rate))
  }

  private static func nanoseconds(_ frames: Int, atRate rate: Int) -> Int64 {
    Int64(frames) * 1_000_000_000 / Int64(max(1, rate))
  }

  /// The nearest number of frames; a month at most, so that nothing overflows.
  private static func frames(in nanoseconds: Int64, atRate rate: Int) -> Int64 {
    let (seconds, rest) = max(0, min(nanoseconds, 2_700_000 * 1_000_000_000))
      .quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * Int64(rate) + (rest * Int64(rate) + 500_000_000) / 1_000_000_000
  }
}
