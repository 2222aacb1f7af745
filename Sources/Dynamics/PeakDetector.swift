internal import CDynamics
import Glibc

/// The largest magnitudes of one channel at its samples and between them (BS.1770-4, annex 2).
///
/// Three filters look, each where the one before found values near the level in question:
/// libebur128's, a sinc of 49 taps in a Hann window that gives three values between two samples;
/// one of 32 taps and seven values in the window of FFmpeg's resampler, by which its filter
/// `ebur128` measures (Kaiser, β = 9); and the same for the eight values between those. So both
/// meters find hardly more, and 16 values for each sample miss 0.04 dB at most. Where samples are so
/// low that no filter can reach the level, nothing is computed.
///
/// A frame's peak depends on the samples around it alone, 16 to each side, and on those of its four.
/// One thread at a time.
struct PeakDetector {
  /// Frames that are looked at together, in fours; they are counted from the first one.
  static let blockSize = 32
  /// Frames that must be there before and after a block.
  static let margin = 32

  /// The level in question: peaks below it may be reported as less.
  let threshold: Float
  /// No value is near the level where no sample is larger.
  private let quiet: Float
  private let filters: [(filter: Filter, from: Float)]

  /// A detector of peaks above `threshold`, 1 being full scale.
  init(threshold: Float, sampleRate: Int) {
    self.threshold = threshold
    // From 96 kHz on, samples are so close that three values are enough; libebur128 takes one, and
    // its 48 steps are then halves of a sample and not quarters.
    let width = sampleRate < 96_000 ? 6.0 : 12.0
    func hann(_ position: Double) -> Double {
      abs(position) < width ? 0.5 * (1 + cos(.pi * position / width)) : 0
    }
    func kaiser(_ position: Double) -> Double { Self.kaiser(position / 16, 9) }
    let (quarters, eighths) = ([0.25, 0.5, 0.75], (1...7).map { Double($0) / 8 })
    let sixteenths = stride(from: 1, to: 16, by: 2).map { Double($0) / 16 }
    let coarse = Filter(quarters, taps: Int(2 * width), window: hann)
    if sampleRate < 96_000 {
      let fine = Filter(eighths, taps: 32, window: kaiser)
      let finest = Filter(sixteenths, taps: 32, window: kaiser)
      filters = [(coarse, 0), (fine, 0.7 * threshold), (finest, 0.97 * threshold)]
    } else {
      filters = [(coarse, 0), (Filter(quarters, taps: 32, window: kaiser), 0.7 * threshold)]
    }
    quiet = threshold / (filters.map(\.filter.mostGain).max() ?? 1)
  }

  /// Raises `peaks` to the magnitudes of a block's frames, each with the values up to the next
  /// frame.
  ///
  /// - Parameters:
  ///   - samples: The block's first frame, with `margin` frames before the block and after it.
  ///   - peaks: One for each frame of the block.
  func add(_ samples: UnsafePointer<Float>, to peaks: UnsafeMutablePointer<Float>) {
    let around = Self.blockSize + 2 * Self.margin
    guard avjob_magnitude(samples - Self.margin, around) > quiet else { return }
    for four in stride(from: 0, to: Self.blockSize, by: 4) {
      var found = (0..<4).reduce(into: SIMD4<Float>()) { $0[$1] = abs(samples[four + $1]) }
      for (filter, level) in filters {
        guard found.max() >= level else { break }
        filter.add(samples + four, to: &found)
      }
      for index in 0..<4 { peaks[four + index] = max(peaks[four + index], found[index]) }
    }
  }

  /// A Kaiser window; `position` is −1 to 1.
  private static func kaiser(_ position: Double, _ beta: Double) -> Double {
    func bessel(_ x: Double) -> Double {
      var (sum, term) = (1.0, 1.0)
      for index in 1...50 {
        term *= (x / 2 / Double(index)) * (x / 2 / Double(index))
        sum += term
      }
      return sum
    }
    let rest = 1 - position * position
    return rest > 0 ? bessel(beta * rest.squareRoot()) / bessel(beta) : 0
  }
}

/// A windowed sinc that gives values at some places between two samples.
private final class Filter {
  private let taps: Int
  private let places: Int
  private let coefficients: UnsafeMutablePointer<SIMD4<Float>>
  /// The most that a value is, where no sample's magnitude is above 1.
  let mostGain: Float

  /// A filter of so many `taps` for each of `places`, which are between 0 and 1. `window` takes a
  /// distance in samples.
  init(_ places: [Double], taps: Int, window: (Double) -> Double) {
    self.taps = taps
    self.places = places.count
    coefficients = .allocate(capacity: taps * places.count)
    var mostGain = 1.0
    for (index, place) in places.enumerated() {
      var gain = 0.0
      for tap in 0..<taps {
        let distance = Double(tap - taps / 2 + 1) - place
        let value = sin(.pi * distance) / (.pi * distance) * window(distance)
        (coefficients + tap * places.count + index)
          .initialize(to: SIMD4(repeating: Float(value)))
        gain += abs(value)
      }
      mostGain = max(mostGain, gain)
    }
    // A little more, for what single precision rounds.
    self.mostGain = Float(mostGain * 1.0001)
  }

  deinit { coefficients.deallocate() }

  /// Raises `peaks` to the magnitudes of the values behind each of four samples.
  func add(_ samples: UnsafePointer<Float>, to peaks: inout SIMD4<Float>) {
    switch places {
    case 3: peaks = avjob_peaks_of_3(samples, coefficients, taps, peaks)
    case 7: peaks = avjob_peaks_of_7(samples, coefficients, taps, peaks)
    default: peaks = avjob_peaks_of_8(samples, coefficients, taps, peaks)
    }
  }
}
