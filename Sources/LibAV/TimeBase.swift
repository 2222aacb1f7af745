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
}
