/// The part of a sound beyond ±1, while the rest of it is on its way through filters.
///
/// Sound within ±1 comes out bit for bit as from the filters alone. One thread at a time.
struct WithheldSound {
  /// By channel, of the frames on their way up to the last one beyond ±1.
  private var planes: [[Float]]
  /// By channel, the number of frames on their way.
  private var pending: [Int]

  init(channelCount: Int) {
    planes = Array(repeating: [], count: channelCount)
    pending = Array(repeating: 0, count: channelCount)
  }

  /// Clips `count` finite samples to ±1, and keeps what was beyond, exactly below 2²⁴.
  mutating func clip(
    _ samples: UnsafeMutablePointer<Float>, count: Int, ofChannel channel: Int, keepsExcess: Bool
  ) {
    for index in 0..<count {
      let sample = samples[index]
      guard abs(sample) > 1 else { continue }
      samples[index] = sample < 0 ? -1 : 1
      guard keepsExcess else { continue }
      // Silence for the frames since the last one.
      let missing = pending[channel] + index - planes[channel].count
      planes[channel].append(contentsOf: repeatElement(0, count: missing))
      planes[channel].append(sample - samples[index])
    }
    if keepsExcess { pending[channel] += count }
  }

  /// Adds what was kept of the next `count` frames of those on their way.
  mutating func add(to samples: UnsafeMutablePointer<Float>, count: Int, ofChannel channel: Int) {
    pending[channel] = max(0, pending[channel] - count)
    let kept = min(count, planes[channel].count)
    guard kept > 0 else { return }
    for index in 0..<kept where planes[channel][index] != 0 {
      samples[index] += planes[channel][index]
    }
    planes[channel].removeFirst(kept)
  }
}
