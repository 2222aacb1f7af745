import MediaTime
import Testing

@testable import Transcripts

/// WebVTT is read as its section 6.1 reads it, and what it leaves out is reported.
@Suite struct VTTReadingTests {
  @Test("Names, settings, the language, and times with and without hours are read")
  func plain() {
    let text = """
      WEBVTT - made by hand
      Kind: captions
      Language: en-GB

      intro
      00:01.000 --> 00:02.500 line:0  align:start
      Hello
      world &amp; &lt;all&gt;&nbsp;

      1:00:00.000-->1:00:01.000
      Late

      """
    let (transcript, messages) = TranscriptBench.read(Array(text.utf8))
    #expect(messages == [])
    #expect(
      transcript.cues.map(TranscriptBench.line) == [
        "1000-2500 Hello/world & <all>", "3600000-3601000 Late",
      ])
    #expect(transcript.cues[0].identifier == "intro")
    #expect(transcript.cues[0].settings == "line:0 align:start")
    #expect(transcript.cues[0].markup == nil)
    #expect(transcript.language == "en-GB")
  }

  @Test("Blocks of style, regions and comments are left out, with a note of how many")
  func blocks() {
    let text = """
      WEBVTT

      STYLE
      ::cue { color: red }

      REGION
      id:a

      NOTE one
      line

      NOTE

      00:00.000 --> 00:01.000 region:a line:1
      Hi

      NOTE last
      """
    let (transcript, messages) = TranscriptBench.read(Array(text.utf8))
    #expect(transcript.cues.map(TranscriptBench.line) == ["0-1000 Hi"])
    #expect(transcript.cues.map(\.settings) == ["line:1"])
    #expect(
      messages == [
        "3:1: note: 1 STYLE block is left out",
        "6:1: note: 2 REGION blocks, and settings that name them, are left out",
        "9:1: note: 3 NOTE blocks are left out",
      ])
  }

  @Test("An arrow in a text is kept, and a line of times in a text begins a cue")
  func arrows() {
    let text = """
      WEBVTT

      00:00.000 --> 00:01.000
      a --> b
      00:01.000 --> 00:02.000
      next
      """
    #expect(TranscriptBench.cues(text) == ["0-1000 a --> b", "1000-2000 next"])
    #expect(
      TranscriptBench.messages(text) == [
        "4:1: warning: 1 line of text has '-->', where other readers end the cue; write '--&gt;'"
      ])
  }

  @Test("A block that begins with an arrow and has no times is refused")
  func arrowAlone() {
    #expect(
      TranscriptBench.messages("WEBVTT\n\nx --> y\nHi\n") == [
        "3:1: error: there are no times around the arrow; write '00:01.000 --> 00:02.500', "
          + "or '--&gt;' within a text"
      ])
  }

  @Test("Two voices in one cue are two cues at one time")
  func voices() {
    let text = """
      WEBVTT

      both
      00:00.000 --> 00:01.000
      <v Ann><i>Hello</v> <v.loud.high Ben &amp; Co>Hi</i>
      there</v>
      """
    let cues = TranscriptBench.read(Array(text.utf8)).transcript.cues
    #expect(
      cues.map(TranscriptBench.line) == ["0-1000 Ann: Hello", "0-1000 Ben & Co: Hi/there"])
    #expect(cues.map(\.identifier) == ["both", nil])
    #expect(cues.map(\.markup) == ["<i>Hello</i>", "<i>Hi</i>\nthere"])
  }

  @Test("A dash before a voice is no text of anybody")
  func voicesWithDashes() {
    let text = "WEBVTT\n\n00:00.000 --> 00:01.000\n- <v Ann>A - a</v>\n– <v Ben>B\n-\n"
    #expect(TranscriptBench.cues(text) == ["0-1000 Ann: A - a", "0-1000 Ben: B/-"])
  }

  @Test("'<' that begins no tag is text, with a warning that browsers read it otherwise")
  func bareAngles() {
    let text = """
      WEBVTT

      00:00.000 --> 00:01.000
      if a < b <i>then</i> <00:00.500>I <3 you <> <

      00:01.000 --> 00:02.000
      1 <= 2
      """
    #expect(
      TranscriptBench.cues(text) == [
        "0-1000 if a < b then I <3 you <> < {if a < b then@0-500 I <3 you <> <@500-1000}",
        "1000-2000 1 <= 2",
      ])
    #expect(
      TranscriptBench.messages(text) == [
        "4:1: warning: 2 texts have '<' before no tag, or before one without '>', from where "
          + "browsers leave them out; write '&lt;' if it is text"
      ])
  }

  @Test("A tag that is never closed is text, and one that WebVTT does not have is missed")
  func openTags() {
    let text = """
      WEBVTT

      00:00.000 --> 00:01.000
      so <v Ann said

      00:01.000 --> 00:02.000
      she <laughs> left</laughs>, <b>he
      """
    #expect(
      TranscriptBench.cues(text) == ["0-1000 so <v Ann said", "1000-2000 she  left, he"])
    #expect(
      TranscriptBench.messages(text) == [
        "4:1: warning: 1 text has '<' before no tag, or before one without '>', from where browsers "
          + "leave it out; write '&lt;' if it is text",
        "7:1: note: 1 text has a tag that is none of WebVTT's, which is left out; write '&lt;' if it "
          + "is text",
      ])
  }

  @Test("Moments in a text are the times of its words")
  func moments() {
    let text = """
      WEBVTT

      00:00.000 --> 00:02.000
      <v Ann>Good <00:00.500>morning <00:01.200><c.x>all</c>
      """
    let cues = TranscriptBench.read(Array(text.utf8)).transcript.cues
    #expect(
      cues.map(TranscriptBench.line) == [
        "0-2000 Ann: Good morning all {Good@0-500 morning@500-1200 all@1200-2000}"
      ])
    #expect(
      cues.map(\.markup) == ["Good <00:00:00.500>morning <00:00:01.200><c.x>all</c>"])
  }

  @Test("Tags that WebVTT does not have go, with a note, and those that are never closed are text")
  func oddTags() {
    let text = """
      WEBVTT

      00:00.000 --> 00:01.000
      <font color=red>red</font> <b>bold &#x41;&#66; &unknown;

      00:01.000 --> 00:02.000
      said <v Ann
      """
    let (transcript, messages) = TranscriptBench.read(Array(text.utf8))
    #expect(
      transcript.cues.map(TranscriptBench.line) == [
        "0-1000 red bold AB &unknown;", "1000-2000 said <v Ann",
      ])
    #expect(transcript.cues[0].markup == "red <b>bold AB &amp;unknown;</b>")
    #expect(
      messages == [
        "4:1: note: 1 character reference is unknown and kept as it is",
        "7:1: warning: 1 text has '<' before no tag, or before one without '>', from where browsers "
          + "leave it out; write '&lt;' if it is text",
        "4:1: note: 1 text has a tag that is none of WebVTT's, which is left out; write '&lt;' if it "
          + "is text",
      ])
  }

  @Test("Times with a comma or too few digits are read, with a warning that browsers do not")
  func looseTimes() {
    let text = "WEBVTT\n\n00:00,000 --> 00:01,000\na\n\n0:1.000 --> 0:2.000\nb\n"
    #expect(TranscriptBench.cues(text) == ["0-1000 a", "1000-2000 b"])
    #expect(
      TranscriptBench.messages(text) == [
        "3:1: warning: 2 lines of times are not as WebVTT has them; browsers leave their cues out; "
          + "write 00:01:02.500, with a dot"
      ])
  }

  @Test(
    "Times that cannot be meant are refused, with the line",
    arguments: [
      (
        "00:00.000 --> 00:01.5",
        "3:15: error: '00:01.5' has 1 decimal and not three; readers differ over such times: "
          + "write three, as in 00:01:02.500"
      ),
      (
        "00:61.000 --> 01:02.000",
        "3:1: error: '00:61.000' has 61 seconds; minutes and seconds end at 59, as in 00:01:02.500"
      ),
      (
        "-00:01.000 --> 00:02.000",
        "3:1: error: '-00:01.000' is before the start of the recording; times count from 0 on"
      ),
      (
        "999999999999999999999999999999:00:00.000 --> 00:02.000",
        "3:1: error: '999999999999999999999999999999:00:00.000' is later than a million hours; "
          + "times count in seconds from the start of the recording"
      ),
    ])
  func wrongTimes(line: String, message: String) {
    #expect(TranscriptBench.messages("WEBVTT\n\n\(line)\nHi\n") == [message])
  }

  @Test("Cues without a text or a length, and texts without times, are counted")
  func oddities() {
    let text = """
      WEBVTT
      X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000

      lost
      words

      00:00.000 --> 00:01.000

      00:01.000 --> 00:01.000
      x
      """
    #expect(TranscriptBench.cues(text) == ["1000-1001 x"])
    #expect(
      TranscriptBench.messages(text) == [
        "2:1: warning: X-TIMESTAMP-MAP belongs to the segments of a stream and is ignored; "
          + "set 'offset' if its times do not count from the start of the sound",
        "4:1: warning: 1 text without times is left out; "
          + "write a line such as '00:01.000 --> 00:02.500' above it",
        "7:1: note: 1 cue without a text is left out",
        "9:1: note: 1 cue has no length: captions show it for 1 ms",
      ])
  }

  @Test("Any line end, a byte-order mark, even two, and NUL are read")
  func marks() {
    #expect(
      TranscriptBench.cues("\u{FEFF}\u{FEFF}WEBVTT\r\r00:00.000 --> 00:01.000\ra\0b\r\rx\r") == [
        "0-1000 a\u{FFFD}b"
      ])
    #expect(
      TranscriptBench.cues("WEBVTT\r\n\r\n00:00.000 --> 00:01.000\r\na\r\nb\r\n") == ["0-1000 a/b"])
  }

  @Test("Cues are put in order")
  func order() {
    let text = "WEBVTT\n\n00:02.000 --> 00:03.000\nb\n\n00:01.000 --> 00:09.000\na\n"
    #expect(TranscriptBench.cues(text) == ["1000-9000 a", "2000-3000 b"])
  }

  @Test("A block ends before a line of times, also where the empty line between is missing")
  func forgottenLine() {
    let text = """
      WEBVTT

      NOTE one
      a --> b
      00:00.000 --> 00:01.000
      first

      STYLE
      ::cue { color: red }
      00:01.000 --> 00:02.000
      second

      lost
      lost
      00:02.000 --> 00:03.000
      third
      """
    #expect(
      TranscriptBench.cues(text) == ["0-1000 first", "1000-2000 second", "2000-3000 third"])
  }

  @Test("A word of two parts loses the name in front of the text")
  func prefixWords() {
    let text = "WEBVTT\n\n00:00.000 --> 00:02.000\nAnn: Hello <00:01.000>you"
    #expect(
      TranscriptBench.cues(text, speakerPrefix: true)
        == ["0-2000 Ann: Hello you {Hello@0-1000 you@1000-2000}"])
  }

  @Test("A cue has its number in the file, also where others are left out or have several voices")
  func numbers() {
    let text = """
      WEBVTT

      00:04.000 --> 00:05.000
      late

      00:00.000 --> 00:01.000

      00:02.000 --> 00:03.000
      <v Ann>one</v> <v Ben>two</v>
      """
    let cues = TranscriptBench.read(Array(text.utf8)).transcript.cues
    #expect(cues.map(\.number) == [3, 3, 1] && cues.map(\.text) == ["one", "two", "late"])
  }
}
