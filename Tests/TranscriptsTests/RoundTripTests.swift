import MediaTime
import TestSupport
import Testing

@testable import Transcripts

/// What is written is read as what it was.
@Suite struct RoundTripTests {
  /// A transcript of many odd texts; each end and start is a whole millisecond.
  private func transcript(_ dice: inout Dice) -> Transcript {
    let pieces = [
      "Hello", "2020", "a & b", "1 < 2 > 0", "-->", "--", "Ärger", "你好", "e\u{301}", "\u{202E}x",
      "…", "&amp;", "NOTE", "STYLE", "WEBVTT", "\"quoted\"", "back\\slash", "tab\tbed", "Ann: hm",
    ]
    let speakers = ["Ann", "Ben & Co", "Zoë <the> second--"]
    var start: Int64 = 0
    return Transcript(
      (0..<dice.number(1..<20)).map { _ in
        start += dice.number(0..<3000)
        let words = (0..<dice.number(1..<6)).map { _ in
          (pieces.randomElement(using: &dice) ?? "") + (dice.number(0..<4) == 0 ? "\n" : " ")
        }
        return Cue(
          words.joined().tidiedLines, start..<start + dice.number(1..<5000),
          speaker: dice.number(0..<3) == 0 ? nil : speakers.randomElement(using: &dice))
      })
  }

  @Test("WebVTT, with names, settings, markup and words")
  func vtt() {
    var dice = Dice(43)
    for _ in 0..<200 {
      let plain = transcript(&dice)
      let cues = plain.cues.enumerated().map { index, cue in
        var cue = cue
        if dice.number(0..<3) == 0 { cue.identifier = "cue \(index)" }
        if dice.number(0..<3) == 0 { cue.settings = "line:\(index) align:start" }
        if dice.number(0..<3) == 0 {
          cue.markup = "<i>" + CharacterReference.escaped(cue.text) + "</i>"
        } else if dice.number(0..<3) == 0, cue.range.duration > Time(value: 1, timescale: 100) {
          cue = Self.timed(cue)
        }
        return cue
      }
      let transcript = Transcript(cues, language: "de")
      let (read, messages) = TranscriptBench.read(transcript.bytes(as: .vtt))
      #expect(read.unnumbered == transcript)
      #expect(messages == [])
    }
  }

  /// The cue with a moment before its second line or word.
  private static func timed(_ cue: Cue) -> Cue {
    guard let space = cue.text.firstIndex(where: \.isWhitespace) else { return cue }
    var cue = cue
    let middle = cue.range.start + Time(value: 5, timescale: 1000)
    let (first, rest) = (String(cue.text[..<space]), String(cue.text[space...]))
    cue.words = [
      Word(first, in: TimeRange(start: cue.range.start, end: middle)),
      Word(rest.tidiedLines, in: TimeRange(start: middle, end: cue.range.end)),
    ]
    let moment = CaptionTime.text(
      milliseconds: CaptionTime.milliseconds(middle), mark: UInt8(ascii: "."))
    let blank = rest.prefix(1)
    cue.markup =
      CharacterReference.escaped(first) + blank + "<\(moment)>"
      + CharacterReference.escaped(String(rest.dropFirst()))
    return cue
  }

  @Test("The JSON of podcasts")
  func podcasting() {
    var dice = Dice(44)
    for _ in 0..<200 {
      let transcript = transcript(&dice)
      let (read, messages) = TranscriptBench.read(transcript.bytes(as: .podcasting2))
      // Where each cue is one word, each ends a paragraph.
      let cues = read.unnumbered.cues.map { cue in
        var cue = cue.withoutWords
        cue.endsParagraph = false
        return cue
      }
      #expect(cues == transcript.cues)
      #expect(messages == [])
    }
  }

  @Test("The JSON of podcasts, where each cue is one word or each paragraph is kept")
  func podcastWords() {
    var dice = Dice(46)
    for _ in 0..<200 {
      let cues = transcript(&dice).cues.map { cue in
        var cue = cue
        cue.text = String(cue.text.split(whereSeparator: \.isWhitespace)[0])
        cue.endsParagraph = true
        return cue
      }
      let transcript = Transcript(cues)
      let (read, messages) = TranscriptBench.read(transcript.bytes(as: .podcasting2))
      #expect(read.unnumbered.cues.map(\.withoutWords) == transcript.cues)
      #expect(messages == [])
    }
  }

