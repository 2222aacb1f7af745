import Diagnosis
import MediaTime
import TestSupport
import Testing

@testable import Transcripts

/// Transcripts made to break their reader are read or refused, at once and in words.
@Suite struct HostileTests {
  private static let seeds = [
    "WEBVTT\n\nSTYLE\nx\n\n1\n00:01.000 --> 00:02.000 line:0\n<v Ann>a <00:01.500>b &amp;</v>\n\nNOTE\n",
    "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>a</i>\n\n2\n00:00:02,000 --> 00:00:03,000\nb\n",
    #"{"segments": [{"start": 1, "end": 2.5, "text": " a b", "words": [{"word": " a", "start": 1,"#
      + #" "end": 2, "probability": 0.5}, {"word": "b"}]}], "language": "en"}"#,
    #"{"result": {"language": "zh"}, "transcription": [{"offsets": {"from": 0, "to": 9}, "text":"#
      + #" "a", "tokens": [{"text": "[_BEG_]"}, {"text": " a", "offsets": {"from": 0, "to": 9}}]}]}"#,
    "start\tend\ttext\n0\t1000\ta\n1000\t2000\tb\n",
    "start,end,speaker,text\n0,1.5,Ann,\"a, \"\"b\"\"\"\n",
    "0.0\t1.5\tone\n\\\t2\t3\n2.25\t2.25\ttwo\n",
  ]

  private static let pieces: [[UInt8]] = [
    Array("99999999999999999999".utf8), Array("-->".utf8), Array("\n\n".utf8), [0], [0xFF], [0xC3],
    Array("<v".utf8), Array("\\ud800".utf8), Array("\"".utf8), Array("{".utf8), Array("[".utf8),
    Array("\u{FEFF}".utf8), Array("&#x110000;".utf8), Array("&#99999999999;&eacute;&".utf8),
    Array("1e308".utf8), Array("\t".utf8),
    Array("00:00:05,000 --> 00:00:06,000\n".utf8), Array("\r".utf8), Array("<00:01.200>".utf8),
  ]

  @Test("Bytes changed, cut and repeated at random end in cues or in words", arguments: 0..<7)
  func mutations(seed: Int) {
    var dice = Dice(UInt64(seed))
    for _ in 0..<300 {
      var bytes = Array(Self.seeds[seed].utf8)
      for _ in 0..<dice.number(1..<7) {
        let at = Int.random(in: 0...bytes.count, using: &dice)
        switch dice.number(0..<4) {
        case 0: bytes.insert(contentsOf: Self.pieces.randomElement(using: &dice) ?? [], at: at)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + 5))
        case 2 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &dice)
        default: bytes += bytes[at...].prefix(2000)
        }
      }
      let (transcript, messages) = TranscriptBench.read(bytes, speakerPrefix: seed % 2 == 0)
      if messages.contains(where: { $0.contains("error: ") }) { continue }
      #expect(transcript.cues.isEmpty == messages.contains { $0.contains("has no cue") })
      if transcript.cues.isEmpty { continue }
      for cue in transcript.cues {
        #expect(cue.range.start >= .zero && cue.range.duration > .zero && !cue.text.isEmpty)
        #expect(cue.words.allSatisfy { $0.range.map { $0.start >= .zero && $0.isValid } ?? true })
      }
      for format in [TranscriptFormat.vtt, .srt, .podcasting2] {
        let (read, messages) = TranscriptBench.read(
          transcript.bytes(as: format, lines: LineLayout()))
        #expect(!read.cues.isEmpty, "\(format): \(messages)")
      }
    }
  }

  @Test("A line of 10 MB, and as many mistakes as there may be, take no more than a moment")
  func large() {
    let line = String(repeating: "<v Ann>a &amp; <00:00.500>", count: 400_000)
    #expect(
      TranscriptBench.messages("WEBVTT\n\n00:00.000 --> 00:01.000\n\(line)\n") == [
        "3:1: error: more than 100,000 cues; part the transcript"
      ])
    let deep = String(repeating: "<i>", count: 100_000) + "x"
    #expect(
      TranscriptBench.cues("WEBVTT\n\n00:00.000 --> 00:01.000\n\(deep)\n") == ["0-1000 x"])
    let wrong = String(repeating: "1\n00:00:02,000 --> 00:00:61,000\nx\n\n", count: 100_000)
    #expect(TranscriptBench.messages(wrong).count == 200)
  }

  @Test("Cues that all begin at one time, and lie within each other, are read and searched")
  func nested() {
    let rows = (0..<50_000).map { "0\t\($0 + 1)\tx\n" }.joined()
    let transcript = TranscriptBench.read(Array(("start\tend\ttext\n" + rows).utf8)).transcript
    #expect(transcript.cues.count == 50_000)
    #expect(transcript.cues(in: .milliseconds(49_999..<50_000)).count == 1)
  }

  @Test("A cue of more voices than a transcript may have is refused before all are made")
  func voices() {
    let tag = "<c." + String(repeating: "x", count: 250) + ">"
    let markup = String(repeating: tag, count: 16) + String(repeating: "<v a>b", count: 300_000)
    let voices = VoiceSplitter.voices(of: markup, from: .zero, to: Time(value: 1, timescale: 1))
    #expect(voices.count == CueCollector.cueLimit + 1)
    // Open tags are repeated for a while, and not in each of them.
    #expect(voices.reduce(0) { $0 + ($1.markup?.utf8.count ?? 0) } < 8 << 20)
    #expect(voices[1].markup?.hasPrefix(tag) == true)
    let text = "WEBVTT\n\n00:00.000 --> 00:01.000\n" + markup
    #expect(TranscriptBench.messages(text).first?.contains("more than 100,000 cues") == true)
  }

  @Test(
    "Texts of more turns than a transcript may have cues are refused, and no fewer")
  func turns() {
    func lines(_ line: String, _ count: Int) -> String {
      Array(repeating: line, count: count).joined(separator: "\n")
    }
    func text(_ first: String, _ second: String) -> String {
      "1\n00:00:01,000 --> 00:00:02,000\n\(first)\n\n"
        + "2\n00:00:02,000 --> 00:00:03,000\n\(second)\n"
    }
    // Names exceed the limit in the second cue, and dashes in the first one.
    for (line, more, second, place) in [
      ("Ann: a", 0, "Ann: a\nAnn: a", "100005:1"), ("- Ann: a", 1, "a", "2:1"),
    ] {
      #expect(
        TranscriptBench.messages(text(lines(line, 100_000 + more), second), speakerPrefix: true)
          == [
            "\(place): error: more than 100,000 cues; part the transcript"
          ], "\(line)")
      let most = Cue(lines(line, 100_000), 0..<9)
      #expect(Transcript([most]).withSpeakersOfTexts?.cues.count == 100_000)
      #expect(Transcript([most, Cue("a", 9..<10)]).withSpeakersOfTexts == nil)
    }
    // A dash alone is no turn.
    #expect(
      TranscriptBench.cues(text(lines("-", 100_001), "- a"), speakerPrefix: true) == [
        "2000-3000 a"
      ])
  }
}
