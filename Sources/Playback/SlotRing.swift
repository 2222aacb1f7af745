import Synchronization

/// Blocks of sound on their way from the thread that renders to the one that writes.
///
/// One thread fills, one empties, and neither waits, locks or allocates. All memory is there from the
/// start.
//
// `@unchecked Sendable`: a slot belongs to the filling thread from `filled - count` on until it has
// raised `filled`, then to the emptying thread until that has raised `emptied`; both with
// release and acquire, so that what one wrote the other sees.
final class SlotRing: @unchecked Sendable {
  /// A block of planar frames, and what it is.
  struct Slot {
    /// Each channel's samples, `capacity` apart.
    let samples: UnsafeMutablePointer<Float>
    /// Frames in it.
    var frameCount = 0
    /// How many of the channels have sound; those behind them are silent.
    var channelCount = 0
    /// How many frames were put into the ring before it, since there has been one.
    var index: Int64 = 0
    /// The frame of what is played that it begins with: by it the dither knows its place.
    var firstFrame: Int64 = 0
    /// Whether 16 bits of it need dither.
    var isDithered = false
    /// Whether nothing comes after it.
    var isLast = false
  }

  /// Frames of a slot: 21 ms at 48 kHz.
  static let slotFrames = 1024

  let channelCount: Int
  private let slots: UnsafeMutableBufferPointer<Slot>
  private let samples: UnsafeMutablePointer<Float>
  private let filled = Atomic<Int>(0)
  private let emptied = Atomic<Int>(0)

  /// A ring of `slotCount` slots.
  init(channelCount: Int, slotCount: Int) {
    self.channelCount = channelCount
    let size = channelCount * Self.slotFrames
    samples = .allocate(capacity: slotCount * size)
    samples.initialize(repeating: 0, count: slotCount * size)
    slots = .allocate(capacity: slotCount)
    for index in 0..<slotCount {
      slots.initializeElement(at: index, to: Slot(samples: samples + index * size))
    }
  }

  deinit {
    slots.deallocate()
    samples.deallocate()
  }

  // MARK: The filling thread

  /// Slots that can be filled now.
  var room: Int {
    slots.count - (filled.load(ordering: .relaxed) - emptied.load(ordering: .acquiring))
  }

  /// Slots that wait to be emptied.
  var waiting: Int { slots.count - room }

  /// Fills the next slot, of which there must be room.
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

  /// Gives all slots back.
  func removeAll() {
    emptied.store(filled.load(ordering: .acquiring), ordering: .releasing)
  }
}
