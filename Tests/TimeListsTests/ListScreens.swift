import Testing
import TestSupport

@testable import JobModel
@testable import TimeLists

/// What is said of a list that cannot be read: at its own line, with a note where it is named.
@Suite struct ListScreens {
  @Test("A line without a time, a time out of order, a time that is none")
  func titles() {
    expect(
      ListBench.screen("0:00 One\nTwo\n2:00 Three\n1:75 Four\n1:00 Five\n3:00..2x Six\n"),
      """
      list.txt:2:1: error: 'Two' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          2 | Two
            | ^~~
        help: a line is a time and a title, as '14:05 School'
      command line:1:8: note: the list is named here
          1 | split: list.txt
            |        ^~~~~~~~
      list.txt:4:1: error: '1:75' needs two digits below 60 after each colon: write 2:15
          4 | 1:75 Four
            | ^~~~
      command line:1:8: note: the list is named here
          1 | split: list.txt
            |        ^~~~~~~~
      list.txt:5:1: error: '1:00' is before the time of the entry above it
          5 | 1:00 Five
            | ^~~~
        help: a list is in order of time
      list.txt:3:1: note: that one is here
          3 | 2:00 Three
            | ^~~~
      command line:1:8: note: the list is named here
          1 | split: list.txt
            |        ^~~~~~~~
      list.txt:6:7: error: '2x' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          6 | 3:00..2x Six
            |       ^~
      command line:1:8: note: the list is named here
          1 | split: list.txt
            |        ^~~~~~~~
      """)
  }

  @Test("Ranges with a dash, numbers and titles in front, and times in brackets")
  func titlesAsOnePastesThem() {
    expect(
      ListBench.screen(
        "0:00 - 0:05 One\n0:05-0:10 Two\n1. 0:10 Three\nFour 0:15\n[0:20] Five\n0:25 - 7 Days\n"
      )
      .split(separator: "\n").filter { $0.hasPrefix("list.txt") || $0.hasPrefix("  help") }
      .joined(separator: "\n"),
      """
      list.txt:1:1: error: a range with a dash
        help: write '0:00..0:05'
      list.txt:2:1: error: '0:05-0:10' is no time: write 1:30 or 1:02:03.25
        help: write '0:05..0:10'
      list.txt:3:1: error: '1.' is no time: a number is written 12 or 1.25
        help: the time comes first: '0:10 Title'
      list.txt:4:1: error: 'Four' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
        help: the time comes first: '0:15 Title'
      list.txt:5:1: error: '[0:20]' is no time: write 1:30 or 1:02:03.25
        help: write '0:20'
      """)
  }

  @Test("What is wrong with an index is reported once")
  func indices() {
    let text = """
      FILE "a.wav" WAVE
      TRACK 01 AUDIO
      INDEX 01 00:10:00
      TRACK 02 AUDIO
      INDEX 01 00:05:00
      TRACK 03 AUDIO
      INDEX 01 soon
      """
    expect(
      ListBench.screen(text, named: "x.cue").split(separator: "\n")
        .filter { $0.hasPrefix("x.cue") || $0.hasPrefix("  help") }.joined(separator: "\n"),
      """
      x.cue:5:10: error: '00:05:00' is before the index above it, 00:10:00
        help: a list is in order of time
      x.cue:7:10: error: 'soon' is no time of a CUE sheet
        help: minutes, seconds below 60 and frames below 75, as '04:10:74'
      """)
  }

  @Test("Labels with commas, backwards, of one column")
  func labels() {
    expect(
      ListBench.screen("0,5\t1,5\ta\n2.0\t1.0\tb\n3.0\n-1.0\t2.0\tc\nx\t4.0\n", named: "l.txt")
        .split(separator: "\n").filter { !$0.hasPrefix("command") && !$0.contains("split:") }
        .filter { !$0.hasSuffix("        ^~~~~") }.joined(separator: "\n"),
      """
      l.txt:1:1: error: '0,5' has a comma for its decimals
          1 | 0,5\t1,5\ta
            | ^~~
        help: write '0.5'
      l.txt:2:5: error: the label ends before it starts
          2 | 2.0\t1.0\tb
            |    \t^~~
        help: the start comes first, then the end
      l.txt:3:1: error: a label is a start, an end and a text, separated by tabs
          3 | 3.0
            | ^~~
        help: start and end are seconds, as '12.5', with a tab behind each
      l.txt:4:1: error: '-1.0' is before the start of the sound
          4 | -1.0\t2.0\tc
            | ^~~~
        help: labels begin at 0
      l.txt:5:1: error: 'x' is no number of seconds
          5 | x\t4.0
            | ^
        help: write it as 12.5
      """)
  }

