import Testing

@testable import Transcripts

/// Tables of recognisers, and Audacity's labels.
@Suite struct TableReadingTests {
  @Test("Whisper's TSV counts in milliseconds, and its texts have quotes and tabs")
  func tsv() {
    let text = "start\tend\ttext\n0\t1500\t\"Hi\", she said\tand left\n1500\t2000\tBye\n"
    #expect(
      TranscriptBench.cues(text) == ["0-1500 \"Hi\", she said\tand left", "1500-2000 Bye"])
    #expect(TranscriptBench.messages(text) == [])
  }

  @Test("A CSV may have speakers, quotes, line ends in a text and texts with commas")
  func csv() {
    let text = #"""
      start,end,speaker,text
      0,1000,Ann,"Hi, ""all"""
      1000,2000,"Ben","two
      lines"
      2000,3000,,well, yes
      """#
    #expect(
      TranscriptBench.cues(text) == [
        "0-1000 Ann: Hi, \"all\"", "1000-2000 Ben: two/lines", "2000-3000 well, yes",
      ])
  }

  @Test("A quote that nothing closes is refused at its row, since all behind it would be one text")
  func openQuotes() {
    #expect(
      TranscriptBench.messages("start,end,text\n0,1,a\n1000,2000,\"b, c\n2000,3000,d\n") == [
        "3:1: error: a quote opens a cell of this row, and none closes it; close it, and double each "
          + "quote within the cell"
      ])
  }

  @Test("Labels at NaN and without an end are refused at their lines", arguments: ["nan", "-inf"])
  func oddLabels(number: String) {
    #expect(
      TranscriptBench.messages("\(number)\t2.0\ta\n1.0\t\(number)\tb\n").map { $0.prefix(10) }
        == ["1:1: error", "2:5: error"])
  }

  @Test("Times with decimals make all times seconds, with a note")
  func seconds() {
    let text = "start,end,text\n0,1.5,a\n1.5,2,b\n"
    #expect(TranscriptBench.cues(text) == ["0-1500 a", "1500-2000 b"])
    #expect(
      TranscriptBench.messages(text) == [
        "2:3: note: times of the table have decimals, and all are read as seconds; "
          + "whole numbers alone would be milliseconds"
      ])
  }

  @Test("Rows that are too short, and times that are none, are refused with the line")
  func wrongRows() {
    #expect(
      TranscriptBench.messages("start,end,text\n0,1000\nx,2,b\n") == [
        "2:1: error: the row has 2 cells, the header 3; write start, end and text",
        "3:1: error: 'x' is no number of milliseconds; write it as 12500",
      ])
  }

  @Test("A label at a point lasts to the next one, the last one 5 s")
  func labels() {
    let text = "0.0\t1.5\tone\n\\\t2\t3\n2.25\t2.25\ttwo\n4.5\t4.5\tthree\n"
    #expect(
      TranscriptBench.cues(text) == ["0-1500 one", "2250-4500 two", "4500-9500 three"])
    #expect(TranscriptBench.messages(text) == ["2:1: note: 1 line of frequencies is left out"])
  }

  @Test("Labels with commas, before the start, and of one column are refused")
  func wrongLabels() {
    #expect(
      TranscriptBench.messages("0,5\t1.5\ta\n-1.0\t2.0\tb\n3.0\n") == [
        "1:1: error: '0,5' is no number of seconds; write decimals behind a dot",
        "2:1: error: '-1.0' is before the start of the recording; times count from 0 on",
        "3:1: error: a label is a start, an end and a text, separated by tabs; "
          + "start and end are seconds, as '12.5', with a tab behind each",
      ])
  }
}
