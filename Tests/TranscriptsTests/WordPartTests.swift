import MediaTime
import TestSupport
import Testing

@testable import Transcripts

/// Words of which a recogniser writes parts: what has no blank in front goes on with the word before.
@Suite struct WordPartTests {
  /// The file of a recogniser whose `words` last 100 ms each; without a text it has no segment.
  private func file(
    _ words: [String], in text: String?, language: String? = "en", atLevel name: String = "segment"
  ) -> String {
    let list = words.enumerated().map { index, word in
      let start = Double(index) / 10
      return
        #"{"word": "\#(word)", "start": \#(start), "end": \#(start + 0.1), "probability": 0.5}"#
    }
    let words = #""words": [\#(list.joined(separator: ", "))]"#
    let end = Double(list.count) / 10
    let segment = text.map { #""start": 0, "end": \#(end), "text": "\#($0)""# }
    let language = language.map { #", "language": "\#($0)""# } ?? ""
    guard let segment else { return "{\(words)\(language)}" }
    return name == "segment"
      ? #"{"segments": [{\#(segment), \#(words)}]\#(language)}"#
      : #"{"segments": [{\#(segment)}], \#(words)\#(language)}"#
  }

  private func words(_ file: String) -> [String] {
    TranscriptBench.read(Array(file.utf8)).transcript.cues.flatMap(\.words).map { word in
      let range = word.range.map { range in
        "\(range.start.frames(atRate: 1000))-\(range.end.frames(atRate: 1000))"
      }
      return "\(word.text)@\(range ?? "")"
    }
  }

  @Test(
    "Parts of a word are one word, from the start of the first to the end of the last",
    arguments: [
      (" pay $1,000 now", [" pay", " $1", ",000", " now"], "pay@0-100 $1,000@100-300 now@300-400"),
      (
        " a well-known one", [" a", " well", "-known", " one"],
        "a@0-100 well-known@100-300 one@300-400"
      ),
      (
        " d'avoir aujourd'hui", [" d", "'avoir", " aujourd", "'hui"],
        "d'avoir@0-200 aujourd'hui@200-400"
      ),
      (
        " Jan et Janet.", [" Jan", " et", " Jan", "et", "."], "Jan@0-100 et@100-200 Janet.@200-500"
      ),
      // OpenAI writes words without their punctuation, and none has a blank.
      (
        "About 3.5% of it", ["About", "3", "5", "of", "it"],
        "About@0-100 3.5@100-300 of@300-400 it@400-500"
      ),
    ])
  func parts(text: String, parts: [String], expected: String) {
    #expect(words(file(parts, in: text)).joined(separator: " ") == expected)
    #expect(words(file(parts, in: text, atLevel: "file")).joined(separator: " ") == expected)
  }

  @Test("Without a text that has the words, one without a blank is a part if others have one")
  func withoutText() {
    let whisper = [" Jan", "et", " met", " us"]
    let expected = ["Janet@0-200", "met@200-300", "us@300-400"]
    #expect(words(file(whisper, in: nil)) == expected)
    #expect(words(file(whisper, in: " Jane met us")) == expected)
    #expect(
      words(file(["Jan ", "et ", "us"], in: nil)) == ["Jan@0-100", "et@100-200", "us@200-300"])
    #expect(words(file(["Jan", "et"], in: nil)) == ["Jan@0-100", "et@100-200"])
  }

  @Test(
    "Letters of a script without spaces are words of their own, wherever the language is written",
    arguments: ["chinese", "zh", "zh-Hans", "en", nil])
  func unspaced(language: String?) {
    for level in ["segment", "file"] {
      #expect(
        words(file(["今天", "天气", "很好"], in: "今天天气很好", language: language, atLevel: level))
          == ["今天@0-100", "天气@100-200", "很好@200-300"])
    }
  }

