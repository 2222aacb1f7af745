import Glibc

/// Keeps the peaks of a sound, also those between its samples, under a ceiling, by one gain for all
/// channels.
///
/// The gain has fallen before a peak comes, smoothly over 5 ms; it stays for 15 ms, so that it does
/// not follow the swings of a bass; and it rises again at a constant slope in decibels. Peaks under
/// the ceiling, less `headroom`, change nothing: samples pass bit for bit.
package struct TruePeakLimiter: Sendable {
  /// Peaks are brought so many decibels below the ceiling: meters differ in what they find between
  /// samples, and a gain that moves changes it a little.
  package static let headroom = 0.1
  /// Where the gain begins to rise, in decibels below 1, if it had to fall further: so its way back
  /// has a known end.
  private static let deepest = 100.0

  /// Frames of input before a frame of output that it may depend on.
  package let reach: Int
  /// Frames of input after a frame of output that it may depend on.
  package let lookAhead: Int
  private let sampleRate: Int
  /// The ceiling less the headroom, 1 being full scale.
  private let level: Double
  private let shape: GainCurve.Shape

  /// A limiter of peaks above `ceiling`, in dBTP, whose gain rises by `release` decibels a second.
  package init(ceiling: Double, release: Double, sampleRate: Int) {
    self.sampleRate = sampleRate
    level = pow(10, (ceiling - Self.headroom) / 20)
    shape = GainCurve.Shape(
      attack: sampleRate / 200, guardFrames: 16, hold: sampleRate * 3 / 200,
      decibels: release / Double(sampleRate), deepest: Self.deepest)
    let around = PeakDetector.margin + PeakDetector.blockSize
    (reach, lookAhead) = (shape.reach + around, shape.delay + around)
  }

  /// A limiter's gain, for all of `channelCount` channels.
  package func rider(channelCount: Int) -> GainRider {
    GainRider(LimiterGain(shape, level: level, sampleRate: sampleRate), channelCount: channelCount)
  }
}

private final class LimiterGain: GainFinder {
  let grid = PeakDetector.blockSize
  let blockSize = PeakDetector.blockSize
  let margin = PeakDetector.margin
  let delay: Int
  private let level: Double
  private let detector: PeakDetector
  private let curve: GainCurve
  private let peaks: UnsafeMutablePointer<Float>
  private let demands: UnsafeMutablePointer<Int>

  init(_ shape: GainCurve.Shape, level: Double, sampleRate: Int) {
    self.level = level
    delay = shape.delay
    detector = PeakDetector(threshold: Float(level), sampleRate: sampleRate)
    curve = GainCurve(shape)
    peaks = .allocate(capacity: PeakDetector.blockSize)
    demands = .allocate(capacity: PeakDetector.blockSize)
  }

  deinit {
    peaks.deallocate()
    demands.deallocate()
  }

  func reset() { curve.reset() }

  func next(_ planes: [UnsafePointer<Float>], into gains: UnsafeMutablePointer<Float>) {
    peaks.update(repeating: 0, count: blockSize)
    for plane in planes { detector.add(plane, to: peaks) }
    var isCalm = true
    for index in 0..<blockSize {
      let isOver = peaks[index] > detector.threshold
      demands[index] = isOver ? GainCurve.demand(excess: Double(peaks[index]) / level) : 0
      if isOver { isCalm = false }
    }
    curve.next(isCalm ? nil : demands, count: blockSize, into: gains)
  }
}