  @Test("A sheet with every mistake that a sheet can have")
  func sheet() {
    let text = """
      TITEL "x"
      INDEX 01 00:00:00
      FILE "a.wav" WAVE
      TRACK AUDIO
      TRACK 02 AUDIO
      TITLE "open
      INDEX 00 00:10:00
      TRACK 03 MODE1/2352
      INDEX 01 00:75:00
      TRACK 04 AUDIO
      INDEX 01 00:20:00
      PREGAP 00:02:00
      TRACK 04 AUDIO
      INDEX 01 00:19:74
      INDEX 01 00:21:00
      INDEX 02
      FILE "b.wav" WAVE
      """
    expect(
      ListBench.screen(text, named: "x.cue").split(separator: "\n")
        .filter { $0.hasPrefix("x.cue") || $0.hasPrefix("  help") }.joined(separator: "\n"),
      """
      x.cue:1:1: error: 'TITEL' is no command of a CUE sheet
        help: did you mean 'TITLE'?
      x.cue:2:1: error: an INDEX before the first TRACK
        help: it stands below its 'TRACK 01 AUDIO'
      x.cue:4:7: error: a track needs its number
        help: write 'TRACK 01 AUDIO'
      x.cue:5:7: error: track 2 has no INDEX 01
        help: write 'INDEX 01 00:00:00' below it, with the time at which it begins
      x.cue:6:7: error: the quotation mark is never closed
        help: end the text with another one
      x.cue:8:10: error: track 3 holds data, not sound
        help: a sheet for splitting has tracks of 'AUDIO' only
      x.cue:9:10: error: '00:75:00' is no time of a CUE sheet
        help: minutes, seconds below 60 and frames below 75, as '04:10:74'
      x.cue:12:1: warning: PREGAP is a silence that a CD burner adds: the file has none, and so \
      have the parts
        help: take the line out to read the sheet without this message
      x.cue:13:7: error: track 4 behind track 4
        help: the numbers of tracks go up
      x.cue:14:10: error: '00:19:74' is before the index above it, 00:20:00
        help: a list is in order of time
      x.cue:15:7: error: INDEX 1 behind INDEX 1
        help: the numbers within a track go up
      x.cue:16:1: error: an INDEX needs its number and its time
        help: write 'INDEX 01 00:00:00'
      x.cue:17:1: error: a sheet of several files, each of which begins at 0
        help: join the files, and write a sheet of the whole
      """)
  }

  @Test("Files that are no lists")
  func noLists() {
    expect(
      ListBench.screen("# nothing\n\n"),
      """
      command line:1:8: error: 'list.txt' holds no times
          1 | split: list.txt
            |        ^~~~~~~~
        help: a list is a CUE sheet, a file of Audacity's labels, or lines as '14:05 School'
      """)
    expect(
      ListBench.screen([0x30, 0x3A, 0x30, 0x30, 0x00, 0xFF]),
      """
      command line:1:8: error: 'list.txt' is no text, and so no list of times
          1 | split: list.txt
            |        ^~~~~~~~
        help: name a text with lines as '14:05 School'
      """)
  }

  @Test("Letters of an old encoding are read, with a warning where the first one is")
  func legacy() {
    expect(
      ListBench.screen(Array("0:00 ".utf8) + [0x4E, 0x6F, 0xEB, 0x6C]),
      """
      list.txt:1:8: warning: the list is not UTF-8 and is read as Windows-1252, the Latin-1 of \
      old files
          1 | 0:00 Noël
            |        ^
        help: save it as UTF-8 if letters come out wrong
      command line:1:8: note: the list is named here
          1 | split: list.txt
            |        ^~~~~~~~
      """)
  }
}
