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
  private let channelCount: Int

  /// A fade of up to `capacity` frames for a device's channels.
  init(channelCount: Int, capacity: Int) {
    (self.channelCount, self.capacity) = (channelCount, capacity)
    samples = .allocate(capacity: channelCount * capacity)
    samples.initialize(repeating: 0, count: channelCount * capacity)
  }

  deinit { samples.deallocate() }

  /// Forgets the faded frames.
  func clear() { sound = nil }

  /// Fades from one lane to the other, and removes what is faded from both.
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
    sound = nil
    var offset = Int(max(0, min(index - first.index, Int64(first.frameCount))))
    guard first.index + Int64(offset) == index, offset < first.frameCount else { return offset }
    let length = copy(old.lane, from: old.offset, like: first, planeCapacity)
    var place = 0
    while place < length, let slot = new.slots.first {
      if offset == slot.frameCount {
        if slot.isLast { break }
        new.slots.removeFirst()
        offset = 0
        continue
      }
      let count = min(length - place, slot.frameCount - offset)
      for channel in 0..<slot.channelCount {
        let from = slot.samples + channel * planeCapacity + offset
        let to = samples + channel * capacity
        for frame in 0..<count {
          let share = Float(place + frame + 1) / Float(length + 1)
          to[place + frame] += (from[frame] - to[place + frame]) * share
        }
      }
      (place, offset) = (place + count, offset + count)
    }
    if place > 0 {
      var slot = SlotRing.Slot(samples: samples)
      (slot.frameCount, slot.channelCount, slot.index) = (place, first.channelCount, index)
      (slot.firstFrame, slot.isDithered) = (first.firstFrame + (index - first.index), true)
      sound = slot
    }
    return offset
  }

  /// Copies the next frames of the old lane, as many as fit and as there are.
  ///
  /// - Returns: How many there are; 0 where the lanes have different channels.
  private func copy(
    _ lane: SlotRing.Lane, from start: Int, like other: SlotRing.Slot, _ planeCapacity: Int
  ) -> Int {
    var (length, offset) = (0, start)
    while length < capacity, let slot = lane.slots.first, slot.channelCount == other.channelCount {
      if offset == slot.frameCount {
        if slot.isLast { break }
        lane.slots.removeFirst()
        offset = 0
        continue
      }
      let count = min(capacity - length, slot.frameCount - offset)
      for channel in 0..<slot.channelCount {
        (samples + channel * capacity + length).update(
          from: slot.samples + channel * planeCapacity + offset, count: count)
      }
      (length, offset) = (length + count, offset + count)
    }
    return length
  }
}
