import MediaTime
import Testing

@testable import Transcripts

/// What is written, literally.
@Suite struct WritingTests {
  private func text(_ transcript: Transcript, _ format: TranscriptFormat) -> String {
    String(decoding: transcript.bytes(as: format), as: UTF8.self)
  }

  private let talk: Transcript = {
    var first = Cue("Good\n\nmorning & <all> -->", 0..<1500, speaker: "Ann <b>--")
    (first.identifier, first.settings) = ("intro", "line:0")
    var second = Cue("Hi there", 1500..<3_661_001, speaker: "Ann <b>--")
    (second.identifier, second.markup) = ("intro", "<i>Hi</i> there")
    return Transcript(
      [first, second, Cue("  ", 0..<1), Cue("A bell", 4_000_000..<4_000_000)], language: "en-GB")
  }()

  @Test("WebVTT has hours, names, settings, references, and a voice on every cue")
  func vtt() {
    #expect(
      text(talk, .vtt) == """
        WEBVTT
        Language: en-GB

        intro
        00:00:00.000 --> 00:00:01.500 line:0
        <v Ann &lt;b&gt;-&#45;>Good
        morning &amp; &lt;all&gt; --&gt;

        00:00:01.500 --> 01:01:01.001
        <v Ann &lt;b&gt;-&#45;><i>Hi</i> there

        01:06:40.000 --> 01:06:40.001
        A bell

        """)
  }

  @Test("SRT has a name where the speaker changes, and a dash where that is nobody known")
  func srt() {
    #expect(
      text(talk, .srt) == """
        1
        00:00:00,000 --> 00:00:01,500
        Ann <b>--: Good
        morning & <all> -->

        2
        00:00:01,500 --> 01:01:01,001
        Hi there

        3
        01:06:40,000 --> 01:06:40,001
        - A bell

        """)
  }

  @Test("The JSON of podcasts has seconds, and an empty name behind a named speaker")
  func podcasting() {
    #expect(
      text(talk, .podcasting2) == #"""
        {
          "version": "1.0.0",
          "segments": [
            { "speaker": "Ann <b>--", "startTime": 0, "endTime": 1.5, \#
        "body": "Good\nmorning & <all> -->" },
            { "speaker": "Ann <b>--", "startTime": 1.5, "endTime": 3661.001, "body": "Hi there" },
            { "speaker": "", "startTime": 4000, "endTime": 4000.001, "body": "A bell" }
          ]
        }

        """#)
  }

  @Test("The JSON of podcasts by words is that of the specification's example")
  func podcastWords() {
    func word(_ text: String, _ range: Range<Int64>?) -> Word {
      Word(text, in: range.map { .milliseconds($0) })
    }
    let vader = Cue(
      "\"I am\" your father.", 400..<2600, speaker: "Darth Vader",
      words: [
        word("I", 500..<750), word("am", nil), word("your", 1500..<2000),
        word("father.", 2250..<2500),
      ])
    let luke = Cue("Nooooo …", 2750..<3500, speaker: "Luke", words: [word("Nooooo", 2750..<3000)])
    let both = [
      Cue("At once", 5000..<6000, speaker: "A", words: [word("At", 5000..<5100)]),
      Cue("here", 5500..<6500, speaker: "B", words: [word("here", 5500..<6500)]),
    ]
    let text = String(
      decoding: Transcript([vader, luke] + both).bytes(as: .podcasting2, wordSegments: true),
      as: UTF8.self)
    #expect(
      text == #"""
        {
          "version": "1.0.0",
          "segments": [
            { "speaker": "Darth Vader", "startTime": 0.5, "endTime": 1.5, "body": "\"I am\"" },
            { "speaker": "Darth Vader", "startTime": 1.5, "endTime": 2, "body": "your" },
            { "speaker": "Darth Vader", "startTime": 2.25, "endTime": 2.5, "body": "father.\n" },
            { "speaker": "Luke", "startTime": 2.75, "endTime": 3, "body": "Nooooo …\n" },
            { "speaker": "A", "startTime": 5, "endTime": 6, "body": "At once\n" },
            { "speaker": "B", "startTime": 5.5, "endTime": 6.5, "body": "here" }
          ]
        }

        """#)
  }

  @Test("Lines are broken in captions alone")
  func layout() {
    let talk = Transcript([Cue("One two three four", 0..<4000)])
    for format in TranscriptFormat.allCases {
      let isBroken =
        talk.bytes(as: format, lines: LineLayout(width: 8, lines: 1)) != talk.bytes(as: format)
      #expect(isBroken == [.vtt, .srt].contains(format))
    }
  }

  @Test("Plain text is a paragraph a speaker, and nothing where nothing is said")
  func txt() {
    #expect(
      text(talk, .txt) == """
        Ann <b>--: Good morning & <all> --> Hi there

        A bell

        """)
    var end = Cue("One", 0..<1, speaker: "Ann")
    end.endsParagraph = true
    let two = [end, Cue("two", 1..<2, speaker: "Ann"), Cue("three", 2..<3, speaker: "Ann")]
    #expect(text(Transcript(two), .txt) == "Ann: One\n\ntwo three\n")
    #expect(text(Transcript(), .txt) == "")
    let japanese = [Cue("今日は\nいい天気", 0..<1000), Cue("ですね。", 1000..<2000)]
    #expect(text(Transcript(japanese), .txt) == "今日はいい天気ですね。\n")
    #expect(text(Transcript(), .vtt) == "WEBVTT\n")
    #expect(text(Transcript(), .srt) == "")
  }

  @Test("Times are rounded to the millisecond, once, so that touching cues touch")
  func rounding() {
    let sevenths = (0...3).map { Time(value: $0, timescale: 7) }
    let cues = zip(sevenths, sevenths.dropFirst())
      .map { Cue("x", in: TimeRange(start: $0, end: $1)) }
    let half = Cue(
      "y",
      in: TimeRange(
        start: Time(value: 1, timescale: 2000) + Time(value: 1, timescale: 1),
        duration: Time(value: 1, timescale: 1_000_000)))
    #expect(
      text(Transcript(cues + [half]), .vtt).split(separator: "\n").filter { $0.contains("-->") }
        == [
          "00:00:00.000 --> 00:00:00.143", "00:00:00.143 --> 00:00:00.286",
          "00:00:00.286 --> 00:00:00.429", "00:00:01.001 --> 00:00:01.002",
        ])
  }

  @Test("Markup of a text that was changed is not written: what was taken out stays out")
  func staleMarkup() {
    var cue = Cue("My name is …", 0..<1000)
    cue.markup = "My name is <b>Jane Doe</b>"
    #expect(text(Transcript([cue]), .vtt).hasSuffix("\nMy name is …\n"))
  }

  @Test("Moments of words are those that the words have now")
  func moments() {
    var cue = Cue(
      "a b c", 10_000..<12_000,
      words: [
        Word("a", in: .milliseconds(10_000..<10_500)),
        Word("b", in: .milliseconds(10_500..<11_000)),
        Word("c", in: .milliseconds(11_000..<12_000)),
      ])
    cue.markup = "a <00:00:00.500>b <00:00:01.000><i>c"
    #expect(
      text(Transcript([cue]), .vtt).hasSuffix("\na <00:00:10.500>b <00:00:11.000><i>c</i>\n"))
    cue.words.removeLast()
    #expect(text(Transcript([cue]), .vtt).hasSuffix("\na b <i>c</i>\n"))
  }

  @Test("Names and settings that would be an arrow or a line are left out")
  func hostileFields() {
    var cue = Cue("x", 0..<1000)
    (cue.identifier, cue.settings) = ("a --> b", "line:0\n\nx")
    cue.markup = "<c.-->x</c>"
    let written = text(Transcript([cue], language: "not a language"), .vtt)
    #expect(
      written == """
        WEBVTT

        00:00:00.000 --> 00:00:01.000
        <c>x</c>

        """)
  }

  @Test("A text that would begin a cue of SRT has another arrow there, and nowhere else")
  func defused() {
    let cue = Cue("00:00:01,000 --> 00:00:02,000\na --> b", 0..<1000)
    #expect(
      text(Transcript([cue]), .srt)
        == "1\n00:00:00,000 --> 00:00:01,000\n00:00:01,000 → 00:00:02,000\na --> b\n")
  }

  @Test("Formats have the names and types that feeds have")
  func formats() {
    #expect(
      TranscriptFormat.allCases.map {
        "\($0.rawValue) .\($0.fileExtension) \($0.mediaType) \($0.name)"
      }
        == [
          "vtt .vtt text/vtt WebVTT", "srt .srt application/x-subrip SRT",
          "podcasting2 .transcript.json application/json JSON of Podcasting 2.0",
          "txt .txt text/plain plain text",
          "labels .transcript.labels.txt text/plain labels of words",
        ])
  }

  @Test("Labels have one line a cue, exact times, and the speaker in front, and are read back")
  func labels() {
    var cues = [Cue("Hello\nthere\tall", 0..<1500), Cue("Bye", 1500..<2000)]
    cues[0].speaker = "Ann"
    cues[1].range = TimeRange(
      start: Time(value: 72_001, timescale: 48_000), end: Time(value: 96_000, timescale: 48_000))
    #expect(
      text(Transcript(cues), .labels)
        == "0.000000\t1.500000\tAnn: Hello there all\n1.500021\t2.000000\t- Bye\n")
  }
}