  @Test("In a language without spaces no word is a part")
  func unspacedLanguage() {
    #expect(
      words(file(["3", ".", "5"], in: "3.5", language: "ja")) == [
        "3@0-100", ".@100-200", "5@200-300",
      ])
  }

  @Test("A letter that was cut between tokens is that of the segment's text")
  func pieces() {
    let spaced = [" Un", " caf\u{FFFD}", "\u{FFFD},", " a", " na\u{FFFD}\u{FFFD}ve", " b"]
    let expected = ["Un@0-100", "café,@100-300", "a@300-400", "naïve@400-500", "b@500-600"]
    let unspaced = ["今", "\u{FFFD}", "\u{FFFD}\u{FFFD}", "气", "\u{FFFD}"]
    for level in ["segment", "file"] {
      let text = file(spaced, in: " Un café, a naïve b", language: "fr", atLevel: level)
      #expect(words(text) == expected)
      #expect(TranscriptBench.messages(text) == [])
      #expect(
        words(file(unspaced, in: "今天气好", language: "zh", atLevel: level))
          == ["今@0-100", "天@100-300", "气@300-400", "好@400-500"])
    }
    let tokens = [" caf\u{FFFD}", "\u{FFFD}", " noir"].map {
      #"{"text": "\#($0)", "offsets": {"from": 0, "to": 1000}}"#
    }
    let whisper =
      #"{"transcription": [{"offsets": {"from": 0, "to": 1000}, "text": " café noir", "tokens": ["#
      + tokens.joined(separator: ", ") + "]}]}"
    #expect(words(whisper) == ["café@0-1000", "noir@0-1000"])
    #expect(TranscriptBench.messages(whisper) == [])
  }

  @Test("A piece of a letter that no text has stays, with a warning")
  func lostPieces() {
    let parts = [" Un", " caf\u{FFFD}", "\u{FFFD}", " b"]
    for text in [nil, " Un caf\u{FFFD} b", " Un thé b", " Un caféine b", " Un b"] {
      let file = file(parts, in: text)
      #expect(words(file).contains { $0.hasPrefix("caf\u{FFFD}\u{FFFD}@") }, "\(text ?? "")")
      let messages = TranscriptBench.messages(file)
      #expect(messages.count == 1, "\(messages)")
      #expect(
        messages.first?.contains(
          "warning: 1 word has a piece of a character, which is shown as U+FFFD") == true,
        "\(messages)")
    }
  }

  @Test("Words of two clauses are not joined, however their dash or their dots are written")
  func clauses() {
    #expect(words(file(["Yes", "no"], in: "Yes—no")) == ["Yes@0-100", "no@100-200"])
    for dash in ["—", "…"] {
      #expect(
        words(file([" Yes", dash + "no"], in: " Yes\(dash)no"))
          == ["Yes@0-100", "\(dash)no@100-200"])
      #expect(
        words(file([" Yes", dash, "no"], in: " Yes\(dash)no"))
          == ["Yes\(dash)@0-200", "no@200-300"])
    }
  }

  @Test("Words of two speakers, and with letters between them, are not joined")
  func apart() {
    let text = """
      {"segments": [{"start": 0, "end": 2, "text": "Yes—No Hillary", "words": [
      {"word": "Yes", "start": 0, "end": 1, "speaker": "A"},
      {"word": "No", "start": 1, "end": 2, "speaker": "B"},
      {"word": "Hi", "start": 1.2, "end": 1.4, "speaker": "B"},
      {"word": "ary", "start": 1.4, "end": 2, "speaker": "B"}]}]}
      """
    #expect(
      TranscriptBench.cues(text) == [
        "0-1000 A: Yes— {Yes@0-1000}",
        "1000-2000 B: No Hillary {No@1000-2000 Hi@1200-1400 ary@1400-2000}",
      ])
  }

  @Test("A joined word has times where all its parts have, but for punctuation")
  func times() {
    func words(_ parts: [String]) -> [String] {
      self.words(
        #"{"segments": [{"start": 0, "end": 9, "text": " “$1,000”", "words": ["#
          + parts.map { "{\($0)}" }.joined(separator: ", ") + "]}]}")
    }
    let (one, thousand) = (#""word": "$1", "start": 1, "end": 2"#, #""word": ",000""#)
    #expect(
      words([#""word": " “""#, one, thousand + #", "start": 2, "end": 3"#, #""word": "”""#]) == [
        "“$1,000”@1000-3000"
      ])
    #expect(words([one, thousand]) == ["$1,000@"])
    // Tokens of whisper.cpp may overlap.
    #expect(words([one, thousand + #", "start": 0.5, "end": 1.5"#]) == ["$1,000@500-2000"])
  }

  @Test("The confidence of a joined word is the mean of those of its parts")
  func confidence() {
    let text = """
      {"segments": [{"start": 0, "end": 2, "text": " Janet", "words": [
      {"word": " Jan", "start": 0, "end": 1, "probability": 0.5}, {"word": "e", "start": 1, "end": 2},
      {"word": "t", "start": 1, "end": 2, "probability": 1}]}]}
      """
    let cues = TranscriptBench.read(Array(text.utf8)).transcript.cues
    #expect(cues.flatMap(\.words).map(\.confidence) == [0.75])
  }

  @Test("Phrases are found across parts, and a filler is not found within a word")
  func phrases() {
    let text = " Janet, at example.com, well, a well-known site"
    let parts = [
      " Jan", "et", ",", " at", " example", ".com", ",", " well", ",", " a", " well", "-known",
      " site",
    ]
    let words = SpokenWords(TranscriptBench.read(Array(file(parts, in: text).utf8)).transcript)
    #expect(words.occurrences(of: "at example.com").map(words.text(of:)) == ["at example.com,"])
    #expect(words.occurrences(of: "well").map(words.text(of:)) == ["well,"])
    #expect(words.mentions(of: ["Janet"]) == [[0..<1]])
  }

  @Test("Written as Podcasting 2.0 by word, words that were parts are read as they are")
  func podcasting() {
    var dice = Dice(48)
    let parts = ["Jan", "et", "$1", ",000", "-known", "'hui", ".com", "%", "“", "?”", "é"]
    for _ in 0..<200 {
      let words = (0..<dice.number(1..<12)).map { index in
        (index == 0 || dice.number(0..<2) == 0 ? " " : "")
          + (parts.randomElement(using: &dice) ?? "")
      }
      let read = TranscriptBench.read(Array(file(words, in: words.joined()).utf8)).transcript
      #expect(read.cues.map(\.text) == [words.joined().tidiedLines])
      let (again, messages) = TranscriptBench.read(
        read.bytes(as: .podcasting2, wordSegments: true))
      func plain(_ transcript: Transcript) -> [String] {
        transcript.cues.flatMap(\.words).map { "\($0.text) \($0.range.map { "\($0)" } ?? "")" }
      }
      #expect(plain(again) == plain(read))
      #expect(SpokenText.joined(again.cues.map(\.text)) == read.cues[0].text)
      #expect(messages == [])
    }
  }

  @Test("Words without a blank between them, as of moments in a word, are one segment of a podcast")
  func podcastParts() {
    let text = "WEBVTT\n\n00:00.000 --> 00:03.000\na ba<00:01.000>na<00:02.000> split\n"
    let transcript = TranscriptBench.read(Array(text.utf8)).transcript
    #expect(transcript.cues.flatMap(\.words).map(\.text) == ["a ba", "na", "split"])
    let written = transcript.bytes(as: .podcasting2, wordSegments: true)
    #expect(
      TranscriptBench.cues(String(decoding: written, as: UTF8.self)) == [
        "0-2000 a bana", "2000-3000 split {split@2000-3000}",
      ])
  }

  @Test(
    "Sentences of words without segments have no blanks between letters of scripts without spaces")
  func sentences() {
    func texts(_ words: [String]) -> [String] {
      TranscriptBench.read(Array(file(words, in: nil, language: nil).utf8)).transcript.cues.map(
        \.text)
    }
    #expect(texts(["今日", "は", "いい", "天気", "です", "ね。", "は", "い"]) == ["今日はいい天気ですね。", "はい"])
    #expect(texts(["สวัสดี", "ครับ"]) == ["สวัสดีครับ"])
    #expect(texts(["私", "の", "iPhone", "、", "Mac"]) == ["私の iPhone、Mac"])
    #expect(texts(["Good", "day"]) == ["Good day"])
  }

  @Test("A segment that is divided between speakers has its words without blanks, too")
  func turns() {
    let text = """
      {"segments": [{"start": 0, "end": 4, "text": "不是", "words": [
      {"word": "今天", "start": 0, "end": 1, "speaker": "A"},
      {"word": "天气", "start": 1, "end": 2, "speaker": "A"},
      {"word": "好", "start": 2, "end": 3, "speaker": "B"}]}]}
      """
    #expect(
      TranscriptBench.read(Array(text.utf8)).transcript.cues.map(\.text) == ["今天天气", "好"])
  }
}
