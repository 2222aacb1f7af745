/// A stretch of the sound in memory: a plane of samples for each channel.
///
/// Owned by one thread at a time.
package final class ChunkSound<Sample: BitwiseCopyable & Numeric> {
  /// One pointer for each channel, to `capacity` samples, of which `count` are there.
  package let planes: UnsafeMutablePointer<UnsafeMutablePointer<Sample>>
  /// How many planes there are.
  package let channelCount: Int
  /// PCM frames that fit.
  package let capacity: Int
  /// PCM frames that are there.
  package private(set) var count = 0
  /// How many frames it is to hold now, up to `capacity`.
  private var room: Int

  /// - Parameters:
  ///   - channelCount: At least 1.
  ///   - capacity: PCM frames; the memory is touched only as far as it is filled.
  package init(channelCount: Int, capacity: Int) {
    self.channelCount = channelCount
    self.capacity = capacity
    room = capacity
    planes = .allocate(capacity: channelCount)
    for channel in 0..<channelCount {
      (planes + channel).initialize(to: .allocate(capacity: capacity))
    }
  }

  deinit {
    for channel in 0..<channelCount { planes[channel].deallocate() }
    planes.deallocate()
  }

  /// Whether all are there that it is to hold.
  package var isFull: Bool { count == room }

  /// Appends as many of `count` frames from `start` of `source` as there is room for; gives how
  /// many.
  package func append(
    _ source: UnsafePointer<UnsafeMutablePointer<Sample>>, from start: Int, count: Int
  ) -> Int {
    let taken = min(count, room - self.count)
    for channel in 0..<channelCount {
      (planes[channel] + self.count).update(from: source[channel] + start, count: taken)
    }
    self.count += taken
    return taken
  }

  /// Fills it with silence.
  package func fillWithSilence() {
    for channel in 0..<channelCount { planes[channel].update(repeating: 0, count: capacity) }
    count = capacity
  }

  /// Starts again with the last `length` frames of `other`, to hold `room` frames.
  func restart(withLast length: Int, of other: ChunkSound, room: Int) {
    count = 0
    self.room = room
    let length = min(length, other.count)
    _ = append(other.planes, from: other.count - length, count: length)
  }
}
