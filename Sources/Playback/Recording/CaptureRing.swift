import Synchronization

/// Recorded frames on their way from the thread that reads to the one that writes, as the device
/// gives them.
///
/// One thread fills, one empties, and neither waits, locks or allocates. All memory is there from the
/// start.
//
// `@unchecked Sendable`: a slot belongs to the filling thread until it has raised `filled`, then to
// the emptying thread until that has raised `emptied`; both with release and acquire, so that what
// one wrote the other sees.
final class CaptureRing: @unchecked Sendable {
  /// Some frames, and where they belong.
  struct Slot {
    /// Room for `slotFrames` frames of any encoding.
    let bytes: UnsafeMutableRawPointer
    /// How the samples are written.
    var encoding = SampleEncoding.float32
    /// Frames in it.
    var frameCount = 0
    /// How many frames the source has recorded before it, those that were lost included: where it is
    /// more than the slots before say, the difference was lost.
    var index: Int64 = 0
    /// Why, where something was lost before it.
    var cause: RecordingLoss.Cause?
  }

  let channelCount: Int
  /// Frames that fit into a slot.
  let slotFrames: Int
  private let slots: UnsafeMutableBufferPointer<Slot>
  private let memory: UnsafeMutableRawPointer
  private let filled = Atomic<Int>(0)
  private let emptied = Atomic<Int>(0)

  /// A ring for what a source gives in `seconds`: so long a disk may keep the writer.
  init(_ format: SourceFormat, seconds: Int) {
    channelCount = format.channelCount
    slotFrames = max(64, min(format.periodFrames, 1 << 14))
    let count = max(8, (seconds * format.sampleRate + slotFrames - 1) / slotFrames)
    // The widest sample: a device that comes back may have another encoding.
    let size = slotFrames * channelCount * 4
    memory = .allocate(byteCount: count * size, alignment: 16)
    // Touched, so that no page is missing when the thread that reads comes to it.
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: count * size)
    slots = .allocate(capacity: count)
    for index in 0..<count {
      slots.initializeElement(at: index, to: Slot(bytes: memory + index * size))
    }
  }

  deinit {
    slots.deallocate()
    memory.deallocate()
  }

  // MARK: The filling thread

  /// Where the next frames go; nil where the ring is full.
  var room: UnsafeMutableRawPointer? {
    let index = filled.load(ordering: .relaxed)
    guard index - emptied.load(ordering: .acquiring) < slots.count else { return nil }
    return slots[index % slots.count].bytes
  }

  /// Hands over the slot whose bytes were filled.
  func fill(_ body: (inout Slot) -> Void) {
    let index = filled.load(ordering: .relaxed)
    body(&slots[index % slots.count])
    filled.store(index + 1, ordering: .releasing)
  }

  // MARK: The emptying thread

  /// The oldest slot that was filled; nil where there is none.
  var first: Slot? {
    let index = emptied.load(ordering: .relaxed)
    guard index < filled.load(ordering: .acquiring) else { return nil }
    return slots[index % slots.count]
  }

  /// Gives the oldest slot back.
  func removeFirst() {
    emptied.store(emptied.load(ordering: .relaxed) + 1, ordering: .releasing)
  }
}
