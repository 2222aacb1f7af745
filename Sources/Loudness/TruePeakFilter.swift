import Glibc

internal import CEBUR128

/// The largest magnitudes between the samples of one channel (BS.1770-4, annex 2).
///
/// libebur128's own filter: a sinc of 49 taps in a Hann window gives four values for each sample,
/// two from 96 kHz on, and from 192 kHz on samples are close enough. The library does it one by one
/// in double precision, which took a quarter of all the time of a preview. One thread at a time.
final class TruePeakFilter {
  /// Values that each sample becomes.
  private let factor: Int
  /// Samples that make up a value.
  private let taps: Int
  /// Four coefficients for each of them.
  private let filter: [Float]
  /// `taps` − 1 samples that came before, and room for a block.
  private var samples: [Float]

  private static let length = 49
  private static let capacity = 1024

  /// Of silence so far.
  init(sampleRate: Int) {
    let factor = sampleRate < 96_000 ? 4 : sampleRate < 192_000 ? 2 : 1
    self.factor = factor
    taps = factor == 1 ? 1 : (Self.length + factor - 1) / factor
    var filter = [Float](repeating: 0, count: 4 * taps)
    for index in 0..<(factor == 1 ? 0 : Self.length) {
      let turn = (Double(index) - Double(Self.length - 1) / 2) * .pi / Double(factor)
      let window = 0.5 * (1 - cos(2 * .pi * Double(index) / Double(Self.length - 1)))
      let sinc = turn == 0 ? 1 : sin(turn) / turn
      filter[4 * (index / factor) + index % factor] = Float(sinc * window)
    }
    self.filter = filter
    samples = Array(repeating: 0, count: taps - 1 + Self.capacity)
  }

  /// Measures samples.
  ///
  /// - Returns: The largest magnitude of them and between them, but for the last few: between these
  ///   it is known when others follow.
  func add(_ block: UnsafePointer<Float>, count: Int) -> Double {
    let (history, capacity) = (taps - 1, Self.capacity)
    return samples.withUnsafeMutableBufferPointer { samples in
      guard let start = samples.baseAddress else { return 0 }
      var (done, largest) = (0, Float(0))
      while done < count {
        let some = min(count - done, capacity)
        (start + history).update(from: block + done, count: some)
        largest = max(largest, avjob_true_peak(start + history, some, filter, taps))
        start.update(from: start + some, count: history)
        done += some
      }
      return Double(largest)
    }
  }
}
