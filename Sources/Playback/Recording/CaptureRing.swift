/// Recorded frames on their way from the thread that reads to the one that writes, as the device
/// gives them.
final class CaptureRing: Sendable {
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
  let slots: RingSlots<Slot>

  /// A ring for what a source gives in `seconds`: so long a disk may keep the writer.
  init(_ format: SourceFormat, seconds: Int) {
    channelCount = format.channelCount
    slotFrames = max(64, min(format.periodFrames, 1 << 14))
    let count = max(8, (seconds * format.sampleRate + slotFrames - 1) / slotFrames)
    // The widest sample: a device that comes back may have another encoding.
    slots = RingSlots(count: count, bytesPerSlot: slotFrames * channelCount * 4) { Slot(bytes: $0) }
  }
}
