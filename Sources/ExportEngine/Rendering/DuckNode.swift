import Diagnosis
import Dynamics
import ExportGraph
import MediaComposition

/// A child that is lower while one of its keys sounds.
final class DuckNode: DerivedSound {
  let input: any Sound
  private let keys: [SharedNode.Reader]
  private let ducking: Ducking
  private let envelope: DuckEnvelope
  private let watcher: (any NodeWatcher)?
  /// The gains of a block in which they move.
  private var gains: AudioBuffer?

  init(
    _ input: any Sound, keys: [SharedNode.Reader], _ ducking: Ducking, _ watcher: (any NodeWatcher)?
  ) {
    self.input = input
    self.keys = keys
    self.ducking = ducking
    self.watcher = watcher
    envelope = DuckEnvelope(
      depth: ducking.depth, attack: ducking.attack, hold: ducking.hold, release: ducking.release)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let count = try input.read(frames, into: buffer, at: offset)
    let sounding = try soundingRanges(around: frames)
    if let gain = envelope.steadyGain(over: frames, sounding: sounding) {
      watcher?.lowered(by: gain, at: frames)
      if gain != 1 {
        for channel in 0..<channelCount {
          scale(buffer.planes[channel] + offset, count: count, by: gain)
        }
      }
    } else {
      let gains = gains(count: frames.count)
      envelope.write(gains, over: frames, sounding: sounding)
      report(gains, at: frames)
      for channel in 0..<channelCount {
        multiply(buffer.planes[channel] + offset, with: gains, count: count)
      }
    }
    return count
  }

  func close() {
    gains = nil
    input.close()
    for key in keys { key.close() }
  }

  private func report(_ gains: UnsafeMutablePointer<Float>, at frames: Range<Int64>) {
    guard let watcher else { return }
    for start in stride(from: 0, to: frames.count, by: watchedFrames) {
      let end = min(start + watchedFrames, frames.count)
      var least: Float = 1
      for frame in start..<end { least = min(least, gains[frame]) }
      watcher.lowered(
        by: least, at: frames.lowerBound + Int64(start)..<frames.lowerBound + Int64(end))
    }
  }

  private func gains(count: Int) -> UnsafeMutablePointer<Float> {
    let made =
      gains.flatMap { $0.capacity >= count ? $0 : nil }
      ?? AudioBuffer(channelCount: 1, capacity: count)
    gains = made
    return made.planes[0]
  }

  /// When keys sound, as far as it matters for `frames`: in the steps from the threshold on, and in
  /// their neighbours, so that no frame of a sound is left out that fills a part of its step.
  private func soundingRanges(around frames: Range<Int64>) throws(Failure) -> [Range<Int64>] {
    let reach = ducking.reach(of: frames)
    var found: [Range<Int64>] = []
    for key in keys {
      try key.forEachStep(
        in: reach, around: frames.lowerBound, withPower: ducking.threshold * ducking.threshold
      ) { step in
        let start = step.lowerBound - ducking.step
        let end = step.upperBound + ducking.step
        if let last = found.last, last.lowerBound <= start, start <= last.upperBound {
          found[found.count - 1] = last.lowerBound..<max(last.upperBound, end)
        } else {
          found.append(start..<end)
        }
      }
    }
    return keys.count == 1 ? found : found.sorted { $0.lowerBound < $1.lowerBound }
  }
}
