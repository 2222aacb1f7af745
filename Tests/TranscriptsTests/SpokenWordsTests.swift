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

  @Test("a voice that speaks meanwhile is no neighbour, and its words are named")
  func meanwhile() throws {
    let words = SpokenWords(
      Transcript([
        Self.cue("one two three", from: 0, by: "Ann"), Self.cue("yes", from: 450, by: "Ben"),
      ]))
    // "two" is from 300 to 500 ms, "yes" from 450 to 650 ms, "three" from 600 to 800 ms.
    let found = try edges(words, "yes", goes: true)
    #expect(found.start == edge(450, 370, 490) && found.end == edge(650, 610, 730))
    let yes = try #require(words.occurrences(of: "yes").first)
    #expect(words.otherVoices(in: Self.range(450, 650), beside: yes) == [1, 2])
    #expect(words.otherVoices(in: Self.range(450, 650), beside: 0..<1) == [3])
    #expect(words.otherVoices(in: Self.range(450, 650), beside: 2..<4) == [])
  }

  @Test("of nobody that is named, who speaks meanwhile in a cue of his own is a neighbour")
  func unnamed() throws {
    let words = SpokenWords(
      Transcript([Self.cue("one two three", from: 0), Self.cue("yes", from: 450)]))
    let found = try edges(words, "yes", goes: true)
    #expect(found.start == edge(475, 475, 515) && found.end == edge(625, 585, 625))
  }

  @Test("between two speakers the neighbour before is the one who ends last")
  func longestBefore() throws {
    let words = SpokenWords(
      Transcript([
        timed("long", 500, 1450), timed("short", 800, 900), timed("um", 1500, 1700),
      ]))
    #expect(try edges(words, "um", goes: true).start == edge(1500, 1450, 1540))
  }

  @Test("a word that begins at the same moment is a neighbour, also of a word without length")
  func sameMoment() throws {
    let cue = Cue(
      "so um we", in: Self.range(1000, 1800),
      words: [
        Word("so", in: Self.range(1000, 1500)), Word("um", in: Self.range(1500, 1500)),
        Word("we", in: Self.range(1500, 1800)),
      ])
    var found = try edges(SpokenWords(Transcript([cue])), "um", goes: true)
    #expect(found.start == edge(1500, 1500, 1500) && found.end == edge(1500, 1500, 1500))
    // Of two that begin together one is before the other.
    let both = SpokenWords(Transcript([timed("yes", 1500, 2500), timed("um", 1500, 1800)]))
    found = try edges(both, "um", goes: true)
    #expect(found.start.time == Self.ms(1650) && found.end.time == Self.ms(1800))
  }

  @Test("a word without length has half of each word beside it, or 80 ms without one there")
  func surroundings() throws {
    func around(_ before: (Int64, Int64), _ after: (Int64, Int64)) throws -> TimeRange {
      let words = SpokenWords(
        Transcript([
          timed("a", before.0, before.1), timed("um", 1500, 1500), timed("b", after.0, after.1),
        ]))
      let found = try #require(words.occurrences(of: "um").first)
      return words.surroundings(of: found, in: try words.range(of: found))
    }
    #expect(try around((1000, 1500), (1500, 1800)) == Self.range(1250, 1650))
    #expect(try around((1000, 1200), (1800, 1900)) == Self.range(1420, 1580))
    #expect(try around((1500, 1500), (1500, 1500)) == Self.range(1460, 1540))
  }

  private func timed(_ text: String, _ start: Int64, _ end: Int64) -> Cue {
    Cue(text, in: Self.range(start, end), words: [Word(text, in: Self.range(start, end))])
  }

  /// A cue whose words may have blanks within them.
  private func cue(of texts: [String]) -> SpokenWords {
    let words = texts.enumerated().map { index, text in
      Word(text, in: Self.range(Int64(index) * 300, Int64(index) * 300 + 200))
    }
    return SpokenWords(
      Transcript([Cue(texts.joined(separator: " "), in: Self.range(0, 9000), words: words)]))
  }

  @Test(
    "what is muted is found also within words, and what is cut only where words begin and end",
    arguments: [
      (["Hello Jane", "Doe"], "Jane Doe", [0..<2], []),
      (["Hello Jane"], "hello jane", [0..<1], [0..<1]),
      (["Mary-Jane", "x"], "Jane", [0..<1], []), (["Jane—she", "x"], "jane", [0..<1], []),
      (["Jane’s", "x"], "Jane", [0..<1], []), (["Hello,Jane", "x"], "Jane", [0..<1], []),
      (["at", "a.m."], "am", [1..<2], [1..<2]), (["at", "a.m."], "a.m.", [1..<2], [1..<2]),
      (["don't"], "don’t", [0..<1], [0..<1]), (["Janet"], "Jane", [], []),
      (["a-b", "a-b", "a"], "b a", [0..<2, 1..<3], []),
      (["你", "好", "吗"], "你好", [0..<2], [0..<2]), (["你好吗"], "好", [0..<1], []),
      (["你好", "吗"], "你好吗", [0..<2], [0..<2]), (["東京", "で"], "京で", [0..<2], []),
      (["カフェ", "x"], "カフェ", [0..<1], [0..<1]), (["สวัส", "ดี"], "สวัสดี", [0..<2], [0..<2]),
    ] as [([String], String, [Range<Int>], [Range<Int>])])
  func within(texts: [String], phrase: String, muted: [Range<Int>], cut: [Range<Int>]) {
    let words = cue(of: texts)
    #expect(words.mentions(of: [phrase]) == [muted])
    #expect(words.occurrences(of: phrase) == cut)
  }
}
