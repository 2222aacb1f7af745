import ExportEngine

/// Recorded sound on its way to the monitor's device: planar, with joins that do not click where
/// some of it is left out or repeated. A value of the monitor's thread.
struct MonitorQueue {
  private let storage: AudioBuffer
  /// The place of the oldest frame, and the number of frames.
  private var start = 0
  private(set) var count = 0
  /// Frames of a cross-fade: 2 ms.
  let fade: Int

  /// An empty queue for a second of sound.
  init(channelCount: Int, sampleRate: Int) {
    fade = max(1, sampleRate / 500)
    storage = AudioBuffer(channelCount: channelCount, capacity: max(1024, sampleRate))
  }

  private func place(_ index: Int) -> Int {
    (start + index + storage.capacity) % storage.capacity
  }

  /// Appends a block.
  ///
  /// - Returns: The oldest frames that were dropped because the queue was full.
  mutating func append(_ block: AudioBuffer) -> Int {
    let excess = max(0, count + block.frameCount - storage.capacity)
    start = place(excess)
    count -= excess
    for channel in 0..<storage.channelCount {
      for index in 0..<block.frameCount {
        storage.planes[channel][place(count + index)] = block.planes[channel][index]
      }
    }
    count += block.frameCount
    return excess
  }

  /// Leaves out the oldest `wanted` frames, or fewer if there are not so many, with a cross-fade.
  ///
  /// - Returns: The number of frames.
  mutating func leaveOut(_ wanted: Int) -> Int {
    let left = min(wanted, count - fade)
    guard left > 0 else { return 0 }
    // From the end, since what is left out may be shorter than the cross-fade.
    for index in (0..<fade).reversed() {
      cross(from: index, to: left + index, into: left + index, index)
    }
    start = place(left)
    count -= left
    return left
  }

  /// Plays the oldest `wanted` frames twice, or fewer if there are not so many, with a cross-fade.
  ///
  /// - Returns: The number of frames.
  mutating func playTwice(_ wanted: Int) -> Int {
    let more = min(wanted, count - fade, storage.capacity - count)
    guard more > 0 else { return 0 }
    for channel in 0..<storage.channelCount {
      let plane = storage.planes[channel]
      for index in 0..<more { plane[place(index - more)] = plane[place(index)] }
    }
    for index in 0..<fade { cross(from: more + index, to: index, into: index, index) }
    start = place(-more)
    count += more
    return more
  }

  /// A step of a cross-fade.
  private func cross(from old: Int, to new: Int, into target: Int, _ index: Int) {
    let share = Float(Int32(truncatingIfNeeded: index + 1)) / Float(Int32(fade + 1))
    for channel in 0..<storage.channelCount {
      let plane = storage.planes[channel]
      plane[place(target)] = plane[place(old)] * (1 - share) + plane[place(new)] * share
    }
  }

  /// Moves the oldest frames, `most` at most, into planes that are `planeCapacity` apart. A plane
  /// beyond the sound's channels gets the first channel.
  ///
  /// - Returns: The number of frames.
  mutating func take(
    _ most: Int, into samples: UnsafeMutablePointer<Float>, channels: Int, planeCapacity: Int
  ) -> Int {
    let taken = min(most, count)
    for channel in 0..<channels {
      let plane = storage.planes[channel < storage.channelCount ? channel : 0]
      for index in 0..<taken { samples[channel * planeCapacity + index] = plane[place(index)] }
    }
    start = place(taken)
    count -= taken
    return taken
  }

  mutating func removeAll() { (start, count) = (0, 0) }
}

/// Keeps the monitor's delay within bounds, although two devices have two clocks: says when some
/// sound is to be left out, or played twice. A value of the monitor's thread.
struct MonitorPacer {
  /// Frames that are held after a block has arrived: in the queue and in the device.
  let target: Int
  private let lowest: Int
  private let highest: Int
  /// More than this is left out at once.
  private let excess: Int
  /// Frames between two corrections: half a second, whose least count is corrected, so that threads
  /// that come late now and then change nothing.
  private let window: Int
  private var least = Int.max
  private var passed = 0

  /// A pacer for blocks of a source, and a device that takes periods.
  init(sourcePeriod: Int, sinkPeriod: Int, sampleRate: Int) {
    target = sourcePeriod + max(2 * sinkPeriod, sampleRate / 100)
    lowest = sourcePeriod + sinkPeriod / 2
    highest = target + max(sourcePeriod, sampleRate / 200)
    excess = target + sampleRate / 5
    window = sampleRate / 2
  }

  /// Notes a block of `count` frames, after which `held` are held.
  ///
  /// - Returns: The frames that are to be left out, or, below 0, to be played twice.
  mutating func correction(after count: Int, held: Int) -> Int {
    guard held <= excess else {
      restart()
      return held - target
    }
    least = min(least, held)
    passed += count
    // A device that is about to run dry cannot wait for the end of the window.
    guard passed >= window || held < lowest else { return 0 }
    let found = least
    restart()
    return found < lowest || found > highest ? found - target : 0
  }

  mutating func restart() { (least, passed) = (.max, 0) }
}
