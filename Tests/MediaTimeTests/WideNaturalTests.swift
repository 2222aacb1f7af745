import TestSupport
import Testing

@testable import MediaTime

@Suite struct WideNaturalTests {
  @Test("Products, sums, differences and quotients are those of the slow twin")
  func operations() {
    var random = Dice(60)
    for _ in 0..<10_000 {
      let (a, b) = (random.wide(), random.wide())
      let (x, y) = (BigNatural(a), BigNatural(b))
      #expect((a < b) == (x < y))
      #expect(BigNatural(a < b ? b - a : a - b) == (x < y ? y - x : x - y))
      let product = a.multipliedReportingOverflow(by: b.low)
      let exact = x * BigNatural(b.low)
      #expect(product.overflow == (exact.words.count > 4))
      if !product.overflow { #expect(BigNatural(product.partialValue) == exact) }
      guard !y.isZero else { continue }
      let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
      #expect(BigNatural(quotient) == x.divided(by: y), "\(a) / \(b)")
      #expect(BigNatural(remainder) == x - x.divided(by: y) * y, "\(a) / \(b)")
    }
  }

  @Test("A quotient that the leading digits guess too high is mended")
  func guesses() {
    // 2²⁵⁵ / (2²⁵⁴ + 2¹²⁸ - 1): by the leading digits it is 2.
    let divisor = WideNatural(high: 1 << 126, .max)
    let two = WideNatural(high: 1 << 127, 0).quotientAndRemainder(dividingBy: divisor)
    #expect(two.quotient == WideNatural(1))
    #expect(two.remainder == WideNatural(high: (1 << 126) - 1, 1))
  }
}

extension BigNatural {
  fileprivate init(_ number: WideNatural) {
    self =
      BigNatural(number.high) * BigNatural(1 << 64) * BigNatural(1 << 64)
      + BigNatural(number.low)
  }
}

extension Dice {
  /// Of digits that make guesses go wrong: of nothing but zeros or ones, and their neighbours.
  fileprivate mutating func wide() -> WideNatural {
    WideNatural(high: digit() >> pick([0, 0, 1, 60, 127]), digit())
  }

  private mutating func digit() -> UInt128 {
    let near = UInt128(UInt64.random(in: 0...2, using: &self))
    return switch Int.random(in: 0..<5, using: &self) {
    case 0: near
    case 1: UInt128.max - near
    case 2: 1 << 127 - near
    case 3: 1 << 64 - near
    default: UInt128(next()) << 64 | UInt128(next())
    }
  }
}
