import MediaTime
import Testing

@testable import Transcripts

/// Phrases among the words of a transcript, and how far their edges may be moved.
@Suite struct SpokenWordsTests {
  private static func ms(_ value: Int64) -> Time { Time(value: value, timescale: 1000) }

  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: ms(start), end: ms(end))
  }

  /// A cue whose words last 200 ms each, with 100 ms between them; one with a star has no time.
  private static func cue(_ text: String, from start: Int64, by speaker: String? = nil) -> Cue {
    let texts = text.split(separator: " ").map(String.init)
    let words = texts.enumerated().map { index, text in
      let time = start + Int64(index) * 300
      return text.hasSuffix("*")
        ? Word(String(text.dropLast())) : Word(text, in: range(time, time + 200))
    }
    let end = start + Int64(texts.count) * 300 - 100
    return Cue(
      words.map(\.text).joined(separator: " "), in: range(start, end), speaker: speaker,
      words: words)
  }

  private static let talk = SpokenWords(
    Transcript([
      cue("Well, um, so let us begin.", from: 0), cue("Don’t, um — you know?", from: 2000),
      cue("So LET us begin!", from: 4000), cue("A well-known man in 2014* he", from: 6000),
      Cue("No times here", in: range(8000, 9000)),
    ]))

  @Test(
    "case, punctuation, apostrophes and hyphens do not count, and a phrase goes across cues",
    arguments: [
      ("um", ["um,", "um"]), ("so let us begin", ["so let us begin.", "So LET us begin!"]),
      ("begin don't", ["begin. Don’t,"]), ("Begin. DON´T", ["begin. Don’t,"]),
      ("you know", ["you know?"]), ("well known", ["well-known"]), ("well", ["Well,"]),
      ("known", []), ("us", ["us", "us"]), ("begin so", []), ("no times here", ["No times here"]),
      ("...", []),
    ])
  func occurrences(phrase: String, found: [String]) {
    let talk = Self.talk
    #expect(talk.occurrences(of: phrase).map { talk.text(of: $0) } == found)
  }

  @Test("of a phrase that is said twice in a row, no two places overlap")
  func repeated() {
    let words = SpokenWords(Transcript([Self.cue("no no no no no", from: 0)]))
    #expect(words.occurrences(of: "no no") == [0..<2, 2..<4])
  }

  @Test(
    "the nearest words to a phrase that is not there",
    arguments: [
      ("so let me begin", "so let us begin."), ("wel", "Well,"), ("begn", "begin."),
      ("a well-known woman", "A well-known man"), ("xyzzy", nil), ("", nil),
    ])
  func nearest(phrase: String, found: String?) {
    let talk = Self.talk
    #expect(talk.nearest(to: phrase).map { talk.text(of: $0) } == found)
  }

  @Test("a word without times is no edge, and lies within words that have some")
  func untimed() throws {
    let talk = Self.talk
    let year = try #require(talk.occurrences(of: "in 2014").first)
    #expect(throws: UntimedWord(index: year.upperBound - 1)) { try talk.range(of: year) }
    let around = try #require(talk.occurrences(of: "in 2014 he").first)
    #expect(try talk.range(of: around) == Self.range(6900, 7700))
  }

  @Test("without times of words, a whole cue has edges, and a part of it has none")
  func wholeCues() throws {
    let talk = Self.talk
    let cue = try #require(talk.occurrences(of: "no times here").first)
    #expect(try talk.range(of: cue) == Self.range(8000, 9000))
    let part = try #require(talk.occurrences(of: "times").first)
    #expect(throws: UntimedWord.self) { try talk.range(of: part) }
    // Its first word begins with it, and nobody knows where that ends.
    let first = try #require(talk.occurrences(of: "no").first)
    #expect(throws: UntimedWord(index: first.lowerBound)) { try talk.range(of: first) }
  }

  private func edges(
    _ words: SpokenWords, _ phrase: String, goes: Bool
  ) throws -> (start: SpokenEdge, end: SpokenEdge) {
    let found = try #require(words.occurrences(of: phrase).first)
    return words.edges(of: found, in: try words.range(of: found), goes: goes)
  }

  private func edge(_ time: Int64, _ earliest: Int64, _ latest: Int64) -> SpokenEdge {
    SpokenEdge(Self.ms(time), from: Self.ms(earliest), to: Self.ms(latest))
  }

  @Test("edges move outwards by 80 ms, and 40 ms into words that go, but never into a neighbour")
  func room() throws {
    // The neighbours are 100 ms away.
    var found = try edges(Self.talk, "um", goes: true)
    #expect(found.start == edge(300, 220, 340) && found.end == edge(500, 460, 580))
    found = try edges(Self.talk, "um", goes: false)
    #expect(found.start == edge(300, 220, 300) && found.end == edge(500, 500, 580))
    func words(_ middle: (Int64, Int64), _ before: (Int64, Int64), _ after: (Int64, Int64))
      -> SpokenWords
    {
      SpokenWords(
        Transcript([
          Cue(
            "a um b", in: Self.range(0, 2000),
            words: [
              Word("a", in: Self.range(before.0, before.1)),
              Word("um", in: Self.range(middle.0, middle.1)),
              Word("b", in: Self.range(after.0, after.1)),
            ])
        ]))
    }
    // One that touches, and one 30 ms away.
    found = try edges(words((1000, 1200), (500, 1000), (1230, 2000)), "um", goes: true)
    #expect(found.start == edge(1000, 1000, 1040) && found.end == edge(1200, 1160, 1230))
    // Ones that overlap end, and begin, in the middle of the overlap.
    found = try edges(words((1000, 1200), (500, 1060), (1180, 2000)), "um", goes: true)
    #expect(found.start == edge(1030, 1030, 1070) && found.end == edge(1190, 1150, 1190))
    // A short word keeps its middle.
    found = try edges(words((1000, 1050), (500, 600), (1500, 2000)), "um", goes: true)
    #expect(found.start == edge(1000, 920, 1025) && found.end == edge(1050, 1025, 1130))
  }

  @Test("beside a word without times an edge does not move outwards")
  func besideUntimed() throws {
    let words = SpokenWords(Transcript([Self.cue("a* um b*", from: 0)]))
    let found = try edges(words, "um", goes: true)
    #expect(found.start == edge(300, 300, 340) && found.end == edge(500, 460, 500))
  }

  @Test("who speaks meanwhile, in a cue of his own, is a neighbour")
  func meanwhile() throws {
    let words = SpokenWords(
      Transcript([
        Self.cue("one two three", from: 0, by: "Ann"), Self.cue("yes", from: 450, by: "Ben"),
      ]))
    // "two" is from 300 to 500 ms, "yes" from 450 to 650 ms, "three" from 600 to 800 ms.
    let found = try edges(words, "yes", goes: true)
    #expect(found.start == edge(475, 475, 515) && found.end == edge(625, 585, 625))
  }
}
