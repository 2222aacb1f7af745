import Diagnosis
import MediaComposition
import Threads

/// The frames that are on their way to a sink: converted once, handed over in as many pieces as it
/// takes. Allocates nothing after its making; of the writer's thread.
struct Chunk {
  /// What the writer does next.
  enum Step {
    /// Go on.
    case again
    /// Wait for the sink.
    case wait
    /// Wait for the ring to be filled.
    case starved
    /// All was heard, up to a slot that is the last.
    case finished
    /// What the sink held was lost.
    case interrupted
    /// The sink is gone.
    case gone
  }

  private let ring: SlotRing
  private let sink: any AudioSink
  private let counts: Counts
  private let format: SinkFormat
  private let converter: SampleConverter
  private let buffer: Buffer
  /// Frames of the ring's first slot that were converted, and of these, those that the sink took.
  private var converted = 0
  private var taken = 0
  /// The ring's frame that the sink gets next.
  private var index: Int64
  private var isDraining = false
  /// Frames that the sink has taken since it was opened, or dropped.
  private var held: Int64 = 0

  init(_ ring: SlotRing, _ sink: any AudioSink, _ counts: Counts) {
    self.ring = ring
    self.sink = sink
    self.counts = counts
    format = sink.format
    converter = SampleConverter(sink.format, capacity: ring.slotFrames)
    buffer = Buffer(byteCount: ring.slotFrames * sink.format.frameSize)
    index = counts.progress.written
  }

  /// Silence at once, and an empty ring. What was heard until then stands in the counts.
  mutating func flush() {
    let delay = sink.delay
    note(delay)
    sink.drop()
    counts.publish(written: index - Int64(min(delay, Int(index))), delay: 0)
    forget()
  }

  /// Empties the ring after the sink has lost what it held: that was not heard. Asks nothing of the sink:
  /// the server of one that is gone may hang.
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
    isDraining = false
  }

  /// Tells what stands where, all of it being of one moment.
  private func publish(delay: Int) {
    counts.publish(written: index, delay: delay)
    note(delay)
  }

  /// Notes that something was heard, where that is so.
  private func note(_ delay: Int) {
    if held > Int64(delay) { counts.hasPlayed.store(true, ordering: .releasing) }
  }

  /// Hands over what the sink takes of the ring's first slot.
  ///
  /// - Throws: What the sink throws, after which what it held is lost, and the ring is empty.
  mutating func step(_ levels: SampleConverter.Levels) throws(Failure) -> Step {
    do throws(Failure) {
      return try handOver(levels)
    } catch {
      lose()
      throw error
    }
  }

  private mutating func handOver(_ levels: SampleConverter.Levels) throws(Failure) -> Step {
    // What came behind the last slot waits: a device that is draining takes nothing.
    if isDraining { return try drain() }
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

  private mutating func drain() throws(Failure) -> Step {
    let isDone = try sink.drain()
    publish(delay: isDone ? 0 : sink.delay)
    guard isDone else { return .wait }
    isDraining = false
    counts.finished.store(index, ordering: .releasing)
    return ring.slots.first == nil ? .finished : .again
  }

  /// Memory of one chunk in the sink's format.
  private final class Buffer {
    let bytes: UnsafeMutableRawPointer

    init(byteCount: Int) { bytes = .allocate(byteCount: byteCount, alignment: 16) }

    deinit { bytes.deallocate() }
  }
}
