/// A block of planar 32-bit float sound: the unit that flows through the engine.
///
/// Owned by one thread at a time; passed on by reference within one export.
package final class AudioBuffer {
  package let channelCount: Int
  /// Frames that fit.
  package let capacity: Int
  /// Frames that are filled, 0 … capacity.
  package var frameCount: Int
  /// All planes in one piece, `capacity` apart.
  private let storage: UnsafeMutablePointer<Float>
  /// The start of each plane, as C libraries take it.
  package let planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  package init(channelCount: Int, capacity: Int) {
    self.channelCount = channelCount
    self.capacity = capacity
    frameCount = 0
    storage = .allocate(capacity: max(1, channelCount * capacity))
    storage.initialize(repeating: 0, count: max(1, channelCount * capacity))
    planes = .allocate(capacity: max(1, channelCount))
    for channel in 0..<channelCount { planes[channel] = storage + channel * capacity }
  }

  deinit {
    storage.deallocate()
    planes.deallocate()
  }

  /// The filled part of one plane; valid while the buffer lives.
  package func samples(_ channel: Int) -> UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: planes[channel], count: frameCount)
  }

  /// Whether no sample of `count` frames from one on is NaN or infinity. O(samples)
  func isFinite(from frame: Int, count: Int) -> Bool {
    for channel in 0..<channelCount {
      // Bit patterns of magnitudes have the order of their values, NaN above infinity, and loops
      // over integers vectorise.
      var largest: UInt32 = 0
      for sample in UnsafeBufferPointer(start: planes[channel] + frame, count: count) {
        largest = max(largest, sample.bitPattern & 0x7FFF_FFFF)
      }
      guard largest < Float.infinity.bitPattern else { return false }
    }
    return true
  }
}
