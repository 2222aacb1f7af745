import ExportEngine

/// The last sound before the start, so that the start is complete.
struct LeadBuffer {
  private let storage: AudioBuffer
  /// The place of the oldest frame, and the number of frames.
  private var start = 0
  private(set) var count = 0

  init(channelCount: Int, capacity: Int) {
    storage = AudioBuffer(channelCount: channelCount, capacity: capacity)
  }

  /// Appends frames of a block, and drops the oldest ones.
  mutating func append(_ block: AudioBuffer, _ range: Range<Int>) {
    for index in range {
      let place = (start + count) % storage.capacity
      for channel in 0..<storage.channelCount {
        storage.planes[channel][place] = block.planes[channel][index]
      }
      if count < storage.capacity { count += 1 } else { start = (start + 1) % storage.capacity }
    }
  }

  /// Passes the first `count` frames to `body`, in order, in up to two pieces, and removes all.
  mutating func drain<E: Error>(
    _ count: Int,
    _ body: (_ block: AudioBuffer, _ start: Int, _ count: Int) throws(E) -> Void
  ) throws(E) {
    defer { removeAll() }
    let count = min(count, self.count)
    let first = min(count, storage.capacity - start)
    if first > 0 { try body(storage, start, first) }
    if count > first { try body(storage, 0, count - first) }
  }

  /// Removes the oldest `count` frames, or all if there are fewer.
  mutating func removeFirst(_ count: Int) {
    let count = min(count, self.count)
    start = (start + count) % storage.capacity
    self.count -= count
  }

  mutating func removeAll() { (start, count) = (0, 0) }
}