  @Test("The JSON of podcasts by words: each word at its time, by its speaker, in its paragraph")
  func podcastsByWords() {
    var dice = Dice(47)
    for _ in 0..<200 {
      var start: Int64 = 0
      let cues = (0..<dice.number(1..<12)).map { number in
        var cue = Cue("", 0..<1, speaker: dice.number(0..<4) == 0 ? nil : "S\(dice.number(0..<3))")
        let first = start
        for word in 0..<dice.number(1..<6) {
          let end = start + dice.number(1..<700)
          let text = "w\(number)-\(word)" + ["", ",", ".", "\""][Int(dice.number(0..<4))]
          cue.words.append(Word(text, in: .milliseconds(start..<end)))
          start = end + dice.number(0..<400)
        }
        cue.text = cue.words.map(\.text).joined(separator: " ")
        cue.range = .milliseconds(first..<start)
        cue.endsParagraph = dice.number(0..<3) == 0
        return cue
      }
      let transcript = Transcript(cues)
      let (read, messages) = TranscriptBench.read(
        transcript.bytes(as: .podcasting2, wordSegments: true))
      func words(_ cues: [Cue]) -> [String] {
        cues.flatMap { cue in
          cue.words.map { word in
            "\(cue.speaker ?? "-") \(word.text) \(word.range.map { "\($0)" } ?? "")"
          }
        }
      }
      #expect(words(read.cues) == words(cues))
      #expect(messages == [])
      let ends = cues.indices.dropLast().count {
        cues[$0].endsParagraph || cues[$0 + 1].speaker != cues[$0].speaker
      }
      #expect(read.cues.dropLast().count(where: \.endsParagraph) == ends)
    }
  }

  @Test("SRT, without speakers")
  func srt() {
    var dice = Dice(45)
    for _ in 0..<200 {
      let transcript = Transcript(
        transcript(&dice).cues.map { Cue($0.text, in: $0.range) })
      let (read, messages) = TranscriptBench.read(transcript.bytes(as: .srt))
      #expect(read.unnumbered == transcript)
      #expect(messages == [])
    }
  }

  @Test("SRT, with the names that it is told to read")
  func srtSpeakers() {
    let transcript = Transcript([
      Cue("Hello", 0..<1000, speaker: "Ann"), Cue("again", 1000..<2000, speaker: "Ann"),
      Cue("Hi", 2000..<3000, speaker: "Ben"), Cue("Who?", 3000..<4000), Cue("Me", 4000..<5000),
      Cue("Oh", 5000..<6000, speaker: "Ben"), Cue("So: yes", 6000..<7000, speaker: "Ben"),
      Cue("Both", 7000..<8000, speaker: "Ann"), Cue("at once", 7000..<9000, speaker: "Ben"),
    ])
    let read = TranscriptBench.read(transcript.bytes(as: .srt), speakerPrefix: true).transcript
    #expect(read.unnumbered == transcript)
  }

  @Test("What was read and written is written the same when it is read again")
  func again() throws {
    let text = """
      WEBVTT

      1
      00:01.000 --> 00:02.000 position:10%
      <v.x Ann>One <c.y>two</c> <lang en>three <00:01.200>four</lang></v> <v Ben>five

      00:00.500 --> 00:01.000
      &lrm;six &gt;
      """
    let first = TranscriptBench.read(Array(text.utf8)).transcript
    let written = first.bytes(as: .vtt)
    let second = TranscriptBench.read(written).transcript
    #expect(second.unnumbered == first.unnumbered)
    #expect(second.bytes(as: .vtt) == written)
  }
}

extension Transcript {
  /// The same without the numbers that cues had in a file.
  fileprivate var unnumbered: Transcript {
    let cues = cues.map { cue in
      var cue = cue
      cue.number = nil
      return cue
    }
    return Transcript(cues, language: language)
  }
}

extension Cue {
  fileprivate var withoutWords: Cue {
    var cue = self
    cue.words = []
    return cue
  }
}
