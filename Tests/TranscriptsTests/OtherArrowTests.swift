import TestSupport
import Testing

@testable import Transcripts

/// Lines of times that no reader takes for such.
@Suite struct OtherArrowTests {
  private static let arrows = [
    "->", " -> ", " –> ", " → ", " => ", " ---> ", " -- > ", " — > ", " ⟶ ", " --&gt; ",
    "\u{A0}›\t",
  ]

  @Test(
    "Two times around another arrow are refused where a cue of SRT may begin", arguments: arrows)
  func srt(arrow: String) {
    let refusal =
      "error: the arrow between the times is not '-->'; write '00:00:01,000 --> 00:00:02,500'"
    let cue = "1\n00:00:01,000 --> 00:00:02,000\na\n\n"
    let wrong = "00:00:03,000\(arrow)00:00:04,000\nb\n"
    #expect(TranscriptBench.messages(cue + "2\n" + wrong) == ["6:1: \(refusal)"])
    #expect(TranscriptBench.messages(cue + wrong) == ["5:1: \(refusal)"])
    #expect(TranscriptBench.messages("1\n" + wrong) == ["2:1: \(refusal)"])
    #expect(TranscriptBench.messages(wrong) == ["1:1: \(refusal)"])
    #expect(
      TranscriptBench.messages("1\n00:00:03\(arrow)00:00:04\nb\n") == ["2:1: \(refusal)"])
  }

  @Test("So they are in WebVTT, with and without a name above them", arguments: arrows)
  func vtt(arrow: String) {
    let refusal =
      "error: the arrow between the times is not '-->'; write '00:01.000 --> 00:02.500'"
    let cue = "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\n"
    let wrong = "00:03.000\(arrow)00:04.000 line:0\nb\n"
    #expect(TranscriptBench.messages(cue + wrong) == ["6:1: \(refusal)"])
    #expect(TranscriptBench.messages(cue + "two\n" + wrong) == ["7:1: \(refusal)"])
  }

  @Test(
    "Within a text, and without decimals below an empty line, they are text",
    arguments: [
      "00:00:03,000 → 00:00:04,000", "10:30 → 11:45", "\n10:30 -> 11:45", "\n10:30.5 - 11:45.5",
      "\n00:00:03,000 to 00:00:04,000", "\nfrom 00:00:03,000 -> 00:00:04,000",
    ])
  func texts(text: String) {
    let (transcript, messages) = TranscriptBench.read(
      Array("1\n00:00:01,000 --> 00:00:02,000\n\(text)\n".utf8))
    #expect(transcript.cues.map(\.text) == [text.tidiedLines])
    #expect(messages == [])
  }

  @Test("A text that has a line of times is read back from SRT")
  func defused() {
    let cue = Cue("a\n00:00:03,000 --> 00:00:04,000\n00:05.000-->00:06.000", 0..<1000)
    let (read, messages) = TranscriptBench.read(Transcript([cue]).bytes(as: .srt))
    #expect(read.cues.map(\.text) == [cue.text.replacing("-->", with: "→")])
    #expect(messages == [])
  }

  @Test(
    "A byte-order mark in front of a line, as of files that were put together, is no part of it")
  func marks() {
    let first = "\u{FEFF}1\n00:00:01,000 --> 00:00:02,000\none\n\n"
    let second = "\u{FEFF}\u{FEFF}1\r\n00:00:03,000 --> 00:00:04,000\r\ntwo\r\n\u{FEFF}more\u{FEFF}"
    #expect(
      TranscriptBench.cues(first + second) == ["1000-2000 one", "3000-4000 two/more\u{FEFF}"])
    #expect(TranscriptBench.messages(first + second) == [])
    #expect(
      TranscriptBench.cues("WEBVTT\n\n\u{FEFF}00:01.000 --> 00:02.000\none\n\u{FEFF}two\n")
        == ["1000-2000 one/two"])
    #expect(TranscriptBench.cues("start\tend\ttext\n\u{FEFF}1\t2\tone\n\u{FEFF}") == ["1-2 one"])
  }
}
