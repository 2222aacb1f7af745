import ExportEngine

/// Blocks of sound on their way from the rendering thread to the writing one.
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
  }

  /// Frames of a slot: 21 ms at any rate of a device, 1024 at 48 kHz. A multiple of 16, so that
  /// each channel is aligned.
  static func slotFrames(atRate sampleRate: Int) -> Int {
    // Bounded, for rates that no sound has.
    max(1, (min(sampleRate, 768_000) * 1024 / 48_000 + 15) / 16) * 16
  }

  let channelCount: Int
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

  /// Fills the next slot, which must be free, with sound; `describe` sets its other properties.
  func fill(_ block: AudioBuffer, at index: Int64, _ describe: (inout Slot) -> Void) {
    slots.fill { slot in
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
    slots.fill { slot in (slot.index, slot.frameCount, slot.isLast) = (index, 0, true) }
  }
}
