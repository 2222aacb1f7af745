import Diagnosis
import Dynamics
import ExportGraph
import MediaComposition

/// A source whose level is changed by what comes before and after each frame, with its moments in
/// place.
///
/// A step back, or a long one ahead, begins as many frames before as any of these depend on; silence
/// surrounds the sound.
final class DynamicsSource: DerivedSound {
  let input: any Sound
  private let rider: GainRider
  private let reach: Int64
  private let frameCount: Int64
  private let watcher: (any NodeWatcher)?
  private let block: AudioBuffer
  /// The next frame that `rider` takes, and that it gives; nil where it must begin anew.
  private var places: (fed: Int64, ready: Int64)?

  /// `frameCount` frames of `input` through `rider`, whose frames depend on `reach` frames before
  /// them.
  init(
    _ input: any Sound, _ rider: GainRider, reach: Int, frameCount: Int64,
    watcher: (any NodeWatcher)? = nil
  ) {
    self.input = input
    self.rider = rider
    self.reach = Int64(reach)
    self.frameCount = frameCount
    self.watcher = watcher
    block = AudioBuffer(channelCount: input.channelCount, capacity: GainRider.mostFed)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    var (position, filled) = (frames.lowerBound, 0)
    let wanted = max(0, Int(min(frames.upperBound, frameCount) - position))
    if let ready = places?.ready, position < ready || position - ready > reach { places = nil }
    while filled < wanted {
      var places = try fed(for: position)
      let isBefore = places.ready < position
      let left = isBefore ? Int(position - places.ready) : wanted - filled
      let some = min(rider.ready, left, watchedFrames)
      let least = rider.take(some, into: isBefore ? nil : buffer.planes, at: offset + filled)
      places.ready += Int64(some)
      self.places = places
      if isBefore { continue }
      watcher?.lowered(by: least, at: position..<position + Int64(some))
      filled += some
      position += Int64(some)
    }
    return filled
  }

  /// The places, when something is ready.
  private func fed(for position: Int64) throws(Failure) -> (fed: Int64, ready: Int64) {
    var places = self.places ?? begin(at: position)
    while rider.ready == 0 {
      // Before its first frame, and behind its last, a sound is silent.
      let before = Int(min(Int64(block.capacity), max(0, -places.fed)))
      clear(0..<before)
      let next = places.fed..<places.fed + Int64(block.capacity)
      let read = try input.read(next.clamped(to: 0..<Int64.max), into: block, at: before)
      clear(before + read..<block.capacity)
      rider.feed(block.planes, count: block.capacity)
      places.fed = next.upperBound
    }
    return places
  }

  private func begin(at position: Int64) -> (fed: Int64, ready: Int64) {
    let grid = Int64(rider.grid)
    // Silence before the sound: there may be peaks between the two.
    let first = position < reach ? -grid : (position - reach) / grid * grid
    rider.reset()
    return (first, first)
  }

  private func clear(_ frames: Range<Int>) {
    for channel in 0..<channelCount {
      (block.planes[channel] + frames.lowerBound).update(repeating: 0, count: frames.count)
    }
  }
}

extension DynamicsSource {
  /// `frameCount` frames of `input`, limited.
  convenience init(
    limiting input: any Sound, by settings: Effect.Limiter, _ format: AudioFormat,
    frameCount: Int64, _ watcher: (any NodeWatcher)? = nil
  ) {
    let limiter = settings.limiter(atRate: format.sampleRate)
    self.init(
      input, limiter.rider(channelCount: format.channelLayout.count), reach: limiter.reach,
      frameCount: frameCount, watcher: watcher)
  }

  /// `frameCount` frames of `input`, leveled.
  convenience init(
    leveling input: any Sound, by settings: Effect.Leveler, _ format: AudioFormat,
    frameCount: Int64, _ watcher: (any NodeWatcher)? = nil
  ) {
    let leveler = settings.leveler(atRate: format.sampleRate)
    let weights = format.channelLayout.loudnessPositions.map(\.weight)
    self.init(
      input, leveler.rider(weights: weights), reach: leveler.reach, frameCount: frameCount,
      watcher: watcher)
  }
}
