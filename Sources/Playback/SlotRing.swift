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

  /// Frames of a slot: 21 ms, which are 1024 at 48 kHz, at any rate that devices have. A multiple
  /// of 16, so that each channel begins where the processor likes it.
  static func slotFrames(atRate sampleRate: Int) -> Int {
    // No memory for what is no rate of sound.
    max(1, (min(sampleRate, 768_000) * 1024 / 48_000 + 15) / 16) * 16
  }

  let channelCount: Int
  /// Frames of each slot.
  let slotFrames: Int
  let slots: RingSlots<Slot>

  /// A ring of `slotCount` slots, for sound at a rate.
  init(channelCount: Int, sampleRate: Int, slotCount: Int) {
    self.channelCount = channelCount
    slotFrames = Self.slotFrames(atRate: sampleRate)
    let size = channelCount * slotFrames
    slots = RingSlots(count: slotCount, bytesPerSlot: size * MemoryLayout<Float>.stride) { bytes in
      Slot(samples: bytes.bindMemory(to: Float.self, capacity: size))
    }
  }
}
