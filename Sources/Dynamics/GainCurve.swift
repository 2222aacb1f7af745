import Glibc

/// The gain of a limiter: down before each peak, there in time, held, and up again at a constant
/// slope in decibels.
///
/// All of it is whole numbers, of 2⁻²⁴ octaves (an octave is a factor of two): sums are exact, so a
/// gain depends on the demands within its window alone, and not on where a pass began. A demand is
/// the gain that a frame needs: 0 or negative. O(1) for each frame on average. One thread at a time.
final class GainCurve {
  /// The form of a curve, in frames.
  struct Shape {
    /// Frames from a gain to the last demand that it depends on.
    let delay: Int
    /// Frames from the first demand that a gain depends on to the gain.
    let reach: Int
    /// Frames that the least demand holds for.
    fileprivate let span: Int
    /// Frames of each of two running means, one after the other: a triangle.
    fileprivate let length: Int
    /// By how much the gain rises in a frame.
    fileprivate let slope: Int
    /// Where it begins to rise, if it is lower: so it is 0 again within a known number of frames.
    fileprivate let deepest: Int

    /// A curve that takes `attack` frames to fall, has fallen `guardFrames` before a peak, stays for
    /// `hold` frames after it, and then rises by `decibels` in a frame, from −`deepest` decibels at
    /// most.
    init(attack: Int, guardFrames: Int, hold: Int, decibels: Double, deepest: Double) {
      let octave = GainCurve.octave / (20 * log10(2.0))
      length = max(1, (attack + 1) / 2)
      delay = guardFrames + 2 * length - 2
      let after = max(hold, guardFrames)
      span = delay + after + 1
      slope = max(1, Int((decibels * octave).rounded()))
      self.deepest = -Int(deepest * octave)
      reach = after + (-self.deepest + slope - 1) / slope + 2 * length
    }
  }

  /// Units of a factor of two.
  private static let octave = 16_777_216.0

  private struct State {
    var frame = 0
    /// Frames until everything is at rest.
    var unrest = 0
    /// The first of the minima, in a ring.
    var first = 0
    var count = 0
    var released = 0
    /// The place in `sums`.
    var place = 0
    var sum = (first: 0, second: 0)
  }

  private let shape: Shape
  private var state = State()
  /// Demands within the span that no later one is below, each with its frame.
  private let minima: UnsafeMutablePointer<(frame: Int, demand: Int)>
  /// The last values of both running means.
  private let sums: UnsafeMutablePointer<(first: Int, second: Int)>

  /// A curve at rest.
  init(_ shape: Shape) {
    self.shape = shape
    minima = .allocate(capacity: shape.span)
    minima.initialize(repeating: (0, 0), count: shape.span)
    sums = .allocate(capacity: shape.length)
    sums.initialize(repeating: (0, 0), count: shape.length)
  }

  deinit {
    minima.deallocate()
    sums.deallocate()
  }

  /// Begins anew, after frames without demands.
  func reset() {
    state = State()
    sums.update(repeating: (0, 0), count: shape.length)
  }

  /// The demand of a level that is `excess` times as large as it may be; 1 or more.
  static func demand(excess: Double) -> Int {
    // No sample in single precision has more than 2¹²⁸; a value between two may be infinite.
    Int((-log2(min(excess, 0x1p200)) * octave).rounded(.down))
  }

  /// Takes the demands of the next frames; nil: none. Writes as many gains: of the frames that lie
  /// `delay` before these.
  func next(_ demands: UnsafePointer<Int>?, count: Int, into gains: UnsafeMutablePointer<Float>) {
    var state = state
    if demands == nil, state.unrest == 0 {
      gains.update(repeating: 1, count: count)
      state.frame += count
    } else {
      let scale = 1 / (Double(shape.length) * Double(shape.length) * Self.octave)
      var last = (sum: 0, gain: Float(1))
      for index in 0..<count {
        let sum = next(demands?[index] ?? 0, &state)
        if sum != last.sum { last = (sum, Float(powerOfTwo(Double(sum) * scale))) }
        gains[index] = last.gain
      }
      // What is in the rings is 0 by then.
      let isCalm = demands == nil
      state.unrest = isCalm ? max(0, state.unrest - count) : shape.span + shape.reach
    }
    self.state = state
  }

  /// One frame: the sum of the gains in the triangle.
  private func next(_ demand: Int, _ state: inout State) -> Int {
    state.frame += 1
    if demand < 0 {
      while state.count > 0, minima[place(state.first + state.count - 1)].demand >= demand {
        state.count -= 1
      }
    }
    if state.count > 0, minima[state.first].frame + shape.span <= state.frame {
      state.first = place(state.first + 1)
      state.count -= 1
    }
    if demand < 0 {
      minima[place(state.first + state.count)] = (state.frame, demand)
      state.count += 1
    }
    let least = state.count > 0 ? minima[state.first].demand : 0
    state.released = min(least, max(state.released, shape.deepest) + shape.slope)
    let old = sums[state.place]
    state.sum.first += state.released - old.first
    state.sum.second += state.sum.first - old.second
    sums[state.place] = (state.released, state.sum.first)
    state.place = state.place + 1 == shape.length ? 0 : state.place + 1
    return state.sum.second
  }

  private func place(_ index: Int) -> Int { index < shape.span ? index : index - shape.span }
}

/// 2 to the power of `exponent`, which is −1000 to 1000, right to a part in 10⁷: the same bits on
/// every processor, which Glibc's are not.
func powerOfTwo(_ exponent: Double) -> Double {
  let whole = exponent.rounded()
  let rest = (exponent - whole) * 0.693_147_180_559_945_3
  // The series of the exponential function, for at most half an octave.
  var sum = 1 + rest / 7
  sum = 1 + rest / 6 * sum
  sum = 1 + rest / 5 * sum
  sum = 1 + rest / 4 * sum
  sum = 1 + rest / 3 * sum
  sum = 1 + rest / 2 * sum
  return (1 + rest * sum) * Double(sign: .plus, exponent: Int(whole), significand: 1)
}
