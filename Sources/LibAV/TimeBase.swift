internal import CFFmpeg

/// A duration of one tick: `numerator / denominator` seconds (`AVRational`).
package struct TimeBase: Sendable, Hashable {
  package let numerator: Int32
  package let denominator: Int32

  init(_ rational: AVRational) {
    numerator = rational.num
    denominator = rational.den
  }

  package init(numerator: Int32, denominator: Int32) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Ticks in frames of a rate, rounded down.
  package func frames(inTicks ticks: Int64, atRate rate: Int) -> Int64 {
    let scaled = Int128(ticks) * Int128(numerator) * Int128(rate)
    let denominator = Int128(max(1, denominator))
    return Int64(clamping: (scaled >= 0 ? scaled : scaled - denominator + 1) / denominator)
  }
}
