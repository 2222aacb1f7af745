import TestSupport
import Testing

@Suite struct SlowRationalTests {
  @Test("The slow twin computes what Python's fractions compute")
  func python() throws {
    var random = Dice(20)
    var lines = ""
    for _ in 0..<10_000 {
      let (a, b) = (random.rational(), random.rational())
      var results = [a, b, a + b, a - b, a * b]
      if b != SlowRational(0) { results.append(a / b) }
      lines += results.map(\.text).joined(separator: " ") + " \(a < b) \(a == b)\n"
    }
    let folder = TestFolder()
    try writeFile(folder.path("cases"), lines.utf8)
    try writeFile(folder.path("judge.py"), judge.utf8)
    let verdict = try Tool.succeed("python3", folder.path("judge.py"), folder.path("cases"))
    #expect(verdict.text == "10000 cases, 0 wrong\n")
  }

  @Test("The slow twin's doubles are the doubles, and its quotients leave less than the divisor")
  func doubles() {
    var random = Dice(21)
    for _ in 0..<2000 {
      let number = Double(Int64.random(in: -1 << 53...1 << 53, using: &random))
      let shift = Int.random(in: 0..<60, using: &random)
      let exact = SlowRational(Int128(number), Int128(1) << Int128(shift))
      #expect(
        SlowRational(double: number * Double(sign: .plus, exponent: -shift, significand: 1))
          == exact)
      let (a, b) = (random.rational().numerator, random.rational().denominator)
      let quotient = a.divided(by: b)
      #expect(!(a < quotient * b) && a - quotient * b < b)
    }
  }

  private let judge = """
    import sys
    from fractions import Fraction

    def read(text):
        numerator, denominator = text.split("/")
        return Fraction(int(numerator, 16), int(denominator, 16))

    count = wrong = 0
    for line in open(sys.argv[1]):
        *numbers, less, equal = line.split()
        a, b, *results = map(read, numbers)
        expected = [a + b, a - b, a * b] + ([a / b] if b else [])
        count += 1
        if results != expected or [less, equal] != [str(a < b).lower(), str(a == b).lower()]:
            wrong += 1
    print(f"{count} cases, {wrong} wrong")
    """
}

extension SlowRational {
  fileprivate var text: String {
    (isNegative ? "-" : "") + numerator.hexadecimal + "/" + denominator.hexadecimal
  }
}

extension Dice {
  /// Some hundred bits over some hundred.
  fileprivate mutating func rational() -> SlowRational {
    var result = SlowRational(Int128(value()), Int128(timescale()))
    for _ in 0..<Int.random(in: 0..<3, using: &self) {
      let denominator = Int128(value())
      result = result * SlowRational(Int128(value()), denominator == 0 ? 1 : denominator)
    }
    return result
  }
}
