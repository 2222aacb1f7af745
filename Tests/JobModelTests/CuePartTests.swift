import Diagnosis
import MediaComposition
import MediaTime
import Testing
import Transcripts

@testable import JobModel

/// Parts that are cues.
@Suite struct CuePartTests {
  private func splitter(
    _ cues: [Cue], lasting seconds: Int64, quotingWords quotesWords: Bool = true
  ) -> Splitter {
    let whole = TimeRange(start: .zero, duration: Time(value: seconds, timescale: 1))
    let track = Track(segments: [Segment(.silence, source: whole, at: .zero)])
    var export = Export(name: "talk", composition: Composition(tracks: [track]), outputs: [])
    export.transcript = Transcript(cues)
    return Splitter(
      export, rate: 48_000, snappedTo: nil, quotingWords: quotesWords, { _ in nil }, { _ in nil })
  }

  private func cue(_ text: String, _ start: Int64, _ end: Int64) -> Cue {
    Cue(
      text,
      in: TimeRange(
        start: Time(value: start, timescale: 10), end: Time(value: end, timescale: 10)))
  }

  private func located(_ text: String) throws -> Located<TimeText> {
    Located(try TimeText(parsing: text), at: .unknown)
  }

  private func ranges(_ cues: [Cue], _ bounds: CueParts, lasting seconds: Int64 = 20) -> [String] {
    var splitter = splitter(cues, lasting: seconds)
    return splitter.parts(of: Split(.cues(bounds)))?.map { "\($0.range)" } ?? []
  }

  @Test("A margin goes half of the way to another cue at most, and to the ends of the sound")
  func margins() throws {
    var bounds = CueParts()
    bounds.margin = try located("1s")
    let cues = [cue("a", 5, 20), cue("b", 24, 40), cue("c", 90, 100), cue("d", 195, 199)]
    #expect(
      ranges(cues, bounds) == ["0s..2.2s", "2.2s..5s", "8s..11s", "18.5s..20s"])
    #expect(ranges(cues, CueParts()) == ["0.5s..2s", "2.4s..4s", "9s..10s", "19.5s..19.9s"])
  }

  @Test(
    "Cues that touch or overlap are not widened into each other, nor into a longer one around them")
  func overlaps() throws {
    var bounds = CueParts()
    bounds.margin = try located("1s")
    #expect(
      ranges([cue("a", 20, 40), cue("b", 40, 60), cue("c", 50, 80)], bounds)
        == ["1s..4s", "4s..6s", "5s..9s"])
    #expect(
      ranges([cue("long", 20, 100), cue("in it", 40, 60), cue("later", 150, 160)], bounds)
        == ["1s..10s", "4s..6s", "14s..17s"])
  }

  @Test(
    "Cues out of bounds are no parts, are named in a note, and still bound the margin of others")
  func bounds() throws {
    var bounds = CueParts()
    (bounds.least, bounds.most) = (try located("1s"), try located("3s"))
    bounds.margin = try located("1s")
    let cues = [
      cue("a\n b", 20, 30), cue("um", 32, 33), cue("c", 60, 90), cue("long", 90, 121),
      cue("nothing", 130, 130),
    ]
    var splitter = splitter(cues, lasting: 20)
    let found = splitter.parts(of: Split(.cues(bounds)))
    let parts = try #require(found)
    #expect(parts.map { "\($0.range)" } == ["1s..3.1s", "5s..9s"])
    #expect(parts.map(\.part.text) == ["a b", "c"])
    #expect(parts.map(\.part.number) == [1, 2] && parts.map(\.part.count) == [2, 2])
    #expect(
      splitter.warnings.map(\.message) == [
        "3 of 5 cues are no parts: 1 without a length, 1 shorter than 1s, 1 longer than 3s "
          + "('um' at 3.2s, 'long' at 9s, 'nothing' at 13s)"
      ])
    #expect(splitter.warnings.allSatisfy { $0.severity == .note })
    var silent = self.splitter(cues, lasting: 20, quotingWords: false)
    _ = silent.parts(of: Split(.cues(bounds)))
    #expect(
      silent.warnings.map(\.message) == [
        "3 of 5 cues are no parts: 1 without a length, 1 shorter than 1s, 1 longer than 3s "
          + "(at 3.2s, at 9s, at 13s)"
      ])
  }

  @Test("Where no cue is left, and without a transcript, nothing is split")
  func nothing() throws {
    var bounds = CueParts()
    bounds.least = try located("5s")
    var short = splitter([cue("a", 0, 10)], lasting: 20)
    _ = short.parts(of: Split(.cues(bounds)))
    #expect(
      short.errors.all.map(\.message) == [
        "1 of 1 cues are no parts: 1 shorter than 5s, and no part is left"
      ])
    var momentary = splitter([cue("a", 10, 10), cue("b", 20, 20)], lasting: 20)
    _ = momentary.parts(of: Split(.cues(bounds)))
    #expect(momentary.errors.all.map(\.message) == ["no cue of 'talk' has a length"])
    #expect(momentary.errors.all.first?.help == "give the cues of the transcript ends")
    var silent = splitter([], lasting: 20)
    _ = silent.parts(of: Split(.cues(bounds)))
    #expect(silent.errors.all.map(\.message) == ["'talk' has no transcript to be split at"])
  }

  @Test("A hundred thousand cues are as many parts")
  func many() throws {
    let cues = (0..<100_000).map { cue("\($0)", Int64($0) * 10, Int64($0) * 10 + 8) }
    var bounds = CueParts()
    bounds.margin = try located("50ms")
    var splitter = splitter(cues, lasting: 100_000)
    let found = splitter.parts(of: Split(.cues(bounds)))
    let parts = try #require(found)
    #expect(parts.count == 100_000)
    #expect(parts[99_999].part.text == "99999")
  }
}
