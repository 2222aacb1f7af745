import ExportEngine

/// The last frames before the first sound: half a second, so that nothing of its start is missing.
struct LeadBuffer {
  private let storage: AudioBuffer
  /// Where the oldest frame is, and how many there are.
  private var start = 0
  private(set) var count = 0

  init(channelCount: Int, capacity: Int) {
    storage = AudioBuffer(channelCount: channelCount, capacity: capacity)
  }

  /// Keeps frames of a block in place of the oldest ones.
  mutating func append(_ block: AudioBuffer, _ range: Range<Int>) {
    for index in range {
      let place = (start + count) % storage.capacity
      for channel in 0..<storage.channelCount {
        storage.planes[channel][place] = block.planes[channel][index]
      }
      if count < storage.capacity { count += 1 } else { start = (start + 1) % storage.capacity }
    }
  }

  /// Gives the first `count` frames to `body`, in order, in up to two pieces, and forgets all.
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

  /// Forgets all frames.
  mutating func removeAll() { (start, count) = (0, 0) }
}
