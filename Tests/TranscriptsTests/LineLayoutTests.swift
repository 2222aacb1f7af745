import MediaTime
import TestSupport
import Testing

@testable import Transcripts

/// Captions that are broken into lines and divided.
@Suite struct LineLayoutTests {
  private func lines(_ cues: [Cue], _ layout: LineLayout) -> [String] {
    layout.layOut(cues).map(TranscriptBench.line)
  }

  @Test("A cue that fits stays as it is, with its markup")
  func fitting() {
    var cue = Cue("one\ntwo", 0..<1000)
    cue.markup = "<i>one</i>\ntwo"
    #expect(LineLayout(width: 3, lines: 2).layOut([cue]) == [cue])
  }

  @Test("A cue that is broken anew loses its markup, and such cues are counted")
  func markupLosses() {
    var cue = Cue("one two", 0..<1000)
    cue.markup = "<i>one</i> two"
    let transcript = Transcript([cue, Cue("one two", 1000..<2000)])
    #expect(LineLayout(width: 7).markupLosses(of: transcript) == 0)
    #expect(LineLayout(width: 6).markupLosses(of: transcript) == 1)
    #expect(LineLayout(width: 6).layOut([cue]).map(\.markup) == [nil])
  }

  @Test("Without times of words a cue is divided in proportion to its letters")
  func proportion() {
    #expect(
      lines(
        [Cue("aaaa bbbb cccc dddd eeee", 0..<2400, speaker: "Ann")], LineLayout(width: 9, lines: 1))
        == ["0-1000 Ann: aaaa bbbb", "1000-2000 Ann: cccc dddd", "2000-2400 Ann: eeee"])
  }

  @Test("With them it is divided where a word begins, and each part has its own words")
  func words() {
    let words = [
      Word("One", in: .milliseconds(0..<200)), Word("two", in: .milliseconds(300..<500)),
      Word("three", in: .milliseconds(1500..<1700)), Word("four"),
    ]
    #expect(
      lines([Cue("One two three four", 0..<2000, words: words)], LineLayout(width: 8, lines: 1))
        == [
          "0-1500 One two {One@0-200 two@300-500}", "1500-1760 three {three@1500-1700}",
          "1760-2000 four {four@}",
        ])
  }

  @Test("A long cue of many words is divided in time")
  func manyWords() {
    let texts = (0..<20_000).map { "w\($0)" }
    let words = texts.enumerated().map { index, text in
      Word(text, in: .milliseconds(Int64(index)..<Int64(index) + 1))
    }
    let cue = Cue(texts.joined(separator: " "), 0..<20_000, words: words)
    let clock = ContinuousClock()
    var parts: [Cue] = []
    let time = clock.measure { parts = LineLayout(width: 12, lines: 1).layOut([cue]) }
    #expect(parts.flatMap(\.words) == words && parts.count > 5000)
    #expect(time < .seconds(5))
  }

  @Test("The place of a word that nearly repeats itself is found in time")
  func repeating() {
    let count = 200_000
    var cue = Cue(String(repeating: "a", count: count) + "b", 0..<1000)
    cue.words = [Word(String(repeating: "a", count: count / 2) + "b")]
    let clock = ContinuousClock()
    var places: [Range<String.Index>]?
    let time = clock.measure { places = cue.placesOfWords }
    let start = cue.text.utf8.index(cue.text.startIndex, offsetBy: count / 2)
    #expect(places == [start..<cue.text.endIndex])
    #expect(time < .seconds(5))
  }

  @Test("A cue ends behind a sentence rather than in the middle of the next one")
  func sentences() {
    #expect(
      lines([Cue("Well, we are here now. And you are there.", 0..<4100)], LineLayout(width: 14))
        .map { $0.split(separator: " ", maxSplits: 1)[1] } == [
          "Well, we are/here now.", "And you are/there.",
        ])
  }

  @Test("A word that is longer than a line is broken, and so is a text without spaces")
  func longWords() {
    #expect(
      LineLayout(width: 4, lines: 2).layOut([Cue("abcdefghij k 你好你好你", 0..<1000)]).map(\.text) == [
        "abcd\nefgh", "ij k\n你好你好", "你",
      ])
  }

  @Test("A cue stays until it can be read, if the next one is not there yet")
  func readingSpeed() {
    let cues = [
      Cue("0123456789", 0..<500), Cue("0123456789", 2000..<2100), Cue("0123456789", 2500..<2600),
    ]
    #expect(
      lines(cues, LineLayout(readingSpeed: 10)) == [
        "0-1000 0123456789", "2000-2500 0123456789", "2500-2600 0123456789",
      ])
  }

  @Test("No letter and no word is lost, no line is too long, and no time goes backwards")
  func properties() {
    var dice = Dice(46)
    let pieces = ["a", "bb", "ccc,", "dddd.", "eeeeeeeeee", "你好", "x\ny"]
    for _ in 0..<300 {
      let texts = (0..<dice.number(1..<30)).map { _ in pieces.randomElement(using: &dice) ?? "" }
      let length = dice.number(1..<20_000)
      let isTimed = dice.number(0..<2) == 0
      let words = texts.enumerated().map { index, text in
        let step = length / Int64(texts.count)
        return Word(
          text,
          in: dice.number(0..<5) == 0
            ? nil : .milliseconds(Int64(index) * step..<Int64(index + 1) * step))
      }
      let cue = Cue(texts.joined(separator: " "), 0..<length, words: isTimed ? words : [])
      let layout = LineLayout(
        width: Int(dice.number(1..<12)), lines: Int(dice.number(1..<4)), readingSpeed: 15)
      let parts = layout.layOut([cue])
      func letters(_ text: String) -> String { text.filter { !$0.isWhitespace } }
      #expect(letters(parts.map(\.text).joined()) == letters(cue.text))
      #expect(parts.flatMap(\.words) == cue.words)
      for part in parts {
        let lines = part.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= layout.lines)
        #expect(lines.allSatisfy { 1...layout.width ~= $0.count })
      }
      #expect(parts.first?.range.start == .zero && parts.last?.range.end == cue.range.end)
      for (part, next) in zip(parts, parts.dropFirst()) {
        #expect(part.range.isValid && part.range.end == next.range.start)
      }
    }
  }
}
