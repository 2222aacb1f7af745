import Glibc

/// Rides the level of voices: parts that are louder or quieter than a target come nearer to it,
/// slowly, and by one gain for all channels.
///
/// Loudness is that of BS.1770-4, in steps of 100 ms on a fixed grid. A step is one of a voice if it
/// is 6 LU above the quietest of the five seconds around it, and above −60 LUFS: steady noise is
/// none. The loudness of the voice within half a second is brought to the target, as far as `range`
/// allows, and the gain is the mean of that over eight seconds, near steps weighing more. So in a
/// pause the gain goes from that of one voice to that of the next, and with none near it goes to 0
/// dB.
///
/// Between two steps the gain moves straight in decibels.
package struct Leveler: Sendable {
  /// Frames of input before a frame of output that it may depend on.
  package var reach: Int { (Steps.back + LevelerGain.stepsOfGrid + 2) * step }
  /// Frames of input after a frame of output that it may depend on.
  package var lookAhead: Int { (Steps.ahead + 1) * step }

  private let target: Double
  private let range: Double
  private let sampleRate: Int
  private var step: Int { max(1, sampleRate / 10) }

  /// A leveler to `target` LUFS, by at most `range` decibels up or down.
  package init(target: Double, range: Double, sampleRate: Int) {
    (self.target, self.range, self.sampleRate) = (target, range, sampleRate)
  }

  /// A leveler's gain for all channels; `weights` has those of BS.1770-4, table 3, for each.
  package func rider(weights: [Double]) -> GainRider {
    let finder = LevelerGain(
      Steps(target: target, range: range), weights, step: step, sampleRate: sampleRate)
    return GainRider(finder, channelCount: weights.count)
  }
}

private final class LevelerGain: GainFinder {
  /// The filters begin anew at each, one step before, so that a step's loudness depends on the sound
  /// near it alone; by then −200 dB are left of what was before.
  static let stepsOfGrid = 10

  let blockSize: Int
  let margin: Int
  var grid: Int { blockSize * Self.stepsOfGrid }
  var delay: Int { blockSize * Steps.ahead }

  private let weights: [Double]
  private var filters: [KWeighting]
  private let atRest: Steps
  private var steps: Steps
  private var count = 0

  init(_ steps: Steps, _ weights: [Double], step: Int, sampleRate: Int) {
    (blockSize, margin) = (step, step)
    (atRest, self.steps) = (steps, steps)
    self.weights = weights
    filters = weights.map { _ in KWeighting(sampleRate: sampleRate) }
  }

  func reset() { (steps, count) = (atRest, 0) }

  func next(_ planes: [UnsafePointer<Float>], into gains: UnsafeMutablePointer<Float>) {
    var energy = 0.0
    for (channel, plane) in planes.enumerated() where weights[channel] > 0 {
      if count % Self.stepsOfGrid == 0 {
        filters[channel].reset()
        _ = filters[channel].energy(plane - blockSize, count: blockSize)
      }
      energy += weights[channel] * filters[channel].energy(plane, count: blockSize)
    }
    count += 1
    let (before, own, after) = steps.next(energy / Double(blockSize))
    if before == 0, own == 0, after == 0 {
      return gains.update(repeating: 1, count: blockSize)
    }
    // Each gain is that of its step's middle.
    let half = blockSize / 2
    for index in 0..<blockSize {
      let isFirst = index < half
      let place = Double(isFirst ? index - half + blockSize : index - half) / Double(blockSize)
      let decibels = isFirst ? before + (own - before) * place : own + (after - own) * place
      gains[index] = Float(powerOfTwo(decibels / 6.020599913279624))
    }
  }
}

/// The steps of a leveler, and their gains in decibels. Each value is summed anew from those of its
/// window, so it does not depend on where steps began.
private struct Steps {
  /// Steps to each side among which the quietest is looked for.
  private static let pause = 25
  /// Steps to each side that make up the loudness of a voice.
  private static let voice = 5
  /// Steps to each side that a gain is the mean of.
  private static let ride = 40
  /// Steps from one with its gain to the last that it depends on: that of the next gain, of three.
  static let ahead = 1 + ride + voice + pause + 1
  /// And to the first.
  static let back = ahead
  /// Mean squares of −60 and −70 LUFS.
  private static let (least, silence) = (pow(10, -5.9309), pow(10, -6.9309))

  private let target: Double
  private let range: Double
  private let weights: [Double]

  // Of the last steps whose values are known, as many as the next value depends on.
  /// Mean squares.
  private var energies = [Double](repeating: 0, count: 2 * pause + 3)
  /// Mean squares of voices; 0: none.
  private var voices = [Double](repeating: 0, count: 2 * voice + 1)
  /// Decibels that voices need.
  private var needs = [Double?](repeating: nil, count: 2 * ride + 1)
  private var gains = (before: 0.0, own: 0.0, after: 0.0)

  init(target: Double, range: Double) {
    (self.target, self.range) = (target, range)
    // A half at 1.5 s.
    weights = (-Self.ride...Self.ride).map { 1 / (1 + pow(Double($0) / 15, 4)) }
  }

  /// Takes the mean square of a step. Returns the gain of the step `ahead` before, and of those
  /// beside it.
  mutating func next(_ energy: Double) -> (before: Double, own: Double, after: Double) {
    push(energy, to: &energies)
    push(voice(), to: &voices)
    push(need(), to: &needs)
    gains = (gains.own, gains.after, gain())
    return gains
  }

  private func push<Value>(_ value: Value, to window: inout [Value]) {
    window.removeFirst()
    window.append(value)
  }

  /// The energy of the step in the middle of `energies`, if it is one of a voice.
  private func voice() -> Double {
    let own = energies[Self.pause + 1]
    guard own > Self.least else { return 0 }
    var quietest = own
    for middle in 1..<energies.count - 1 {
      let three = energies[middle - 1...middle + 1]
      // Digital silence is no sound of the room, and neither is a step that it begins or ends in.
      guard three.allSatisfy({ $0 > Self.silence }) else { continue }
      quietest = min(quietest, three.reduce(0, +) / 3)
    }
    return own > 4 * quietest ? own : 0
  }

  /// What the step in the middle of `voices` needs.
  private func need() -> Double? {
    guard voices[Self.voice] > 0 else { return nil }
    let sounding = voices.filter { $0 > 0 }
    let loudness = 10 * log10(sounding.reduce(0, +) / Double(sounding.count)) - 0.691
    return min(range, max(-range, target - loudness))
  }

  /// The gain of the step in the middle of `needs`.
  private func gain() -> Double {
    // Where no voice is near, 0 dB weighs more than they do.
    var (sum, weight) = (0.0, 0.5)
    for (need, own) in zip(needs, weights) {
      guard let need else { continue }
      sum += need * own
      weight += own
    }
    return sum / weight
  }
}
