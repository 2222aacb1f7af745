import MediaTime

/// How many frames of a source become how many of a target, in lowest terms.
package struct FrameRatio: Sendable, Hashable, Encodable {
  /// Frames of the source; positive.
  package let source: Int
  /// The frames that they become; positive.
  package let target: Int

  /// Neither number of a ratio is larger, so that a resampler's stretch, which holds whole periods,
  /// stays short: 22 s at 48 kHz. Sample rates and speeds that people write are far below it.
  static let largest: Int128 = 1 << 20

  /// As many as there were.
  package static let one = FrameRatio(from: 1, to: 1)

  /// The ratio of two sample rates, both positive.
  package init(from sourceRate: Int, to targetRate: Int) {
    self.init(Int128(sourceRate), over: Int128(targetRate))
  }

  /// Sound at `sourceRate` that lasts `source`, to be sound at `targetRate` that lasts `target`;
  /// nil where a duration is not a positive number.
  package init?(
    from sourceRate: Int, lasting source: Time, to targetRate: Int, lasting target: Time
  ) {
    guard source.isNumeric, target.isNumeric, source > .zero, target > .zero else { return nil }
    if source == target {
      self.init(from: sourceRate, to: targetRate)
      return
    }
    // 63, 31 and 32 bits at most make a product that fits; a rate above that is no rate.
    var up = [Int128(source.value), Int128(target.timescale), Int128(min(sourceRate, 1 << 32))]
    var down = [Int128(source.timescale), Int128(target.value), Int128(min(targetRate, 1 << 32))]
    for i in up.indices {
      for j in down.indices { (up[i], down[j]) = Self.lowestTerms(up[i], down[j]) }
    }
    self.init(up.reduce(1, *), over: down.reduce(1, *))
  }

  private init(_ source: Int128, over target: Int128) {
    let (source, target) = Self.nearest(source, over: target)
    self.source = Int(source)
    self.target = Int(target)
  }

  private static func lowestTerms(_ a: Int128, _ b: Int128) -> (Int128, Int128) {
    let divisor = Int128(greatestCommonDivisor(a.magnitude, b.magnitude))
    return (a / divisor, b / divisor)
  }

  /// `a / b`, or where its numbers are too large the fraction nearest to it whose are not: the last
  /// convergent of its continued fraction, or a fraction on the way to the next one.
  private static func nearest(_ a: Int128, over b: Int128) -> (Int128, Int128) {
    let (a, b) = lowestTerms(a, b)
    var (rest, divisor) = (a, b)
    var (before, convergent) = ((Int128(0), Int128(1)), (Int128(1), Int128(0)))
    while divisor != 0 {
      let (digit, remainder) = rest.quotientAndRemainder(dividingBy: divisor)
      let most = min(
        convergent.0 == 0 ? digit : (largest - before.0) / convergent.0,
        convergent.1 == 0 ? digit : (largest - before.1) / convergent.1)
      let taken = min(digit, most)
      let next = (taken * convergent.0 + before.0, taken * convergent.1 + before.1)
      guard taken == digit else {
        // The ratio lies between the two, and the nearer one is on its side of their middle.
        let middle = (
          next.0 * convergent.1 + convergent.0 * next.1, 2 * next.1 * convergent.1
        )
        let isConvergentUsable = convergent.0 > 0 && convergent.1 > 0
        let isNextUsable = next.0 > 0 && next.1 > 0
        guard isConvergentUsable, isNextUsable else { return isNextUsable ? next : convergent }
        let isNextAbove = next.0 * convergent.1 > convergent.0 * next.1
        return isLess(middle, (a, b)) == isNextAbove ? next : convergent
      }
      (before, convergent) = (convergent, next)
      (rest, divisor) = (divisor, remainder)
    }
    return convergent
  }

  /// Whether one fraction is less than another, both positive, digit by digit: their cross products
  /// would not fit.
  private static func isLess(_ a: (Int128, Int128), _ b: (Int128, Int128)) -> Bool {
    var (a, b, isSwapped) = (a, b, false)
    while true {
      let (x, restOfA) = a.0.quotientAndRemainder(dividingBy: a.1)
      let (y, restOfB) = b.0.quotientAndRemainder(dividingBy: b.1)
      if x != y { return (x < y) != isSwapped }
      if restOfA == 0 || restOfB == 0 {
        return restOfA == restOfB ? false : (restOfA == 0) != isSwapped
      }
      (a, b) = ((a.1, restOfA), (b.1, restOfB))
      isSwapped.toggle()
    }
  }

  /// The number of frames that `frames` become, or the index that an index becomes, rounded half
  /// away from zero.
  package func target(ofSource frames: Int64) -> Int64 {
    let (quotient, remainder) = (Int128(frames) * Int128(target))
      .quotientAndRemainder(dividingBy: Int128(source))
    let isUp = remainder.magnitude * 2 >= source.magnitude
    return Int64(clamping: quotient + (isUp ? Int128(frames.signum()) : 0))
  }
}

extension FrameRatio {
  /// How many frames become `frames`, or which index becomes that one, rounded half away from zero.
  package func source(ofTarget frames: Int64) -> Int64 {
    FrameRatio(from: target, to: source).target(ofSource: frames)
  }

  /// As a speed in three decimals: `× 1.05`.
  var speedText: String {
    let thousandths = (source * 1000 + target / 2) / target
    var digits = String(String(1000 + thousandths % 1000).dropFirst())
    while digits.hasSuffix("0") { digits.removeLast() }
    return "× \(thousandths / 1000)" + (digits.isEmpty ? "" : "." + digits)
  }
}

/// Euclid's; `b` may be 0.
private func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
