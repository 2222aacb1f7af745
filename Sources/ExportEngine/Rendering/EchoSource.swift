import Diagnosis
import MediaComposition
import MediaTime

/// A source with echoes, in place.
///
/// Each echo is in the next one, so its memory has no bound: a step back begins with the first frame
/// again, but for the warm-up that players set.
final class EchoSource: DerivedSound {
  let input: any Sound
  private let frameCount: Int64
  private let sampleRate: Int
  private let jumps: Jumps
  private let dry: Float
  private let wet: Float
  private let feedback: Float
  /// The sound of the last `delay` frames with its echoes, as a ring.
  private let ring: AudioBuffer
  private var place = 0
  /// The next frame that is read of the input; nil where the ring must be filled anew.
  private var next: Int64?

  /// `frameCount` frames of `input` with the echoes of `delay`.
  init(
    _ input: any Sound, _ delay: Effect.Delay, sampleRate: Int, frameCount: Int64,
    jumps: Jumps
  ) {
    self.input = input
    self.frameCount = frameCount
    self.sampleRate = sampleRate
    self.jumps = jumps
    (dry, wet) = (Float(1 - delay.mix), Float(delay.mix))
    feedback = Float(delay.feedback)
    ring = AudioBuffer(
      channelCount: input.channelCount,
      capacity: max(1, Int(delay.time.frames(atRate: sampleRate))))
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let position = frames.lowerBound
    var next = start(for: position)
    // Frames before the position go where the next read writes, and are overwritten.
    while next < position {
      let some = try input.read(
        next..<min(position, next + Int64(frames.count)), into: buffer, at: offset)
      guard some > 0 else { return 0 }
      echo(buffer, offset..<offset + some)
      next += Int64(some)
      self.next = next
    }
    let wanted = position..<max(position, min(frames.upperBound, frameCount))
    let taken = try input.read(wanted, into: buffer, at: offset)
    echo(buffer, offset..<offset + taken)
    self.next = position + Int64(taken)
    return taken
  }

  /// The next frame of the input on the way to a position; the ring has the sound before it.
  private func start(for position: Int64) -> Int64 {
    let warmUp = jumps.warmUp?.frames(atRate: sampleRate)
    if let next, position >= next, warmUp.map({ position - next <= 2 * $0 }) ?? true { return next }
    let start = warmUp.map { max(0, position - $0) } ?? 0
    for channel in 0..<channelCount {
      ring.planes[channel].update(repeating: 0, count: ring.capacity)
    }
    place = 0
    next = start
    return start
  }

  private func echo(_ buffer: AudioBuffer, _ frames: Range<Int>) {
    var first = frames.lowerBound
    while first < frames.upperBound {
      let count = min(frames.upperBound - first, ring.capacity - place)
      for channel in 0..<channelCount {
        let (samples, past) = (buffer.planes[channel] + first, ring.planes[channel] + place)
        var index = 0
        while index < count {
          let (sample, echo) = (samples[index], past[index])
          past[index] = sample + feedback * echo
          samples[index] = dry * sample + wet * echo
          index += 1
        }
      }
      place = (place + count) % ring.capacity
      first += count
    }
  }
}
