import ExportEngine

/// The levels of a recorder: of the last 0.3 s, in steps of a block.
struct LevelWindow {
  private var sums: [[LevelSum]]
  private var lengths: [Int] = []
  private let frames: Int

  init(channelCount: Int, sampleRate: Int) {
    sums = Array(repeating: [], count: channelCount)
    frames = max(1, sampleRate * 3 / 10)
  }

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

  var readings: [LevelReading] {
    sums.map { sums in sums.reduce(into: LevelSum()) { $0.add($1) }.reading }
  }
}
