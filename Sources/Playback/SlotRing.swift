import ExportEngine
import Synchronization

/// Blocks of sound on their way from the rendering thread to the writing one.
///
/// The ring has two lanes. Usually one of them is filled and played. To replace sound that is
/// rendered ahead, the rendering thread fills the other lane with the same frames anew, while the
/// first one plays on, and then offers it; the writing thread goes over to it at the frame that it
/// has reached.
final class SlotRing: Sendable {
  struct Slot {
    /// Each channel's samples, `slotFrames` apart.
    let samples: UnsafeMutablePointer<Float>
    var frameCount = 0
    /// How many of the channels have sound; the others are silent.
    var channelCount = 0
    /// The number of frames before it, in all rings of the player.
    var index: Int64 = 0
    /// Its first frame in the export, which determines the dither.
    var firstFrame: Int64 = 0
    var isDithered = false
    var isLast = false

    /// The frame after its last one, counted as `index`.
    var end: Int64 { index + Int64(frameCount) }
  }

  /// One of the two rows of slots.
  final class Lane: Sendable {
    let slots: RingSlots<Slot>

    fileprivate init(_ slots: consuming RingSlots<Slot>) { self.slots = slots }
  }

  /// Frames of a slot: 21 ms at any rate of a device, 1024 at 48 kHz. A multiple of 16, so that
  /// each channel is aligned.
  static func slotFrames(atRate sampleRate: Int) -> Int {
    // Bounded, for rates that no sound has.
    max(1, (min(sampleRate, 768_000) * 1024 / 48_000 + 15) / 16) * 16
  }

  let channelCount: Int
  let slotFrames: Int
  private let lanes: (Lane, Lane)
  /// Whether the second lane is filled, and whether it is played. Each is changed by one thread.
  private let fillsSecond = Atomic<Bool>(false)
  private let playsSecond = Atomic<Bool>(false)
  /// Whether the lane that is filled is to be played from now on; reset by the writing thread.
  private let offered = Atomic<Bool>(false)

  /// A ring of `slotCount` slots, for sound at a rate.
  init(channelCount: Int, sampleRate: Int, slotCount: Int) {
    let slotFrames = Self.slotFrames(atRate: sampleRate)
    self.channelCount = channelCount
    self.slotFrames = slotFrames
    let size = channelCount * slotFrames
    func lane() -> Lane {
      Lane(
        RingSlots(count: slotCount, bytesPerSlot: size * MemoryLayout<Float>.stride) { bytes in
          Slot(samples: bytes.bindMemory(to: Float.self, capacity: size))
        })
    }
    lanes = (lane(), lane())
  }

  // MARK: The filling thread

  /// The lane that is filled.
  var filled: Lane { fillsSecond.load(ordering: .relaxed) ? lanes.1 : lanes.0 }

  /// Whether the lane that is filled is another one than the one that is played, and not offered.
  var isReplacing: Bool {
    !isOffered
      && fillsSecond.load(ordering: .relaxed) != playsSecond.load(ordering: .acquiring)
  }

  /// Whether a lane is offered and not taken yet. For both threads.
  var isOffered: Bool { offered.load(ordering: .acquiring) }

  /// Fills the other lane from now on, which is empty. Nothing may be offered.
  func beginReplacement() {
    fillsSecond.store(!playsSecond.load(ordering: .acquiring), ordering: .relaxed)
  }

  /// Offers the lane that is filled.
  func offerReplacement() { offered.store(true, ordering: .releasing) }

  /// Fills the next slot, which must be free, with sound; `describe` sets its other properties.
  func fill(_ block: AudioBuffer, at index: Int64, _ describe: (inout Slot) -> Void) {
    filled.slots.fill { slot in
      (slot.index, slot.frameCount) = (index, block.frameCount)
      slot.channelCount = min(block.channelCount, channelCount)
      for channel in 0..<slot.channelCount {
        (slot.samples + channel * slotFrames).update(
          from: block.planes[channel], count: block.frameCount)
      }
      describe(&slot)
    }
  }

  /// Fills the next slot, which must be free, with the end alone.
  func fillEnd(at index: Int64) {
    filled.slots.fill { slot in (slot.index, slot.frameCount, slot.isLast) = (index, 0, true) }
  }

  // MARK: The emptying thread

  /// The lane that is played.
  var played: Lane { playsSecond.load(ordering: .relaxed) ? lanes.1 : lanes.0 }

  /// The other lane.
  var next: Lane { playsSecond.load(ordering: .relaxed) ? lanes.0 : lanes.1 }

  /// Goes over to the lane that is offered; what is left in the other one is discarded.
  func takeReplacement() {
    played.slots.removeAll()
    playsSecond.store(!playsSecond.load(ordering: .relaxed), ordering: .releasing)
    offered.store(false, ordering: .releasing)
  }

  /// Discards everything that was filled; a lane that is filled and not offered is left alone.
  func removeAll() {
    if isOffered { takeReplacement() }
    played.slots.removeAll()
  }
}
