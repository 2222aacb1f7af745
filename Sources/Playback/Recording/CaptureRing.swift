/// Recorded frames on their way from the reading thread to the writing one, in the device's
/// encoding.
final class CaptureRing: Sendable {
  /// Frames with their place.
  struct Slot {
    /// Room for `slotFrames` frames of any encoding.
    let bytes: UnsafeMutableRawPointer
    var encoding = SampleEncoding.float32
    var frameCount = 0
    /// The number of frames that the source has recorded before it, lost ones included: a gap to
    /// the slots before is a loss.
    var index: Int64 = 0
    /// The cause of a loss before it.
    var cause: RecordingLoss.Cause?
  }

  let channelCount: Int
  let slotFrames: Int
  let slots: RingSlots<Slot>

  /// A ring for `seconds` of a source: so long the disk may delay the writing thread.
  init(_ format: SourceFormat, seconds: Int) {
    channelCount = format.channelCount
    slotFrames = max(64, min(format.periodFrames, 1 << 14))
    let count = max(8, (seconds * format.sampleRate + slotFrames - 1) / slotFrames)
    // The widest sample: a device that is opened again may have another encoding.
    slots = RingSlots(count: count, bytesPerSlot: slotFrames * channelCount * 4) { Slot(bytes: $0) }
  }
}
