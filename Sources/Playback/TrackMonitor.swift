import ExportEngine
import Synchronization

/// Meters one track of an item on the rendering thread, and mutes it.
final class TrackMonitor: NodeWatcher {
  /// What the track's sound is multiplied with; a change is a ramp over one block.
  private let wanted: TrackGain
  private var gain: Float = 1
  /// Since the last `take`.
  private var level = LevelSum()

  init(_ wanted: TrackGain) {
    self.wanted = wanted
    gain = wanted.value
  }

  func pass(_ block: AudioBuffer) {
    let target = wanted.value
    if gain != 1 || target != 1 { scale(block, to: target) }
    for channel in 0..<block.channelCount { level.add(block.samples(channel)) }
  }

  /// What has passed since the last call; nil where nothing has.
  func take() -> LevelSum? {
    guard level.count > 0 else { return nil }
    defer { level = LevelSum() }
    return level
  }

  private func scale(_ block: AudioBuffer, to target: Float) {
    let step = (target - gain) / Float(max(1, block.frameCount))
    for channel in 0..<block.channelCount {
      let samples = block.samples(channel)
      for index in 0..<block.frameCount {
        samples[index] *= gain + step * Float(Int32(truncatingIfNeeded: index))
      }
    }
    gain = target
  }
}

/// What a listener has done to a track, for the rendering thread to see.
final class TrackGain: Sendable {
  private let bits = Atomic<UInt32>(Float(1).bitPattern)

  /// A factor: 1, or 0 for a track that is muted.
  var value: Float {
    get { Float(bitPattern: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.bitPattern, ordering: .relaxed) }
  }
}

/// Peak and power of samples.
struct LevelSum: Sendable, Hashable {
  /// The largest magnitude.
  var peak: Float = 0
  /// The sum of all squares.
  var squares: Double = 0
  /// How many samples.
  var count = 0

  /// Counts samples in.
  mutating func add(_ samples: UnsafeMutableBufferPointer<Float>) {
    var largest: Float = 0
    var sum: Float = 0
    for sample in samples {
      largest = max(largest, abs(sample))
      sum += sample * sample
    }
    peak = max(peak, largest)
    squares += Double(sum)
    count += samples.count
  }

  /// Both at once.
  mutating func add(_ other: LevelSum) {
    peak = max(peak, other.peak)
    squares += other.squares
    count += other.count
  }

  /// The root of the mean square; 0 where there are no samples.
  var rms: Float { count > 0 ? Float((squares / Double(count)).squareRoot()) : 0 }
}
