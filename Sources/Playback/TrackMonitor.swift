import ExportEngine

/// Meters one track of an item on the rendering thread, and mutes it.
///
/// Several nodes may render a track, two of them at once in a cross-fade: the track is their sum.
final class TrackMonitor {
  private let item: PlayerItem
  private let index: Int
  var isMetered = true
  /// The level since the last `take`, without `sum`.
  private var level = LevelSum()
  /// The sum of the nodes in one block of the mix, for each channel, and its frames.
  private var sum: [[Float]] = []
  private var span: Range<Int64> = 0..<0
  private var round = 0

  init(_ item: PlayerItem, track index: Int) {
    self.item = item
    self.index = index
  }

  /// A watcher for one of the nodes that render the track.
  func watcher() -> any NodeWatcher { Watcher(self) }

  /// The level since the last call; nil without sound.
  func take() -> LevelSum? {
    finish()
    guard level.count > 0 else { return nil }
    defer { level = LevelSum() }
    return level
  }

  /// Watches one of the nodes.
  private final class Watcher: NodeWatcher {
    private let track: TrackMonitor
    /// The factor of the node's sound; a change is a ramp over one block.
    private var gain: Float = 1
    private var end: Int64?
    private var round = -1

    init(_ track: TrackMonitor) { self.track = track }

    func pass(_ buffer: AudioBuffer, from offset: Int, at frames: Range<Int64>) {
      let target = track.item.gain(ofTrack: track.index)
      // Sound that begins here begins at its level.
      if end != frames.lowerBound { gain = target }
      end = frames.upperBound
      if gain != 1 || target != 1 { scale(buffer, from: offset, count: frames.count, to: target) }
      guard track.isMetered else { return }
      round = track.add(buffer, from: offset, at: frames, isNew: round == track.round)
    }

    private func scale(_ buffer: AudioBuffer, from offset: Int, count: Int, to target: Float) {
      let step = (target - gain) / Float(max(1, count))
      for channel in 0..<buffer.channelCount {
        let samples = buffer.planes[channel] + offset
        for index in 0..<count {
          samples[index] *= gain + step * Float(Int32(truncatingIfNeeded: index))
        }
      }
      gain = target
    }
  }

  /// Adds a node's sound to that of the others; returns the round. A node that comes a second time
  /// begins the next block of the mix.
  private func add(
    _ buffer: AudioBuffer, from first: Int, at frames: Range<Int64>, isNew: Bool
  ) -> Int {
    let (start, end) = (frames.lowerBound, frames.upperBound)
    if isNew || !span.contains(start) {
      finish()
      span = start..<start
    }
    let length = Int(end - span.lowerBound)
    while sum.count < buffer.channelCount { sum.append([]) }
    let offset = Int(start - span.lowerBound)
    for channel in 0..<buffer.channelCount {
      if sum[channel].count < length {
        sum[channel] += repeatElement(0, count: length - sum[channel].count)
      }
      let samples = buffer.planes[channel] + first
      sum[channel].withUnsafeMutableBufferPointer { sum in
        for index in 0..<frames.count { sum[offset + index] += samples[index] }
      }
    }
    span = span.lowerBound..<max(span.upperBound, end)
    return round
  }

  /// Measures a complete block.
  private func finish() {
    round += 1
    for channel in sum.indices {
      sum[channel].withUnsafeMutableBufferPointer { level.add($0) }
      sum[channel].removeAll(keepingCapacity: true)
    }
    span = 0..<0
  }
}
