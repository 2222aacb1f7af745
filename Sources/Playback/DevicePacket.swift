import Diagnosis
import MediaComposition
import Threads

/// The frames on their way to a sink: converted once, written in as many pieces as the sink takes.
///
/// Allocates nothing after `init`. Belongs to the writing thread.
struct DevicePacket {
  enum Step {
    case again
    case wait
    /// Wait for the ring to be filled.
    case starved
    /// Everything up to the last slot was heard.
    case finished
    /// The sink has lost the frames that it held.
    case interrupted
    case gone
  }

  private let ring: SlotRing
  private let sink: any AudioSink
  private let counts: Counts
  private let format: SinkFormat
  private let converter: DeviceSampleConverter
  private let buffer: Buffer
  /// Frames of the ring's first slot that were converted, and that the sink took.
  private var converted = 0
  private var taken = 0
  /// The index of the frame that the sink gets next.
  private var index: Int64
  private var isDraining = false
  /// Whether the sink plays to its end, although more sound follows.
  private var isPlayingOut = false
  /// Frames that the sink has taken since it was opened or dropped.
  private var held: Int64 = 0

  init(_ ring: SlotRing, _ sink: any AudioSink, _ counts: Counts) {
    self.ring = ring
    self.sink = sink
    self.counts = counts
    format = sink.format
    converter = DeviceSampleConverter(sink.format, capacity: ring.slotFrames)
    buffer = Buffer(byteCount: ring.slotFrames * sink.format.frameSize)
    index = counts.progress.written
  }

  /// Stops the sound at once, empties the ring, and publishes how far it was heard.
  mutating func flush() {
    let delay = sink.delay
    note(delay)
    sink.drop()
    index -= min(index, Int64(delay))
    counts.publish(written: index, delay: 0)
    forget()
  }

  /// Empties the ring after the sink has lost its frames, which were not heard. Calls only `delay`
  /// of the sink: the server of a sink that is gone may hang.
  mutating func lose() {
    let lost = sink.delay
    note(lost)
    index -= min(index, Int64(lost))
    counts.publish(written: index, delay: 0)
    forget()
  }

  private mutating func forget() {
    ring.slots.removeAll()
    (converted, taken, held) = (0, 0, 0)
    (isDraining, isPlayingOut) = (false, false)
  }

  private func publish(delay: Int) {
    counts.publish(written: index, delay: delay)
    note(delay)
  }

  /// Records whether any sound was heard.
  private func note(_ delay: Int) {
    if held > Int64(delay) { counts.hasPlayed.store(true, ordering: .releasing) }
  }

  /// Writes as much of the ring's first slot as the sink takes.
  ///
  /// - Throws: The sink's error; its frames are lost then, and the ring is empty.
  mutating func step(_ levels: DeviceSampleConverter.Levels) throws(Failure) -> Step {
    do throws(Failure) {
      return try handOver(levels)
    } catch {
      lose()
      throw error
    }
  }

  private mutating func handOver(_ levels: DeviceSampleConverter.Levels) throws(Failure) -> Step {
    // Slots after the last one wait: a draining device takes nothing.
    if isDraining { return try drain() }
    if isPlayingOut { return try drainToGoOn() }
    guard let slot = ring.slots.first else { return .starved }
    if converted == 0 {
      converter.convert(
        slot, planeCapacity: ring.slotFrames, from: 0, count: slot.frameCount, levels: levels,
        to: buffer.bytes)
      converted = slot.frameCount
      index = slot.index
    }
    if taken < converted {
      switch try sink.write(buffer.bytes + taken * format.frameSize, count: converted - taken) {
      case .wrote(let count):
        taken += count
        index += Int64(count)
        held += Int64(count)
        publish(delay: sink.delay)
      case .full:
        publish(delay: sink.delay)
        return .wait
      case .ranDry:
        counts.xruns.wrappingAdd(1, ordering: .relaxed)
      case .interrupted: return .interrupted
      case .gone: return .gone
      }
    }
    if taken == converted {
      isDraining = slot.isLast
      (converted, taken) = (0, 0)
      ring.slots.removeFirst()
    }
    return .again
  }

  /// Milliseconds until the sink holds two periods of sound; 0 if it holds less, and 200 at most. A
  /// sink that holds nothing has no such time: 200.
  var millisecondsUntilLow: Int32 {
    let delay = sink.delay
    counts.publish(written: index, delay: delay)
    guard held > 0, delay > 0 else { return 200 }
    let surplus = max(0, delay - 2 * format.periodFrames)
    return Int32(min(200, surplus * 1000 / format.sampleRate))
  }

  /// Has the sink play all that it holds: it does not run dry then, and less than it starts with is
  /// heard, too. Sound that comes meanwhile is written afterwards.
  mutating func playOut() { isPlayingOut = true }

  private mutating func drainToGoOn() throws(Failure) -> Step {
    let isDone = try sink.drain()
    publish(delay: isDone ? 0 : sink.delay)
    guard isDone else { return .wait }
    // Ready for sound again.
    sink.drop()
    (isPlayingOut, held) = (false, 0)
    return .again
  }

  private mutating func drain() throws(Failure) -> Step {
    let isDone = try sink.drain()
    publish(delay: isDone ? 0 : sink.delay)
    guard isDone else { return .wait }
    isDraining = false
    counts.finished.store(index, ordering: .releasing)
    return ring.slots.first == nil ? .finished : .again
  }

  /// Memory for one slot in the sink's format.
  private final class Buffer {
    let bytes: UnsafeMutableRawPointer

    init(byteCount: Int) { bytes = .allocate(byteCount: byteCount, alignment: 16) }

    deinit { bytes.deallocate() }
  }
}
