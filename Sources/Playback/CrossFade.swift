/// The frames in which one lane of a ring fades into the other, over at most 10 ms: the same moment
/// may sound otherwise in the two.
///
/// Allocates nothing after `init`. Belongs to the writing thread.
final class CrossFade {
  /// Frames of the longest fade, which lie between the starts of two channels.
  let capacity: Int
  /// The faded frames; nil: none.
  private(set) var sound: SlotRing.Slot?
  private let samples: UnsafeMutablePointer<Float>
  private let oldSamples: UnsafeMutablePointer<Float>

  /// A fade of up to `capacity` frames for a device's channels.
  init(channelCount: Int, capacity: Int) {
    self.capacity = capacity
    let count = channelCount * capacity
    (samples, oldSamples) = (.allocate(capacity: count), .allocate(capacity: count))
    samples.initialize(repeating: 0, count: count)
    oldSamples.initialize(repeating: 0, count: count)
  }

  deinit {
    samples.deallocate()
    oldSamples.deallocate()
  }

  /// Forgets the faded frames.
  func clear() { sound = nil }

  /// Fades from one lane to the other, and removes what is faded from both. A fade that waits for room
  /// is the beginning of the old one.
  ///
  /// - Parameters:
  ///   - old: The lane that was played, and frames of its first slot that were converted.
  ///   - new: The other one.
  ///   - index: The next frame to be played.
  ///   - planeCapacity: Frames between the starts of two channels of a slot.
  /// - Returns: Frames of the new lane's first slot that are not to be played any more; nil: the new
  ///   lane has not come so far yet, and nothing is done.
  func mix(
    _ old: (lane: SlotRing.Lane, offset: Int), into new: SlotRing.Lane, at index: Int64,
    planeCapacity: Int
  ) -> Int? {
    while let slot = new.slots.first, slot.end <= index, !slot.isLast { new.slots.removeFirst() }
    guard let first = new.slots.first else { return nil }
    let waiting = sound
    sound = nil
    var offset = Int(max(0, min(index - first.index, Int64(first.frameCount))))
    guard first.index + Int64(offset) == index, offset < first.frameCount else { return offset }
    var (oldOffset, start) = (old.offset, 0)
    if let waiting, waiting.channelCount == first.channelCount {
      oldSamples.update(from: samples, count: waiting.channelCount * capacity)
      start = waiting.frameCount
    }
    // Frames of the new lane without any of the old one are as they are.
    let count = take(new, &offset, upTo: capacity, like: first, into: samples, planeCapacity)
    let faded = take(
      old.lane, &oldOffset, from: min(start, count), upTo: count, like: first, into: oldSamples,
      planeCapacity)
    for channel in 0..<first.channelCount {
      let (to, from) = (samples + channel * capacity, oldSamples + channel * capacity)
      for frame in 0..<faded {
        to[frame] = from[frame] + (to[frame] - from[frame]) * (Float(frame + 1) / Float(faded + 1))
      }
    }
    var slot = SlotRing.Slot(samples: samples)
    (slot.frameCount, slot.channelCount, slot.index) = (count, first.channelCount, index)
    slot.firstFrame = first.firstFrame + (index - first.index)
    slot.isDithered = first.isDithered || faded > 0
    sound = slot
    return offset
  }

  /// Copies the next frames of a lane, as many as there are of the same channels, and removes the slots
  /// that are copied to their end, but for the last one.
  ///
  /// - Returns: How many there are then, with the `start` that were there.
  private func take(
    _ lane: SlotRing.Lane, _ offset: inout Int, from start: Int = 0, upTo most: Int,
    like other: SlotRing.Slot, into samples: UnsafeMutablePointer<Float>, _ planeCapacity: Int
  ) -> Int {
    var length = start
    while length < most, let slot = lane.slots.first, slot.channelCount == other.channelCount {
      if offset == slot.frameCount {
        if slot.isLast { break }
        lane.slots.removeFirst()
        offset = 0
        continue
      }
      let count = min(most - length, slot.frameCount - offset)
      for channel in 0..<slot.channelCount {
        (samples + channel * capacity + length).update(
          from: slot.samples + channel * planeCapacity + offset, count: count)
      }
      (length, offset) = (length + count, offset + count)
    }
    return length
  }
}
