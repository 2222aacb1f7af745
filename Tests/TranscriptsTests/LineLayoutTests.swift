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

  @Test("Lines of a script without spaces are joined without a blank, and blanks in a line stay")
  func unspaced() {
    let cue = Cue("今日は\nいい 天気\nですね。", 0..<1000)
    #expect(lines([cue], LineLayout()) == ["0-1000 今日はいい 天気ですね。"])
    #expect(lines([cue], LineLayout(width: 9)) == ["0-1000 今日はいい 天気/ですね。"])
    #expect(lines([Cue("one\ntwo\nthree", 0..<1000)], LineLayout()) == ["0-1000 one two three"])
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

  @Test("The last cue stays until it can be read, up to the end of the sound")
  func readingSpeedOfTheLast() {
    let cues = [Cue("0123456789", 0..<500), Cue("0123456789", 2000..<2100)]
    let layout = LineLayout(readingSpeed: 10)
    func last(until end: Int64?) -> String? {
      layout.layOut(cues, until: end.map { Time(value: $0, timescale: 1000) }).last
        .map(TranscriptBench.line)
    }
    #expect(last(until: nil) == "2000-2100 0123456789")
    #expect(last(until: 9000) == "2000-3000 0123456789")
    #expect(last(until: 2500) == "2000-2500 0123456789")
    #expect(last(until: 1000) == "2000-2100 0123456789")
  }

  @Test(
    "Names in front of texts have room, and a line of their own where a word has none beside them")
  func names() {
    func captions(_ cues: [Cue], _ layout: LineLayout) -> [String] {
      Transcript(cues).captions(lines: layout).map(\.text)
    }
    let cues = [
      Cue("One two three", 0..<1000, speaker: "Ann"), Cue("four five", 1000..<2000, speaker: "Ann"),
      Cue("six seven", 2000..<3000),
    ]
    #expect(
      captions(cues, LineLayout(width: 9)) == [
        "Ann: One\ntwo three", "four five", "- six\nseven",
      ])
    #expect(
      captions([Cue("understanding you", 0..<1000, speaker: "Alex")], LineLayout(width: 13))
        == ["Alex:\nunderstanding", "you"])
    // One line has to hold both.
    #expect(
      captions([Cue("understanding", 0..<1000, speaker: "Al")], LineLayout(width: 9, lines: 1))
        == ["Al: under", "standing"])
    // WebVTT has a place of its own for names.
    let vtt = Transcript(cues).bytes(as: .vtt, lines: LineLayout(width: 9))
    #expect(String(decoding: vtt, as: UTF8.self).contains("<v Ann>One two\nthree"))
  }

  @Test("With names in front no line is too long, and who says what is read back")
  func prefixes() {
    let plain = ["a", "bb", "ccc,", "dddd.", "eeeeeeeeee", "x\ny", "-5"]
    let speakers: [String?] = ["Ann", "Dr. Who", nil]
    /// What is said by one after the other.
    func voices(_ cues: [Cue]) -> [String] {
      cues.reduce(into: [(speaker: String?, text: String)]()) { voices, cue in
        let text = cue.text.filter { !$0.isWhitespace }
        if let last = voices.last, last.speaker == cue.speaker {
          voices[voices.count - 1].text += text
        } else {
          voices.append((cue.speaker, text))
        }
      }.map { "\($0.speaker ?? "nobody") \($0.text)" }
    }
    var dice = Dice(7)
    for index in 0..<300 {
      let hasDashes = index % 2 == 0
      let words = hasDashes ? plain + ["-", "–"] : plain
      let cues = (Int64(0)..<8).map { place in
        let texts = (0..<dice.number(1..<12)).map { _ in words.randomElement(using: &dice) ?? "" }
        return Cue(
          texts.joined(separator: " "), place * 1000..<place * 1000 + 1000,
          speaker: speakers.randomElement(using: &dice) ?? nil)
      }
      let layout = LineLayout(width: Int(dice.number(10..<20)), lines: Int(dice.number(1..<4)))
      let transcript = Transcript(cues)
      for caption in transcript.captions(lines: layout) {
        let lines = caption.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= layout.lines, "\(caption.text)")
        #expect(lines.allSatisfy { 1...layout.width ~= $0.count }, "\(caption.text)")
      }
      guard !hasDashes else { continue }
      let written = transcript.bytes(as: .srt, lines: layout)
      let read = TranscriptBench.read(written, speakerPrefix: true).transcript
      #expect(voices(read.cues) == voices(cues))
    }
  }

  @Test("Each turn of a dialogue begins a line, and is read back as its speaker's")
  func dialogue() {
    let cue = Cue("- Ann: How are you doing today friend?\n- Ben: Fine.", 0..<4000)
    let captions = Transcript([cue]).captions(lines: LineLayout(width: 32)).map(\.text)
    #expect(captions == ["- Ann: How are you doing today\nfriend?", "- Ben: Fine."])
    let three = Cue("- Ann: How are you?\n- Ben: Fine.", 0..<4000)
    let srt = Transcript([three]).bytes(as: .srt, lines: LineLayout(width: 14, lines: 3))
    #expect(
      TranscriptBench.cues(String(decoding: srt, as: UTF8.self), speakerPrefix: true) == [
        "0-4000 Ann: How are/you?", "0-4000 Ben: Fine.",
      ])
  }

  @Test("Parts of cues that overlap take turns, each with its name, and are read back so")
  func overlaps() {
    let transcript = Transcript([
      Cue("one two three four", 0..<4000, speaker: "Ann"),
      Cue("five six seven eight", 1000..<5000, speaker: "Ben"),
      Cue("Yes: but later", 6000..<8000, speaker: "Ben"),
    ])
    let layout = LineLayout(width: 10)
    let captions = transcript.captions(lines: layout)
    let starts = captions.map(\.milliseconds.lowerBound)
    #expect(starts == starts.sorted())
    for caption in captions {
      let lines = caption.text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 2 && lines.allSatisfy { $0.count <= 10 }, "\(caption.text)")
    }
    let srt = transcript.bytes(as: .srt, lines: layout)
    let read = TranscriptBench.read(srt, speakerPrefix: true).transcript.cues
    func said(by speaker: String) -> String {
      read.filter { $0.speaker == speaker }.map { $0.text.onOneLine }.joined(separator: " ")
    }
    #expect(said(by: "Ann") == "one two three four")
    #expect(said(by: "Ben") == "five six seven eight Yes: but later")
  }

  @Test("A cue behind a part of another has room for its name, and for a dash before it")
  func namesBetween() {
    func check(_ cues: [Cue], _ layout: LineLayout) {
      for caption in Transcript(cues).captions(lines: layout) {
        let lines = caption.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= layout.lines, "\(layout): \(caption.text)")
        #expect(lines.allSatisfy { $0.count <= layout.width }, "\(layout): \(caption.text)")
      }
    }
    let long = Array(repeating: "abcdefg", count: 20).joined(separator: " ")
    let full = "twelve letters and twenty others\ntwelve letters and twenty others"
    // A part of Bob's at 3.5 s, between cues of Ann's.
    check(
      [
        Cue(long, 0..<10_000, speaker: "Bob"), Cue("Yes.", 1000..<2000, speaker: "Ann"),
        Cue(full, 6000..<8000, speaker: "Ann"),
      ], LineLayout())
    // Behind Bob's last part, though Ann's other cue begins behind Bob's.
    check(
      [
        Cue(long, 0..<10_000, speaker: "Bob"), Cue("Yes.", 1000..<2000, speaker: "Ann"),
        Cue(full, 11_000..<12_000, speaker: "Ann"),
      ], LineLayout())
    var dice = Dice(11)
    let speakers: [String?] = ["Ann", "Bo", nil]
    for _ in 0..<300 {
      let cues = (0..<6).map { _ in
        let texts = (0..<dice.number(1..<12)).map { _ in
          String(repeating: "a", count: Int(dice.number(1..<6)))
        }
        let start = dice.number(0..<5) * 1000
        return Cue(
          texts.joined(separator: " "), start..<start + dice.number(1..<4) * 1000,
          speaker: speakers.randomElement(using: &dice) ?? nil)
      }
      check(cues, LineLayout(width: Int(dice.number(14..<24)), lines: Int(dice.number(1..<4))))
    }
  }

  @Test("A dash within a text begins no line, where it would be read as a turn")
  func dashes() {
    #expect(
      LineLayout(width: 8, lines: 3).layOut([Cue("well, no - yes -5 -- x", 0..<1000)]).map(\.text)
        == ["well,\nno - yes\n-5 -- x"])
    // Nobody behind a name, whose text begins a turn itself.
    let cues = [Cue("One", 0..<1000, speaker: "Ann"), Cue("- Ben: two", 1000..<2000)]
    #expect(Transcript(cues).captions().map(\.text) == ["Ann: One", "- Ben: two"])
  }

  @Test("Words that last no time, many at one moment, are spread over the time beside them")
  func momentaryWords() {
    func words(_ times: [(Int64, Int64)]) -> [Word] {
      times.enumerated().map {
        Word("w\($0.offset)", in: .milliseconds($0.element.0..<$0.element.1))
      }
    }
    func starts(_ times: [(Int64, Int64)], until end: Int64) -> [Int64] {
      let words = words(times)
      let cue = Cue(words.map(\.text).joined(separator: " "), 0..<end, words: words)
      return LineLayout(width: 2, lines: 1).layOut([cue]).map {
        $0.range.start.frames(atRate: 1000)
      }
    }
    let none = Array(repeating: (Int64(0), Int64(0)), count: 4)
    // "w0 w1 w2 w3 w4": each has three letters of twelve before w4.
    #expect(starts(none + [(1200, 1500)], until: 1500) == [0, 300, 600, 900, 1200])
    // Where the next word follows at once, it gives of its own time.
    #expect(starts(none + [(0, 1400)], until: 1400) == [0, 300, 600, 900, 1200])
    // At the end of a cue, those before them do.
    let last = Array(repeating: (Int64(1400), Int64(1400)), count: 4)
    #expect(starts([(0, 1400)] + last, until: 1400) == [0, 300, 600, 900, 1200])
    // One by itself has the time that it has.
    #expect(starts([(0, 200), (500, 500), (900, 1000)], until: 1000) == [0, 500, 900])
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
