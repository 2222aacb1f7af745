/// Blocks of sound on their way from the thread that renders to the one that writes.
final class SlotRing: Sendable {
  /// A block of planar frames, and what it is.
  struct Slot {
    /// Each channel's samples, `slotFrames` apart.
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
  let slots: RingSlots<Slot>

  /// A ring of `slotCount` slots.
  init(channelCount: Int, slotCount: Int) {
    self.channelCount = channelCount
    let size = channelCount * Self.slotFrames
    slots = RingSlots(count: slotCount, bytesPerSlot: size * MemoryLayout<Float>.stride) { bytes in
      Slot(samples: bytes.bindMemory(to: Float.self, capacity: size))
    }
  }
}
