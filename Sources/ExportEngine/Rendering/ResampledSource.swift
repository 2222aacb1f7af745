import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// A source at another rate, resampled on the source's own grid.
///
/// The source is cut into fixed stretches; each is resampled afresh, with real sound around it as
/// warm-up. A frame's value depends on its stretch alone, so a range equals the slice of the whole
/// whatever the resampler does.
final class ResampledSource: DerivedSound {
  let input: any Sound
  private var position: Int64 = 0
  private let ratio: FrameRatio
  private let period: (source: Int64, target: Int64)
  private let stretch: Int64
  private let warmUp: Int64
  /// Frames of the source and of the result; the source may be endless.
  private let length: (source: Int64, target: Int64)

  private var resampler: Resampler?
  private var index: Int64 = -1
  /// The next source frame to feed, and the end of this stretch's input.
  private var feed: Range<Int64> = 0..<0
  private var dropping = 0
  private var block: AudioBuffer
  private let output: AudioBuffer
  private var outputOffset = 0
  /// The source frames around the stretch's end, which the next one begins with.
  private var overlap: AudioBuffer
  private var overlapStart: Int64 = -1
  /// The frames around its start, read in the stretch before, and how many of them were fed.
  private var heard: AudioBuffer
  private var heardOffset = 0

  /// `targetCount` is the caller's own rounding of `frameCount`.
  init(
    _ input: any Sound, _ ratio: FrameRatio, sampleRate: Int, frameCount: Int64,
    targetCount: Int64
  ) {
    self.input = input
    self.ratio = ratio
    period = (Int64(ratio.source), Int64(ratio.target))
    stretch = Int64(Resampling.stretch(ratio, sampleRate: sampleRate))
    warmUp = Int64(Resampling.warmUp(ratio))
    length = (frameCount, targetCount)
    let channelCount = input.channelCount
    block = AudioBuffer(channelCount: channelCount, capacity: 2048)
    output = AudioBuffer(
      channelCount: channelCount, capacity: 2048 * ratio.target / ratio.source + 16_384)
    overlap = AudioBuffer(channelCount: channelCount, capacity: Int(2 * warmUp))
    heard = AudioBuffer(channelCount: channelCount, capacity: Int(2 * warmUp))
  }

  private var targetStretch: Int64 { stretch / period.source * period.target }

  private func seek(to frame: Int64) throws(Failure) {
    guard frame != position else { return }
    let isSameStretch = frame / targetStretch == index && frame > position
    if !isSameStretch { index = -1 }
    if isSameStretch {
      let scratch = AudioBuffer(channelCount: channelCount, capacity: 4096)
      while position < frame {
        let next = position..<min(frame, position + 4096)
        guard try read(next, into: scratch, at: 0) == next.count else { break }
      }
    }
    position = frame
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    try seek(to: frames.lowerBound)
    let wanted = max(0, Int(min(frames.upperBound, length.target) - position))
    var filled = 0
    while filled < wanted {
      if position / targetStretch != index { try begin(position / targetStretch) }
      let stretchEnd = (index + 1) * targetStretch
      let needed = Int(min(Int64(wanted - filled), stretchEnd - position))
      let available = output.frameCount - outputOffset
      let dropped = min(dropping, available)
      outputOffset += dropped
      dropping -= dropped
      let taken = min(needed, available - dropped)
      for channel in 0..<channelCount {
        (buffer.planes[channel] + offset + filled).update(
          from: output.planes[channel] + outputOffset, count: taken)
      }
      outputOffset += taken
      filled += taken
      position += Int64(taken)
      if taken == needed { continue }
      if try !produce() {
        // Rounding decides whether the filter's last frame is there.
        for channel in 0..<channelCount {
          (buffer.planes[channel] + offset + filled).update(
            repeating: 0, count: wanted - filled)
        }
        position += Int64(wanted - filled)
        return wanted
      }
    }
    return filled
  }

  /// Starts a stretch, so that the next output frame is the one at `position`.
  private func begin(_ newIndex: Int64) throws(Failure) {
    index = newIndex
    let first = newIndex * stretch
    let start = max(0, first - warmUp)
    feed = start..<max(start, min(length.source, first + stretch + warmUp))
    dropping = Int(
      (first - start) / period.source * period.target + position - newIndex * targetStretch)
    output.frameCount = 0
    outputOffset = 0
    do throws(LibAVError) {
      resampler = try Resampler.open(
        from: ratio.source, to: ratio.target, channelCount: channelCount)
    } catch {
      throw error.machineFailure
    }
    swap(&overlap, &heard)
    heardOffset = 0
    if overlapStart == start, heard.frameCount > 0 {
      feed = (start + Int64(heard.frameCount))..<feed.upperBound
    } else {
      heard.frameCount = 0
    }
    overlapStart = max(0, (newIndex + 1) * stretch - warmUp)
    overlap.frameCount = 0
  }

  /// Feeds a block, or the end; false where nothing more will come.
  private func produce() throws(Failure) -> Bool {
    let wasFull = output.frameCount == output.capacity
    output.frameCount = 0
    outputOffset = 0
    if wasFull {
      // More output may be waiting, and a full resampler must not be fed.
      try take(block, from: 0, count: 0)
      return true
    }
    if heardOffset < heard.frameCount {
      let count = min(block.capacity, heard.frameCount - heardOffset)
      try take(heard, from: heardOffset, count: count)
      heardOffset += count
      return true
    }
    guard !feed.isEmpty else {
      try take(nil, from: 0, count: 0)
      return output.frameCount > 0
    }
    let next = feed.prefix(block.capacity)
    let read = try input.read(next, into: block, at: 0)
    keepOverlap(from: feed.lowerBound, count: read)
    feed = read < next.count ? 0..<0 : next.upperBound..<feed.upperBound
    try take(block, from: 0, count: read)
    return true
  }

  private func take(_ source: AudioBuffer?, from start: Int, count: Int) throws(Failure) {
    guard let resampler else { return }
    do throws(LibAVError) {
      let made = try resampler.convert(
        source.map { UnsafePointer($0.planes) }, from: start, count: count,
        into: output.planes, at: output.frameCount, capacity: output.capacity - output.frameCount)
      output.frameCount += made
    } catch {
      throw error.machineFailure
    }
  }

  private func keepOverlap(from first: Int64, count: Int) {
    let kept = (overlapStart + Int64(overlap.frameCount))..<(overlapStart + 2 * warmUp)
    let common = kept.clamped(to: first..<(first + Int64(count)))
    guard !common.isEmpty, common.lowerBound == kept.lowerBound else { return }
    for channel in 0..<channelCount {
      (overlap.planes[channel] + overlap.frameCount).update(
        from: block.planes[channel] + Int(common.lowerBound - first), count: common.count)
    }
    overlap.frameCount += common.count
  }
}
