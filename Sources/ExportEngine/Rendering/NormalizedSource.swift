import Diagnosis
import ExportGraph
import MediaComposition

/// A sound after one gain: each sample times a factor.
final class AmplifiedSource: DerivedSound {
  let input: any Sound
  private let factor: Float

  init(_ input: any Sound, by gain: Gain) {
    self.input = input
    factor = Float(gain.factor)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    let taken = try input.read(frames, into: buffer, at: offset)
    for channel in 0..<channelCount {
      scale(buffer.planes[channel] + offset, count: taken, by: factor)
    }
    return taken
  }
}

/// A sound brought to its level.
///
/// - Parameters:
///   - input: The sound.
///   - normalization: Solved.
///   - format: The sound's.
///   - frameCount: The sound's length.
///   - watcher: Gets the limiter's gain.
/// - Returns: `input` itself where that changes nothing.
/// - Throws: `reportBug` where the sound has not been measured.
func normalized(
  _ input: any Sound, _ normalization: Normalization, _ format: AudioFormat,
  frameCount: Int64, _ watcher: (any NodeWatcher)?
) throws(Failure) -> any Sound {
  guard let solution = normalization.solution else {
    throw Failure(.reportBug, "a loudness is rendered that was not measured")
  }
  let amplified = solution.gain == .unity ? input : AmplifiedSource(input, by: solution.gain)
  guard let ceiling = solution.ceiling else { return amplified }
  return DynamicsSource(
    limiting: amplified, by: Effect.Limiter(ceiling: ceiling), format, frameCount: frameCount,
    watcher)
}
