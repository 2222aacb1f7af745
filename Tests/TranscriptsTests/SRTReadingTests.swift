import Testing

@testable import Transcripts

/// SRT is read as it is found: there is no standard.
@Suite struct SRTReadingTests {
  @Test("An arrow below a number without times around it is refused, and is no text")
  func oddTimes() {
    let refusal =
      "error: there are no times around the arrow; write '00:00:01,000 --> 00:00:02,500'"
    #expect(
      TranscriptBench.messages("1\nNaN --> 00:00:02,000\na\n") == ["2:1: \(refusal)"])
    let cue = "1\n00:00:01,000 --> 00:00:02,000\na --> b\n\n"
    #expect(TranscriptBench.messages(cue + "2\nend --> start\nc\n") == ["6:1: \(refusal)"])
    #expect(TranscriptBench.messages(cue) == [])
  }

  @Test(
    "Empty lines in a text and lines of digits are text, and numbers may be missing or repeated")
  func numbers() {
    let text = """
      1
      00:00:01,000 --> 00:00:02,000
      first

      second

      1
      00:00:03,000 --> 00:00:04,000
      2020

      0:0:5.000 --> 0:0:6.000
      no number

      8
      00:00:07,000 --> 00:00:08,000
      1999

      2001

      """
    #expect(
      TranscriptBench.cues(text) == [
        "1000-2000 first/second", "3000-4000 2020", "5000-6000 no number", "7000-8000 1999/2001",
      ])
    #expect(TranscriptBench.messages(text) == [])
  }

  @Test("Numbers that count on begin a cue without an empty line above them")
  func tight() {
    let text = """
      1
      00:00:01,000 --> 00:00:02,000
      one
      2
      00:00:02,000 --> 00:00:03,000
      7
      00:00:03,000 --> 00:00:04,000
      three
      """
    #expect(
      TranscriptBench.cues(text) == ["1000-2000 one", "2000-3000 7", "3000-4000 three"])
  }

  @Test("A number without a text or without times is an empty cue, and no text of the one before")
  func emptyBlocks() {
    let text = """
      1
      00:00:01,000 --> 00:00:02,000
      one

      2

      3

      4
      00:00:03,000 --> 00:00:04,000
      5
      00:00:05,000 --> 00:00:06,000
      five

      9

      6

      """
    #expect(TranscriptBench.cues(text) == ["1000-2000 one", "5000-6000 five/9"])
    #expect(TranscriptBench.messages(text) == ["5:1: note: 4 cues without a text are left out"])
  }

  @Test("Tags and places go, and what only looks like a tag stays")
  func markup() {
    let text = """
      1
      00:00:01,000 --> 00:00:02,000 X1:1 X2:2
      {\\an8}<i>Hi</i> <font color="red">you</font> <3 <b a > b {x}
      """
    #expect(TranscriptBench.cues(text) == ["1000-2000 Hi you <3  b {x}"])
    #expect(
      TranscriptBench.messages(text) == ["2:31: note: 7 tags and places of SRT are left out"])
  }

  @Test(
    "Fewer than three decimals are refused: readers differ over them",
    arguments: [
      (
        "0:0:5,5 --> 0:0:6,000", "'0:0:5,5' has 1 decimal and not three"
      ),
      (
        "00:00:05 --> 00:00:06,000", "'00:00:05' has no decimals and not three"
      ),
    ])
  func decimals(line: String, fault: String) {
    #expect(
      TranscriptBench.messages("1\n\(line)\nx\n") == [
        "2:1: error: \(fault); readers differ over such times: write three, as in 00:01:02,500"
      ])
  }

  @Test("A name in front is the speaker only if that is asked for, until another name")
  func prefixes() {
    let text = """
      1
      00:00:01,000 --> 00:00:02,000
      Ann: Hello

      2
      00:00:02,000 --> 00:00:03,000
      again

      3
      00:00:03,000 --> 00:00:04,000
      Ben: At 10:30
      """
    #expect(
      TranscriptBench.cues(text) == [
        "1000-2000 Ann: Hello", "2000-3000 again", "3000-4000 Ben: At 10:30",
      ])
    let (transcript, _) = TranscriptBench.read(Array(text.utf8), speakerPrefix: true)
    #expect(transcript.cues.map(\.speaker) == ["Ann", "Ann", "Ben"])
    #expect(transcript.cues.map(\.text) == ["Hello", "again", "At 10:30"])
  }

  @Test("A cue has the number that is written, or else its place")
  func writtenNumbers() {
    let text = """
      7
      00:00:05,000 --> 00:00:06,000
      late

      00:00:00,000 --> 00:00:01,000

      00:00:01,000 --> 00:00:02,000
      third

      12
      00:00:02,000 --> 00:00:03,000
      twelve
      """
    let cues = TranscriptBench.read(Array(text.utf8)).transcript.cues
    #expect(cues.map(\.number) == [3, 12, 7])
    #expect(cues.map(\.text) == ["third", "twelve", "late"])
  }

  @Test(
    "Lines with a dash are turns where names stand in front, and one without a name is nobody's")
  func dashes() {
    let text = """
      1
      00:00:01,000 --> 00:00:02,000
      - Ann: x
      and y
      -Ben: z

      2
      00:00:02,000 --> 00:00:03,000
      -5 degrees
      -

      3
      00:00:03,000 --> 00:00:04,000
      – Who?
      """
    #expect(
      TranscriptBench.cues(text, speakerPrefix: true) == [
        "1000-2000 Ann: x/and y", "1000-2000 Ben: z", "2000-3000 Ben: -5 degrees",
        "3000-4000 Who?",
      ])
    #expect(TranscriptBench.cues(text).first == "1000-2000 - Ann: x/and y/-Ben: z")
    #expect(
      TranscriptBench.cues("00:00:01,000 --> 00:00:02,000\n-\nmore\n", speakerPrefix: true)
        == ["1000-2000 more"])
  }

  @Test("A later line begins a turn where its name stands in front of a text of the file, too")
  func names() {
    func text(_ last: String) -> String {
      "00:00:01,000 --> 00:00:02,000\nAnn: Hi\nBen: Hello\nNote: twice\n\n"
        + "00:00:02,000 --> 00:00:03,000\nagain\n\n00:00:03,000 --> 00:00:04,000\n\(last)\n"
    }
    #expect(
      TranscriptBench.cues(text("Ben: Bye"), speakerPrefix: true) == [
        "1000-2000 Ann: Hi", "1000-2000 Ben: Hello/Note: twice", "2000-3000 Ben: again",
        "3000-4000 Ben: Bye",
      ])
    // Nobody else is called so: it is text.
    #expect(
      TranscriptBench.cues(text("Bye"), speakerPrefix: true) == [
        "1000-2000 Ann: Hi/Ben: Hello/Note: twice", "2000-3000 Ann: again", "3000-4000 Ann: Bye",
      ])
    // A name may have a line of its own.
    #expect(
      TranscriptBench.cues(
        "00:00:01,000 --> 00:00:02,000\nAnn:\nHi\nBen:\nHello\n\n"
          + "00:00:02,000 --> 00:00:03,000\nBen:\nAnn: is here\n", speakerPrefix: true)
        == ["1000-2000 Ann: Hi", "1000-2000 Ben: Hello", "2000-3000 Ben: Ann: is here"])
  }
}
