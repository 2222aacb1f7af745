import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobModel

/// Which silences parts begin at.
@Suite struct PackingTests {
  private func seconds(_ tenths: Int64) -> Time { Time(value: tenths, timescale: 10) }

  private func silences(_ middles: [(at: Int64, length: Int64)]) -> [TimeRange] {
    middles.map {
      TimeRange(
        start: Time(value: 2 * $0.at - $0.length, timescale: 20), duration: seconds($0.length))
    }
  }

  /// The starts of parts, in tenths of a second.
  private func starts(
    _ middles: [(at: Int64, length: Int64)], end: Int64, shortest: Int64 = 0, longest: Int64? = nil
  ) -> [Int64] {
    PartPacking(
      silences(middles), end: seconds(end), shortest: seconds(shortest),
      longest: longest.map(seconds)
    ).starts.map { $0.frames(atRate: 10) }
  }

  @Test("Without bounds a part begins at every silence")
  func unbounded() {
    #expect(starts([(10, 3), (12, 3), (50, 9)], end: 60) == [0, 10, 12, 50])
    #expect(starts([], end: 60) == [0])
  }

  @Test("Short pieces are joined at the shorter silences")
  func joined() {
    #expect(starts([(40, 3), (60, 8), (80, 3)], end: 120, shortest: 50) == [0, 60])
    // The whole is too short for two.
    #expect(starts([(40, 3)], end: 70, shortest: 50) == [0])
    #expect(starts([(4, 3)], end: 7, shortest: 50) == [0])
  }

  @Test("A shorter silence is taken where a part would become too long otherwise")
  func divided() {
    let silences: [(Int64, Int64)] = [(60, 3), (100, 20), (150, 3)]
    #expect(starts(silences, end: 210, shortest: 50) == [0, 100, 150])
    #expect(starts(silences, end: 250, shortest: 50, longest: 95) == [0, 60, 150])
  }

  @Test("A part without a silence is too long, and those beside it are not")
  func tooLong() {
    #expect(
      starts([(100, 3), (160, 3), (400, 3)], end: 500, shortest: 50, longest: 150)
        == [0, 100, 160, 400])
    #expect(starts([(30, 3), (470, 3)], end: 500, shortest: 50, longest: 150) == [0])
  }

  @Test("Choices are the best of all")
  func slowTwin() {
    var dice = Dice(7)
    func number(_ range: Range<Int64>) -> Int64 {
      range.lowerBound + Int64(dice.next() % UInt64(range.count))
    }
    for _ in 0..<100 {
      var middles: [(at: Int64, length: Int64)] = []
      var time: Int64 = 0
      for _ in 0..<number(0..<11) {
        time += number(5..<60)
        middles.append((time, number(1..<5)))
      }
      let end = time + number(5..<60)
      let shortest = number(0..<60)
      let longest = number(0..<3) == 0 ? nil : shortest + number(0..<80)
      /// The excess, and the silences.
      func value(_ starts: [Int64]) -> (excess: Int64, silence: Int64)? {
        let parts = zip(starts, starts.dropFirst() + [end]).map { $1 - $0 }
        guard starts.count == 1 || parts.allSatisfy({ $0 >= shortest }) else { return nil }
        let excess = parts.reduce(0) { $0 + max(0, $1 - (longest ?? .max)) }
        let chosen = middles.filter { starts.contains($0.at) }
        return (excess, chosen.reduce(0) { $0 + $1.length })
      }
      let all = (0..<1 << middles.count).compactMap { set in
        value([0] + middles.indices.filter { set >> $0 & 1 == 1 }.map { middles[$0].at })
      }
      let best = all.min { ($0.excess, -$0.silence) < ($1.excess, -$1.silence) }
      let own = value(starts(middles, end: end, shortest: shortest, longest: longest))
      #expect(own?.excess == best?.excess && own?.silence == best?.silence)
    }
  }

  @Test("A hundred thousand silences are packed at once")
  func many() {
    let silences = (1...100_000).map { (at: Int64($0) * 20, length: Int64($0 % 7) + 1) }
    let starts = starts(silences, end: 2_000_020, shortest: 50, longest: 150)
    #expect(zip(starts, starts.dropFirst()).allSatisfy { (50...150).contains($1 - $0) })
  }

  // MARK: Edits

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: seconds(start), end: seconds(end))
  }

  @Test("Moments are followed through edits of an edited item")
  func edits() {
    let edits: [EditedPart] = [
      .part(range(0, 100)), .other(duration: seconds(50), chapters: []), .part(range(200, 300)),
    ]
    let both = edits.played(as: [range(0, 80), range(90, 120), range(140, 200)])
    #expect(both.edited(seconds(70)) == seconds(70))
    #expect(both.edited(seconds(85)) == nil)
    #expect(both.edited(seconds(95)) == seconds(85))
    #expect(both.edited(seconds(200)) == seconds(120))
    #expect(both.original(of: seconds(121)) == seconds(201))
    #expect(both.original(of: seconds(111)) == nil)
    #expect(both.reduce(.zero) { $0 + $1.duration } == seconds(170))
  }
}
