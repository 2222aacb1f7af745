import TestSupport
import Testing

@testable import Diagnosis

/// What a misspelled word was meant to be.
@Suite struct SpellingTests {
  /// The distance by its definition (optimal string alignment), for `nearest` to be compared with.
  private func distance(_ a: [Character], _ b: [Character]) -> Int {
    guard let x = a.last, let y = b.last else { return max(a.count, b.count) }
    let (c, d) = (Array(a.dropLast()), Array(b.dropLast()))
    var least = min(distance(c, d) + (x == y ? 0 : 1), distance(c, b) + 1, distance(a, d) + 1)
    if a.count > 1, b.count > 1, x == d.last, c.last == y {
      least = min(least, distance(Array(c.dropLast()), Array(d.dropLast())) + 1)
    }
    return least
  }

  @Test("The nearest word is the first of those with the least distance")
  func twin() {
    var dice = Dice(5)
    func word() -> String {
      String(
        (0..<Int.random(in: 1...7, using: &dice)).map { _ in
          "abc".randomElement(using: &dice) ?? "a"
        })
    }
    for _ in 0..<60 {
      let wanted = word()
      let candidates = (0..<4).map { _ in word() }
      let limit = max(1, min(3, wanted.count / 3))
      let distances = candidates.map { distance(Array(wanted), Array($0)) }
      let least = distances.filter { $0 <= limit }.min()
      let expected = distances.firstIndex { $0 == least }.map { candidates[$0] }
      #expect(
        Spelling.nearest(to: wanted, among: candidates) == expected, "\(wanted) \(candidates)")
    }
  }

  @Test("A word that one candidate alone has as a part, or is a part of, is suggested")
  func parts() {
    let names = ["denoise", "declick", "deesser", "highpass", "lowpass", "eq"]
    for (word, meant) in [
      ("noise", "denoise"), ("Click", "declick"), ("highpassfilter", "highpass"),
    ] {
      #expect(Spelling.help(forPart: word, among: names) == "did you mean '\(meant)'?")
    }
    for word in ["pass", "no", "eqs", "flanger", ""] {
      #expect(Spelling.help(forPart: word, among: names) == nil, "\(word)")
    }
  }

  @Test("Of very many words the first ten thousand are looked at")
  func many() {
    let others = (0..<9_999).map { "other-\($0)" }
    #expect(Spelling.nearest(to: "fade_on", among: others + ["fade_in"]) == "fade_in")
    #expect(Spelling.nearest(to: "fade_on", among: others + ["x", "fade_in"]) == nil)
  }

  @Test("Of very long words the first letters count")
  func long() {
    let word = String(repeating: "long ", count: 100)
    #expect(Spelling.nearest(to: word + "a", among: ["x", word + "b"]) == word + "b")
  }
}
