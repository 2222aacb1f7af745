import ExportEngine

/// What the meters of a recorder show: the last three tenths of a second, in steps of some hundredths.
struct LevelWindow {
  private var sums: [[LevelSum]]
  private var lengths: [Int] = []
  private let frames: Int

  init(channelCount: Int, sampleRate: Int) {
    sums = Array(repeating: [], count: channelCount)
    frames = max(1, sampleRate * 3 / 10)
  }

  /// Counts a block in.
  mutating func add(_ block: AudioBuffer) {
    for channel in sums.indices {
      var sum = LevelSum()
      sum.add(block.samples(channel))
      sums[channel].append(sum)
    }
    lengths.append(block.frameCount)
    while lengths.count > 1, lengths.dropFirst().reduce(0, +) >= frames {
      lengths.removeFirst()
      for channel in sums.indices { sums[channel].removeFirst() }
    }
  }

  /// Of each channel.
  var readings: [LevelReading] {
    sums.map { sums in
      var whole = LevelSum()
      for sum in sums {
        whole.peak = max(whole.peak, sum.peak)
        whole.squares += sum.squares
        whole.count += sum.count
      }
      return whole.reading
    }
  }
}
