import MediaTime

/// How many frames of a source become how many of a target, in lowest terms.
public struct FrameRatio: Sendable, Hashable {
  /// Frames of the source; positive.
  public let source: Int
  /// The frames that they become; positive.
  public let target: Int

  /// Neither number of a ratio is larger, so that a resampler's stretch, which holds whole periods,
  /// stays short: 22 s at 48 kHz. Sample rates and speeds that people write are far below it.
  static let largest: Int128 = 1 << 20

  /// As many as there were.
  public static let one = FrameRatio(from: 1, to: 1)

  /// The ratio of two sample rates, both positive.
  public init(from sourceRate: Int, to targetRate: Int) {
    self.init(Int128(sourceRate), over: Int128(targetRate))
  }

  /// Sound at `sourceRate` that lasts `source`, to be sound at `targetRate` that lasts `target`;
  /// nil where a duration is not a positive number.
  public init?(
    from sourceRate: Int, lasting source: Time, to targetRate: Int, lasting target: Time
  ) {
    guard source.isNumeric, target.isNumeric, source > .zero, target > .zero else { return nil }
    // Each of the four values takes at most 63 and 31 bits; one of them is shortened by its
    // neighbour, so that the products fit.
    let (a, b) = Self.lowestTerms(Int128(source.value), Int128(target.value))
    let (c, d) = Self.lowestTerms(Int128(target.timescale), Int128(source.timescale))
    let (e, f) = Self.lowestTerms(Int128(sourceRate), Int128(targetRate))
    let (g, h) = Self.lowestTerms(a, d)
    let (i, j) = Self.lowestTerms(c, b)
    self.init(
      Self.nearest(Self.nearest(g * i, over: h * j), times: Self.nearest(e, over: f)))
  }

  private init(_ ratio: (Int128, Int128)) { self.init(ratio.0, over: ratio.1) }

  private init(_ source: Int128, over target: Int128) {
    let (source, target) = Self.nearest(source, over: target)
    self.source = Int(source)
    self.target = Int(target)
  }

  /// The product of two ratios of small numbers.
  private static func nearest(
    _ a: (Int128, Int128), times b: (Int128, Int128)
  ) -> (Int128, Int128) {
    nearest(a.0 * b.0, over: a.1 * b.1)
  }

  private static func lowestTerms(_ a: Int128, _ b: Int128) -> (Int128, Int128) {
    let divisor = Int128(greatestCommonDivisor(a.magnitude, b.magnitude))
    return (a / divisor, b / divisor)
  }

  /// `a / b`, or where its numbers are too large the fraction nearest to it whose are not: a
  /// convergent of its continued fraction, or the last one on the way to the next.
  private static func nearest(_ a: Int128, over b: Int128) -> (Int128, Int128) {
    var (rest, divisor) = lowestTerms(a, b)
    var (before, convergent) = ((Int128(0), Int128(1)), (Int128(1), Int128(0)))
    while divisor != 0 {
      let (digit, remainder) = rest.quotientAndRemainder(dividingBy: divisor)
      let most = min(
        convergent.0 == 0 ? digit : (largest - before.0) / convergent.0,
        convergent.1 == 0 ? digit : (largest - before.1) / convergent.1)
      let taken = min(digit, most)
      // Fewer than half of the steps lead away from the ratio.
      if taken < digit, 2 * taken <= digit { break }
      let next = (taken * convergent.0 + before.0, taken * convergent.1 + before.1)
      (before, convergent) = (convergent, next)
      if taken < digit { break }
      (rest, divisor) = (divisor, remainder)
    }
    return (max(1, convergent.0), max(1, convergent.1))
  }

  /// The number of frames that `frames` become, or the index that an index becomes, rounded half
  /// away from zero.
  public func target(ofSource frames: Int64) -> Int64 {
    let (quotient, remainder) = (Int128(frames) * Int128(target))
      .quotientAndRemainder(dividingBy: Int128(source))
    let isUp = remainder.magnitude * 2 >= source.magnitude
    return Int64(clamping: quotient + (isUp ? Int128(frames.signum()) : 0))
  }
}

/// Euclid's; `b` may be 0.
private func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
