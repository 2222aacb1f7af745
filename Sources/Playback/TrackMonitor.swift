import ExportEngine

/// Meters one track of an item on the rendering thread, and mutes it.
final class TrackMonitor: NodeWatcher {
  private let item: PlayerItem
  private let index: Int
  /// What the track's sound is multiplied with; a change is a ramp over one block.
  private var gain: Float
  /// Since the last `take`.
  private var level = LevelSum()

  /// Watches one of an item's tracks.
  init(_ item: PlayerItem, track index: Int) {
    self.item = item
    self.index = index
    gain = item.gain(ofTrack: index)
  }

  func pass(_ block: AudioBuffer) {
    let target = item.gain(ofTrack: index)
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
