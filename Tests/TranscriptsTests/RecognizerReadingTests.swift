import MediaTime
import Testing

@testable import Transcripts

/// JSON of podcasts and of recognisers, with what each has of its own.
@Suite struct RecognizerReadingTests {
  @Test(
    "Podcasting 2.0: ends and speakers may be missing, times are texts, and a segment is a word")
  func podcasting() {
    let text = """
      {"version": "1.0.0", "segments": [
        {"speaker": "Ann", "startTime": "0.5", "endTime": 0.75, "body": "Hi"},
        {"startTime": 0.75, "body": "there,\\n"},
        {"speaker": "Ben", "startTime": 9, "body": "Two words"},
        {"speaker": "", "startTime": 10, "endTime": 11, "body": "A bell rings"}]}
      """
    #expect(
      TranscriptBench.cues(text) == [
        "500-750 Ann: Hi {Hi@500-750}", "750-5750 Ann: there, {there,@750-5750}",
        "9000-10000 Ben: Two words", "10000-11000 A bell rings",
      ])
    #expect(TranscriptBench.messages(text) == [])
    let cues = TranscriptBench.read(Array(text.utf8)).transcript.cues
    #expect(cues.map(\.endsParagraph) == [false, true, false, false])
  }

  /// Words in a row, from 0.5 s on, each with a quarter of a second and as much silence.
  private func words(_ words: [(speaker: String?, body: String)]) -> String {
    let segments = words.enumerated().map { index, word in
      let start = Double(index) / 2 + 0.5
      let speaker = word.speaker.map { #""speaker": "\#($0)", "# } ?? ""
      return
        #"{\#(speaker)"startTime": \#(start), "endTime": \#(start + 0.25), "body": "\#(word.body)"}"#
    }
    return #"{"version": "1.0.0", "segments": [\#(segments.joined(separator: ", "))]}"#
  }

  @Test("Podcasting 2.0: segments that are words, as in its example, are those of sentences")
  func podcastWords() {
    let text = words([
      ("Ann", "We"), (nil, "are"), (nil, "here,"), (nil, "all\\n"), (nil, "of"), (nil, "us."),
      (nil, "So"), ("Ben", "am"), (nil, "I"), ("", "bells"),
    ])
    let cues = TranscriptBench.read(Array(text.utf8)).transcript.cues
    #expect(
      cues.map { TranscriptBench.line($0).prefix { $0 != "{" } } == [
        "500-2250 Ann: We are here, all ", "2500-3250 Ann: of us. ", "3500-3750 Ann: So ",
        "4000-4750 Ben: am I ", "5000-5250 bells ",
      ])
    #expect(cues.map(\.words.count) == [4, 2, 1, 2, 1])
    #expect(cues.map(\.number) == [1, 2, 3, 4, 5])
    #expect(cues.map(\.endsParagraph) == [true, false, false, false, false])
  }

  @Test("Podcasting 2.0: sentences of one word, and of letters without spaces, stay segments")
  func podcastSentences() {
    let short = words([(nil, "Yes."), (nil, "No!"), (nil, "Why"), (nil, "not, he said?")])
    #expect(TranscriptBench.cues(short).count == 4)
    let chinese = words([(nil, "今天天气很好"), (nil, "是的"), (nil, "我们走吧")])
    #expect(TranscriptBench.cues(chinese).count == 3)
    let lines = words([(nil, "Good day"), (nil, "to"), (nil, "you"), (nil, "all of you")])
    #expect(TranscriptBench.cues(lines).count == 4)
  }

  @Test("Whisper: texts begin with a space, and words may have no length")
  func whisper() {
    let text = """
      {"text": " Good morning.", "segments": [{"id": 0, "seek": 0, "start": 0.0, "end": 1.5,
        "text": " Good morning.", "tokens": [50364, 2205], "avg_logprob": -0.3, "words": [
        {"word": " Good", "start": 0.0, "end": 0.4, "probability": 0.9},
        {"word": " morning.", "start": 0.4, "end": 0.4, "probability": 1.5}]}], "language": "en"}
      """
    let (transcript, messages) = TranscriptBench.read(Array(text.utf8))
    #expect(
      transcript.cues.map(TranscriptBench.line) == [
        "0-1500 Good morning. {Good@0-400 morning.@400-400}"
      ])
    #expect(transcript.cues.first?.words.map(\.confidence) == [0.9, nil])
    #expect(transcript.language == "en")
    #expect(messages == [])
  }

  @Test("WhisperX: words without times, and with times that go backwards, are kept without them")
  func whisperX() {
    let text = """
      {"segments": [
      {"start": 1, "end": 4, "text": "In 2014. we were", "words": [
      {"word": "In", "start": 1, "end": 1.2, "score": 0.5, "speaker": "A"},
      {"word": "2014."},
      {"word": "we", "start": 0.9, "end": 1.0},
      {"word": "were", "start": 3, "end": 2}]}],
      "word_segments": [{"word": "In", "start": 1, "end": 1.2}]}
      """
    #expect(
      TranscriptBench.cues(text) == [
        "1000-4000 A: In 2014. we were {In@1000-1200 2014.@ we@ were@}"
      ])
    #expect(
      TranscriptBench.messages(text) == [
        "5:1: warning: 2 words have times that go backwards, and are read without times; "
          + "times of words go up, as the recording does",
        "4:1: note: 1 word has no times; no cut can begin or end at such a word",
      ])
  }

  @Test("whisper.cpp: parts of words are joined, also within a letter, and its marks go")
  func whisperCpp() {
    let head =
      #"{"result": {"language": "en"}, "transcription": [{"timestamps": {"from": "x"}, "#
      + #""offsets": {"from": 0, "to": 2000}, "text": " Un café.", "tokens": ["#
    func token(_ bytes: [UInt8], _ from: Int, _ to: Int) -> [UInt8] {
      Array(#"{"text": ""#.utf8) + bytes
        + Array(#"", "offsets": {"from": \#(from), "to": \#(to)}, "id": 1, "p": 0.5}"#.utf8)
    }
    let tokens = [
      token(Array("[_BEG_]".utf8), 0, 0), token(Array(" Un".utf8), 0, 300),
      token(Array(" ca".utf8), 400, 600), token([0x66, 0xC3], 600, 800), token([0xA9], 800, 900),
      token(Array(".".utf8), 900, 1000), token(Array("[_TT_100]".utf8), 2000, 2000),
    ]
    let bytes = Array(head.utf8) + Array(tokens.joined(separator: [0x2C])) + Array("]}]}".utf8)
    let (transcript, messages) = TranscriptBench.read(bytes)
    #expect(
      transcript.cues.map(TranscriptBench.line) == ["0-2000 Un café. {Un@0-300 café.@400-1000}"])
    #expect(transcript.cues.first?.words.map(\.confidence) == [0.5, 0.5])
    #expect(messages == [])
  }

  @Test("whisper.cpp: in a language without spaces each letter is a word, with its punctuation")
  func unspaced() {
    let text = """
      {"result": {"language": "zh"}, "transcription": [
      {"offsets": {"from": 0, "to": 900}, "text": "你好。", "tokens": [
      {"text": "你", "offsets": {"from": 0, "to": 300}},
      {"text": "好", "offsets": {"from": 300, "to": 600}},
      {"text": "。", "offsets": {"from": 600, "to": 900}}]}]}
      """
    #expect(TranscriptBench.cues(text) == ["0-900 你好。 {你@0-300 好。@300-900}"])
  }

  @Test("Words without segments are sentences, and words beside segments are theirs")
  func words() {
    let words = """
      "words": [{"word": "Yes.", "start": 0, "end": 1}, {"word": "I", "start": 1, "end": 1.5},
      {"word": "do", "start": 1.5, "end": 2}, {"word": "Well", "start": 5, "end": 6}]
      """
    #expect(
      TranscriptBench.cues("{\(words)}") == [
        "0-1000 Yes. {Yes.@0-1000}", "1000-2000 I do {I@1000-1500 do@1500-2000}",
        "5000-6000 Well {Well@5000-6000}",
      ])
    let segments = """
      "segments": [{"start": 0, "end": 2, "text": "Yes. I do"}, {"start": 5, "end": 6, "text": "Well"}]
      """
    #expect(
      TranscriptBench.cues("{\(words), \(segments)}") == [
        "0-2000 Yes. I do {Yes.@0-1000 I@1000-1500 do@1500-2000}",
        "5000-6000 Well {Well@5000-6000}",
      ])
  }

  @Test(
    "Decimals are the rationals that they spell, to the nanosecond",
    arguments: [
      ("1.1", Time(value: 11, timescale: 10)), ("0", .zero),
      ("1e-3", Time(value: 1, timescale: 1000)),
      ("12.5E1", Time(value: 125, timescale: 1)),
      ("0.1234567895", Time(value: 123_456_790, timescale: 1_000_000_000)),
      ("2.00000000049", Time(value: 2, timescale: 1)), ("1e-30", .zero), ("-0", .zero),
      ("3600000000", Time(value: 3_600_000_000, timescale: 1)),
    ])
  func decimals(text: String, time: Time) throws {
    let read = try CaptionTime.seconds(Array(text.utf8)[...])
    #expect(read == time && !read.hasBeenRounded)
  }

  @Test(
    "Times that no recording has, and names that stand twice, are refused where they stand",
    arguments: [
      (
        #"{"start": 1e308, "end": 2, "text": "x"}"#,
        "1:25: error: 'start', 1e308, is later than a million hours; "
          + "times count in seconds from the start of the recording"
      ),
      (
        #"{"start": -1, "end": 2, "text": "x"}"#,
        "1:25: error: 'start', -1, is before the start of the recording; times count from 0 on"
      ),
      (
        #"{"start": "soon", "end": 2, "text": "x"}"#,
        "1:25: error: 'start', \"soon\", is no number of seconds; write it as 12.5"
      ),
      (
        #"{"start": NaN, "end": 2, "text": "x"}"#,
        "1:25: error: 'start', NaN, is no number of seconds; write it as 12.5"
      ),
      (
        #"{"start": -Infinity, "end": 2, "text": "x"}"#,
        "1:25: error: 'start', -Infinity, is no number of seconds; write it as 12.5"
      ),
      (
        #"{"start": 1, "start": 2, "end": 3, "text": "x"}"#,
        "1:37: error: 'start' stands twice in one object; leave one of them"
      ),
      (
        #"{"end": 3, "text": "x"}"#,
        "1:15: error: the segment has no start; write its start in seconds"
      ),
      (
        #"{"start": 2, "end" 1}"#,
        "1:34: error: the transcript is no JSON: ':' is missing; write it anew, or give it as WebVTT"
      ),
    ])
  func refusals(segment: String, message: String) {
    #expect(TranscriptBench.messages(#"{"segments": [\#(segment)]}"#) == [message])
  }

  @Test("Lists within lists, 64 deep, are refused")
  func depth() {
    let deep = String(repeating: "[", count: 70)
    #expect(
      TranscriptBench.messages(#"{"a": \#(deep)"#) == [
        "1:70: error: the transcript is no JSON: there are too many levels; "
          + "write it anew, or give it as WebVTT"
      ])
  }

  @Test("Half a letter is shown as U+FFFD, with a warning")
  func halfLetters() {
    let text = #"{"segments": [{"start": 0, "end": 1, "text": "a\ud800b"}]}"#
    #expect(TranscriptBench.cues(text) == ["0-1000 a\u{FFFD}b"])
    #expect(
      TranscriptBench.messages(text) == [
        "1:46: warning: 1 text has half a character, which is shown as U+FFFD; "
          + "save the transcript as UTF-8"
      ])
    let bytes =
      Array(#"{"segments": [{"start": 0, "end": 1, "text": ""#.utf8) + [0xC3]
      + Array(#""}]}"#.utf8)
    #expect(TranscriptBench.read(bytes).transcript.cues.map(\.text) == ["\u{FFFD}"])
  }

  @Test("JSON of another kind is refused with the names that it has")
  func otherJSON() {
    #expect(
      TranscriptBench.messages(#"{"chunks": [], "x": {}}"#) == [
        "error: 'talk' is JSON without 'segments', 'transcription' or 'words'; it has 'chunks', 'x'; "
          + "name the JSON of Podcasting 2.0, Whisper, faster-whisper, WhisperX or whisper.cpp"
      ])
  }

  /// The words of a file beside its segments, of which `segments` are the fields.
  private func shared(_ segments: [String], _ words: [(String, Double, Double)]) -> [String] {
    let words = words.map { #"{"word": "\#($0)", "start": \#($1), "end": \#($2)}"# }
    return TranscriptBench.cues(
      #"{"segments": [\#(segments.map { "{\($0)}" }.joined(separator: ", "))], "#
        + #""words": [\#(words.joined(separator: ", "))]}"#)
  }

  @Test("Words of the file belong to the segment whose text has them, whatever the times are")
  func wordsByText() {
    #expect(
      shared(
        [
          #""start": 0, "end": 5, "text": "I met Jane.""#,
          #""start": 5, "end": 9, "text": "She left""#,
        ],
        [("I", 4.2, 4.4), ("met", 4.5, 4.9), ("Jane", 5.0, 5.4), ("She", 5.5, 6), ("left", 6, 7)])
        == [
          "0-5400 I met Jane. {I@4200-4400 met@4500-4900 Jane@5000-5400}",
          "5000-9000 She left {She@5500-6000 left@6000-7000}",
        ])
    // A text may have more words, and a word may be in no text: then its time counts.
    #expect(
      shared(
        [
          #""start": 0, "end": 5, "text": "I, uh, met Jane""#,
          #""start": 5, "end": 9, "text": "She""#,
        ],
        [("I", 1, 2), ("met", 2, 3), ("hm", 6, 7), ("She", 7, 8)])
        == [
          "0-5000 I, uh, met Jane {I@1000-2000 met@2000-3000}",
          "5000-9000 She {hm@6000-7000 She@7000-8000}",
        ])
  }

  @Test("A sentence of words without times is a part of the one beside it")
  func untimedSentences() {
    func cues(_ words: [String]) -> [String] {
      TranscriptBench.cues(#"{"words": [\#(words.joined(separator: ", "))]}"#)
    }
    let hello = #"{"word": "Hello.", "start": 1, "end": 2}"#
    let year = #"{"word": "2014."}"#
    let we = #"{"word": "we.", "start": 4, "end": 5}"#
    #expect(
      cues([hello, year, we])
        == ["1000-2000 Hello. 2014. {Hello.@1000-2000 2014.@}", "4000-5000 we. {we.@4000-5000}"])
    #expect(cues([year, hello]) == ["1000-2000 2014. Hello. {2014.@ Hello.@1000-2000}"])
    // One that begins with such a word begins where the one before it ends.
    let so = #"{"word": "so"}"#
    #expect(
      cues([hello, so, we])
        == ["1000-2000 Hello. {Hello.@1000-2000}", "2000-5000 so we. {so@ we.@4000-5000}"])
  }

  @Test("A name in front of a text is no word of it")
  func prefixWords() {
    let text = """
      {"segments": [{"start": 0, "end": 2, "text": "Ann Lee: Hello, you", "words": [
      {"word": "Ann", "start": 0, "end": 0.1}, {"word": "Lee:", "start": 0.1, "end": 0.2},
      {"word": "Hello,", "start": 0.2, "end": 1}, {"word": "you", "start": 1, "end": 2}]}]}
      """
    #expect(
      TranscriptBench.cues(text, speakerPrefix: true)
        == ["0-2000 Ann Lee: Hello, you {Hello,@200-1000 you@1000-2000}"])
  }

  @Test("Numbers that only Python has are skipped where nothing is read")
  func pythonNumbers() {
    let text = """
      {"duration": Infinity, "segments": [{"start": 0, "end": 1, "text": "y", "avg_logprob": NaN,
      "x": [-Infinity, {"a": NaN}], "words": [
      {"word": "y", "start": 0, "end": 1, "probability": NaN}]}]}
      """
    let (transcript, messages) = TranscriptBench.read(Array(text.utf8))
    #expect(transcript.cues.map(TranscriptBench.line) == ["0-1000 y {y@0-1000}"])
    #expect(transcript.cues.first?.words.map(\.confidence) == [nil])
    #expect(messages == [])
  }

  @Test(
    "Names of languages become tags",
    arguments: [
      ("english", "en"), ("Chinese", "zh"), ("haitian creole", "ht"), ("cantonese", "yue"),
      ("pt-BR", "pt-BR"), ("klingon", nil),
    ])
  func languageNames(name: String, tag: String?) {
    let text = #"{"language": "\#(name)", "segments": [{"start": 0, "end": 1, "text": "x"}]}"#
    #expect(TranscriptBench.read(Array(text.utf8)).transcript.language == tag)
  }

  @Test("A segment in which the speaker of the words changes is a cue for each turn")
  func turns() {
    let text = """
      {"segments": [{"start": 1, "end": 4, "text": " Hi. In 2014, hello all", "speaker": "A", "words": [
      {"word": "Hi.", "start": 1, "end": 1.6, "speaker": "A"},
      {"word": "In", "start": 2, "end": 2.2, "speaker": "B"}, {"word": "2014,"},
      {"word": "hello", "start": 3, "end": 3.2, "speaker": "B"},
      {"word": "all", "start": 3.5, "end": 3.9, "speaker": "A"}]}]}
      """
    #expect(
      TranscriptBench.cues(text) == [
        "1000-1600 A: Hi. {Hi.@1000-1600}",
        "2000-3200 B: In 2014, hello {In@2000-2200 2014,@ hello@3000-3200}",
        "3500-4000 A: all {all@3500-3900}",
      ])
  }
}
