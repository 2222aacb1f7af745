import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime

/// Stretched sound at the level of its source. rubberband's takes phases apart that belong together, and
/// music and speech lose 1.5 to 3 dB.
///
/// The mean powers of source and sound, over some 0.4 s, give a gain for each fiftieth of a second. It
/// is a function of the sound from its start, as the stretch is: a step back starts there, or, where
/// `jumps` have a warm-up, at `memory` before its target. One thread at a time.
final class LevelMatchedSource: DerivedSound {
  /// The stretched sound.
  let input: any Sound
  private let meter: PowerMeter
  private let ratio: FrameRatio
  private let sampleRate: Int
  private let jumps: Jumps
  /// A step of the sound, and its first frame.
  private let block: AudioBuffer
  private var blockStart: Int64 = 0
  private var powers = (source: 0.0, sound: 0.0)
  private var gain: Float = 1

  /// The share of a step in the mean power: 0.4 s of steps of 20 ms.
  private static let share = 0.05
  /// How far the gain goes in a step to where it is to be. A stretch moves an attack by some
  /// milliseconds, which is no loss.
  private static let pace: Float = 0.1
  /// Three times the span of the mean powers: all but 5 % of them is of sound behind it.
  private static let memory = Time(value: 6, timescale: 5)
  /// −1.5 to 6 dB.
  private static let gains = 0.84...2.0

  /// `input` is made of what is read through `meter`.
  init(
    _ input: any Sound, of meter: PowerMeter, _ ratio: FrameRatio, sampleRate: Int,
    jumps: Jumps
  ) {
    (self.input, self.meter, self.ratio) = (input, meter, ratio)
    (self.sampleRate, self.jumps) = (sampleRate, jumps)
    block = AudioBuffer(channelCount: input.channelCount, capacity: max(1, sampleRate / 50))
  }

  /// Begins anew where a frame cannot be reached from the step that it is at.
  private func seek(to frame: Int64) {
    let warmUp = jumps.warmUp.map { max($0, Self.memory).frames(atRate: sampleRate) }
    let isFar = warmUp.map { frame - blockStart > 2 * $0 } ?? false
    guard frame < blockStart || isFar else { return }
    let first = warmUp.map { max(0, frame - $0) } ?? 0
    blockStart = first / Int64(block.capacity) * Int64(block.capacity)
    block.frameCount = 0
    (powers, gain) = ((0, 0), 1)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    seek(to: frames.lowerBound)
    var (position, filled) = (frames.lowerBound, 0)
    while position < frames.upperBound {
      let start = Int(min(position - blockStart, Int64(block.frameCount)))
      guard start < block.frameCount else {
        guard try advance() else { break }
        continue
      }
      let taken = min(frames.count - filled, block.frameCount - start)
      for channel in 0..<channelCount {
        (buffer.planes[channel] + offset + filled).update(
          from: block.planes[channel] + start, count: taken)
      }
      filled += taken
      position += Int64(taken)
    }
    return filled
  }

  /// Goes to the next step; false at the end.
  private func advance() throws(Failure) -> Bool {
    blockStart += Int64(block.frameCount)
    block.frameCount = try input.read(
      blockStart..<blockStart + Int64(block.capacity), into: block, at: 0)
    guard block.frameCount > 0 else { return false }
    let source = meter.power(
      ratio.source(
        ofTarget: blockStart)..<ratio.source(ofTarget: blockStart + Int64(block.frameCount)))
    powers.source += Self.share * (source - powers.source)
    powers.sound += Self.share * (power - powers.sound)
    let last = gain
    // Below −120 dB there is nothing to match.
    if powers.sound > 1e-12 {
      let wanted = (powers.source / powers.sound).squareRoot()
      let bounded = min(max(wanted, Self.gains.lowerBound), Self.gains.upperBound)
      gain += Self.pace * (Float(bounded) - gain)
    }
    let slope = (gain - last) / Float(block.capacity)
    for channel in 0..<channelCount {
      let plane = block.planes[channel]
      for frame in 0..<block.frameCount { plane[frame] *= last + slope * Float(frame) }
    }
    return true
  }

  /// The mean square of the step, over all channels.
  private var power: Double {
    var sum = 0.0
    for channel in 0..<channelCount {
      let plane = block.planes[channel]
      for frame in 0..<block.frameCount { sum += Double(plane[frame] * plane[frame]) }
    }
    return sum / Double(block.frameCount * max(1, channelCount))
  }
}

/// Passes sound on, and keeps its power for some time.
final class PowerMeter: DerivedSound {
  let input: any Sound
  /// The frame behind those that were read last.
  private var end: Int64 = 0
  /// Sums of squares of `cell` frames each, from cell `first` on.
  private var sums: [Double] = []
  private var first: Int64 = 0

  private static let cell: Int64 = 64

  init(_ input: any Sound) { self.input = input }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let start = frames.lowerBound
    if start != end { (sums, first) = ([], start / Self.cell) }
    let filled = try input.read(frames, into: buffer, at: offset)
    end = start + Int64(filled)
    // Asked once: it is a call through the whole tree.
    let channelCount = channelCount
    for frame in 0..<filled {
      let cell = Int((start + Int64(frame)) / Self.cell - first)
      if cell >= sums.count { sums.append(0) }
      var sum = 0.0
      for channel in 0..<channelCount {
        let sample = buffer.planes[channel][offset + frame]
        sum += Double(sample * sample)
      }
      sums[cell] += sum
    }
    return filled
  }

  /// The mean square of some frames over all channels, by whole cells; 0 where they were not read. What
  /// lies before them is forgotten.
  func power(_ frames: Range<Int64>) -> Double {
    let lower = Int(frames.lowerBound / Self.cell - first)
    let upper = max(lower + 1, Int(frames.upperBound / Self.cell - first))
    let there = sums.indices.clamped(to: max(0, lower)..<max(0, upper))
    let sum = sums[there].reduce(0, +)
    if lower > 0 {
      let forgotten = min(lower, sums.count)
      sums.removeFirst(forgotten)
      first += Int64(forgotten)
    }
    return sum / Double((upper - lower) * Int(Self.cell) * max(1, channelCount))
  }
}
