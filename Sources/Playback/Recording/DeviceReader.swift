import Diagnosis
import Glibc
import MediaComposition
import Synchronization
import Threads

/// The thread that takes sound from a source, in time.
///
/// While it records it neither allocates, locks nor logs: it reads into a ring that holds some
/// seconds, so that no disk makes it late. It opens the source, and opens it anew where it is gone.
final class DeviceReader: Sendable {
  /// What there is to read from.
  enum Device: Sendable {
    /// None was opened so far.
    case none
    /// It is there.
    case open
    /// It is gone, or could not be opened; it is looked for from time to time.
    case lost(Failure?)
  }

  /// What the first device gave, and all that was read of it and of those after it.
  typealias Opened = (format: SourceFormat, ring: CaptureRing)

  /// Rung after each slot and each change of the device.
  let workArrived: WakeUp
  private let opener: SourceOpener
  private let request: SourceRequest
  /// Nanoseconds of a clock that never stops, also not while the machine sleeps.
  private let clock: @Sendable () -> Int64
  private let endRequested: WakeUp
  private let shared = Mutex((device: Device.none, opened: Opened?.none))
  private let isEnding = Atomic<Bool>(false)
  /// Frames that the source has recorded so far, those that were lost included.
  private let position = Atomic<Int64>(0)
  /// When the frame at `position` was recorded, or will be; 0 before the first.
  private let anchor = Atomic<Int64>(0)
  /// Whether nothing has come since the source was gone.
  private let isStill = Atomic<Bool>(false)

  /// Seconds of sound that the ring holds.
  static let ringSeconds = 6
  /// Between two looks for a source that is gone.
  private static let retryMilliseconds: Int32 = 500

  /// A reader whose source `opener` opens.
  init(
    _ request: SourceRequest, clock: @escaping @Sendable () -> Int64 = bootNanoseconds,
    _ opener: @escaping SourceOpener
  ) throws(ChildProcess.SystemError) {
    self.request = request
    self.clock = clock
    self.opener = opener
    workArrived = try WakeUp()
    endRequested = try WakeUp()
  }

  // MARK: For other threads

  /// What there is to read from.
  var device: Device { shared.withLock { $0.device } }

  /// What was opened first, also where it is gone since; nil where nothing was.
  var opened: Opened? { shared.withLock { $0.opened } }

  /// Frames that the source has recorded so far, those that were lost included.
  var index: Int64 { position.load(ordering: .acquiring) }

  /// Whether the source is gone, and nothing has come since: only the clock tells what is now.
  var isGone: Bool { isStill.load(ordering: .acquiring) }

  /// Where that stands which sounds now: at `index`, and behind it by the clock while the source is
  /// gone.
  func now(atRate rate: Int) -> Int64 {
    guard isGone else { return index }
    let anchor = anchor.load(ordering: .acquiring)
    return index + (anchor == 0 ? 0 : Self.frames(in: clock() - anchor, atRate: rate))
  }

  /// Ends the thread: at once where it looks for a source, after a second at most where it waits for one
  /// that gives nothing.
  func end() {
    isEnding.store(true, ordering: .releasing)
    endRequested.ring()
  }

  // MARK: The thread

  /// Runs until `end` is called.
  func run() {
    var first: Opened?
    while !isEnding.load(ordering: .acquiring) {
      do throws(Failure) {
        let source = try opener(request)
        let format = source.format
        let ring = first?.ring ?? CaptureRing(format, seconds: Self.ringSeconds)
        if let first {
          try Self.requireSame(format, as: first.format)
        } else {
          first = (format, ring)
          shared.withLock { $0 = (.open, (format, ring)) }
          workArrived.ring()
        }
        let isLost = isGone
        read(source, into: ring, after: isLost ? .unplugged : nil)
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
    workArrived.ring()
  }

  private static let vain = Failure(
    .mendMachine, "it can be opened, and gives no sound; connect it anew, or choose another device")

  private static func requireSame(
    _ format: SourceFormat, as first: SourceFormat
  ) throws(Failure) {
    guard format.sampleRate != first.sampleRate || format.channelCount != first.channelCount else {
      return
    }
    throw Failure(
      .mendMachine,
      "the device came back with \(format.sampleRate) Hz and \(format.channelCount) channels "
        + "instead of \(first.sampleRate) Hz and \(first.channelCount); plug in the same one")
  }

  /// Reads until the source is gone, or the end.
  ///
  /// A slot is handed over when it is full, so that the ring holds its seconds however few frames a
  /// read gives; or when nothing follows.
  private func read(
    _ source: any AudioSource, into ring: CaptureRing, after cause: RecordingLoss.Cause?
  ) {
    let format = source.format
    var slot = OpenSlot(index: position.load(ordering: .relaxed), cause: cause)
    // Whether only the clock knows how much was lost before the next frames.
    var isClocked = cause != nil
    var isLost = cause != nil
    var (wasEmpty, wasFull) = (false, false)
    // Not told before the frames are: whoever asks for both is to find what belongs together.
    var time = anchor.load(ordering: .relaxed)
    // Sound for which there is no room goes here.
    let waste = UnsafeMutableRawPointer.allocate(
      byteCount: ring.slotFrames * format.frameSize, alignment: 16)
    defer { waste.deallocate() }
    while !isEnding.load(ordering: .acquiring) {
      let room = ring.slots.next ?? waitForRoom(in: ring, format, isFirst: !wasFull)
      wasFull = room == nil
      let place = room.map { $0.bytes + slot.count * format.frameSize } ?? waste
      switch source.read(into: place, count: ring.slotFrames - slot.count) {
      case .read(let count):
        // One that was lost is back with its first frames: it may be gone again before. Nothing was
        // recorded until now, so the lock makes nothing late.
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

  /// Lets the writer come after, before sound is thrown away: the device holds some as well, and one
  /// that keeps no time (alsa-lib's `null` and `file`) would never stop giving it.
  ///
  /// The first time, `isFirst`, half of what the device holds may pass; where some was thrown away right
  /// before, less than what is thrown away lasts, so that the device does not overrun. Gives nil where
  /// there is still no room.
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

  /// A slot that is being filled.
  private struct OpenSlot {
    /// Of its first frame.
    var index: Int64
    var cause: RecordingLoss.Cause?
    var count = 0
  }

  /// Hands the frames of a slot over, if it has some, and begins the next one, at a time.
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
    workArrived.ring()
  }

  private func publish(_ index: Int64, at time: Int64) {
    anchor.store(time, ordering: .releasing)
    position.store(index, ordering: .releasing)
    isStill.store(false, ordering: .releasing)
  }

  /// What would have come between the frames that came last, until `end`, and those that begin at
  /// `start`: at least one frame, or nothing would have to be told; nothing before the first.
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
