import Diagnosis
import ExportGraph
import MediaComposition

final class MatrixedSource: DerivedSound {
  let input: any Sound
  private let matrix: ChannelMatrix
  private let scratch: AudioBuffer

  var channelCount: Int { matrix.weights.count }

  init(_ input: any Sound, _ matrix: ChannelMatrix) {
    self.input = input
    self.matrix = matrix
    scratch = AudioBuffer(channelCount: input.channelCount, capacity: 4096)
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    var filled = 0
    while filled < frames.count {
      let wanted = min(frames.count - filled, scratch.capacity)
      let first = frames.lowerBound + Int64(filled)
      let taken = try input.read(first..<first + Int64(wanted), into: scratch, at: 0)
      matrix.weigh(scratch, into: buffer, at: offset + filled, count: taken)
      filled += taken
      if taken < wanted { break }
    }
    return filled
  }
}

extension ChannelMatrix {
  /// Weighs the first `count` frames of `source` into frames `offset ..< offset + count` of
  /// `target`, another buffer.
  package func weigh(_ source: AudioBuffer, into target: AudioBuffer, at offset: Int, count: Int) {
    for (channel, row) in weights.enumerated() {
      let plane = target.planes[channel] + offset
      plane.update(repeating: 0, count: count)
      for (input, weight) in row.enumerated() where weight != 0 {
        add(source.planes[input], times: weight, to: plane, count: count)
      }
    }
  }
}

/// `target += weight × source`, a straight-line kernel.
func add(
  _ source: UnsafeMutablePointer<Float>, times weight: Float,
  to target: UnsafeMutablePointer<Float>, count: Int
) {
  for frame in 0..<count { target[frame] += weight * source[frame] }
}
