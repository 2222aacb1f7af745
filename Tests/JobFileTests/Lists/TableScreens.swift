import Testing
import TestSupport

@testable import JobFile
@testable import TimeLists

/// What is said about tables, literally.
@Suite struct TableScreens {
  private func screen(_ tables: [String: String], _ yaml: String) -> String {
    var bench = Bench()
    bench.texts = tables
    return bench.screen(yaml)
  }

  @Test(
    "What is wrong in a cell is reported there, where it is used and where the table is named")
  func cells() {
    expect(
      screen(
        ["t.csv": "file,at\na.wav,0:10\nb.wav,\nc.wav,2x\n"],
        """
        rows: t.csv
        clip: ${file}
        insert: [{ clip: a.wav, at: "${at}" }]
        output: out/${n}.mp3
        """),
      """
      t.csv:3:7: error: no time is given: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          3 | b.wav,
            |       ^
      job.yaml:3:29: note: it is used here
          3 | insert: [{ clip: a.wav, at: "${at}" }]
            |                             ^~~~~~~
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      t.csv:4:1: error: there is no file 'c.wav'
          4 | c.wav,2x
            | ^~~~~
        help: did you mean 'a.wav'?
      job.yaml:2:7: note: it is used here
          2 | clip: ${file}
            |       ^~~~~~~
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      t.csv:4:7: error: '2x' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          4 | c.wav,2x
            |       ^~
      job.yaml:3:29: note: it is used here
          3 | insert: [{ clip: a.wav, at: "${at}" }]
            |                             ^~~~~~~
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      """)
  }

  @Test("Errors of lengths are reported at the cell, too")
  func lengths() {
    var bench = Bench()
    bench.texts["t.csv"] = "id,to\n1,0:30\n2,\"1:30\"\n"
    expect(
      bench.exportScreen("rows: t.csv\nclip: a.wav\nto: \"${to}\"\noutput: ${id}.mp3"),
      """
      t.csv:3:3: error: the range ends at 1:30, but 'a.wav' lasts 1:00
          3 | 2,"1:30"
            |   ^~~~
        help: leave the end out, or write 'end'
      job.yaml:3:5: note: it is used here
          3 | to: "${to}"
            |     ^~~~~~~
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      """)
  }

  @Test("Two rows that write one file")
  func conflicts() {
    expect(
      screen(
        ["t.csv": "id,file\n1,x\n2,y\n3,x\n"],
        "rows: t.csv\nclip: a.wav\noutput: ${file}.mp3"),
      """
      t.csv:4:3: error: two outputs at 'x.mp3'
          4 | 3,x
            |   ^
        help: give one of them another name
      t.csv:2:3: note: the other one is here
          2 | 1,x
            |   ^
      job.yaml:3:9: note: it is used here
          3 | output: ${file}.mp3
            |         ^~~~~~~~~~~
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      """)
  }

  @Test("Rows of one group that do not agree")
  func groups() {
    expect(
      screen(
        ["t.csv": "lesson,en\n1,one\n2,three\n1,two\n"],
        """
        rows: t.csv
        group_by: lesson
        clip: a.wav
        metadata: { title: "${en}" }
        output: ${lesson}.mp3
        """),
      """
      job.yaml:4:21: error: the rows of '1' have more than one 'en'
          4 | metadata: { title: "${en}" }
            |                     ^~~~~
        help: use it in an item with 'each: row', or let 'group_by' name a column that separates them
      t.csv:2:3: note: one is here
          2 | 1,one
            |   ^~~
      t.csv:4:3: note: another one is here
          4 | 1,two
            |   ^~~
      """)
  }

  @Test("Lines that are no rows")
  func lines() {
    expect(
      screen(
        ["t.csv": "id,at\n1\n1,2,3\n\"x\"y,2\n\"abc\n"],
        "rows: t.csv\nclip: a.wav\noutput: ${id}.mp3"),
      """
      t.csv:2:1: error: the row has 1 cell, the header 2
          2 | 1
            | ^
        help: a cell without a text is nothing between two separators
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      t.csv:3:5: error: a cell without a column: the header names 2
          3 | 1,2,3
            |     ^
        help: put quotes around a text that holds a separator
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      t.csv:4:4: error: a text behind its closing quote
          4 | "x"y,2
            |    ^
        help: a quote in quotes is written twice
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      t.csv:5:1: error: a quote that is never closed
          5 | "abc
            | ^
        help: a quote in quotes is written twice
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      """)
  }

  @Test(
    "Headers",
    arguments: [
      ("id,n\n1,2\n", "t.csv:1:4: error: 'n' is a name of the language's own"),
      ("id,at,id\n1,2,3\n", "t.csv:1:7: error: two columns are called 'id'"),
      ("id,at\n", "t.csv:1:1: error: no rows under the names of the columns"),
      ("\n", "job.yaml:1:7: error: 't.csv' is empty"),
      ("\"abc\n", "t.csv:1:1: error: a quote that is never closed"),
      ("\"a\"b,c\n1\n2\n", "t.csv:1:4: error: a text behind its closing quote"),
      ("a\0b\n1\n", "job.yaml:1:7: error: 't.csv' is no text, and so no table"),
    ])
  func headers(table: String, expected: String) {
    let found = screen(["t.csv": table], "rows: t.csv\nclip: a.wav\noutput: ${id}.mp3")
    #expect(found.hasPrefix(expected + "\n"), "\(found)")
  }

  @Test("Names that the table has not")
  func unknownNames() {
    expect(
      screen(
        ["t.csv": "id,Lesson No\n7,2\n"],
        """
        jobs:
          a: { rows: t.csv, clip: a.wav, to: "${Lesson_No}s", output: "${idd}.mp3" }
          b: { rows: t.csv, group_by: lesson, clip: a.wav, output: y.mp3 }
          c: { rows: raw, clip: a.wav, output: x.mp3 }
          d: { rows: [t.csv], clip: a.wav, output: z.mp3 }
          e: { rows: t.csv, concat: [{ each: lesson, clip: a.wav }], output: "e${id}.mp3" }
          f: { rows: t.csv, concat: [{ each: row, concat: [{ each: row, clip: a.wav }] }], output: f.mp3 }
          g: { rows: t.csv, clip: a.wav, output: "g${row.n}.mp3" }
        """),
      """
      job.yaml:2:39: error: unknown variable 'Lesson_No'
          2 |   a: { rows: t.csv, clip: a.wav, to: "${Lesson_No}s", output: "${idd}.mp3" }
            |                                       ^~~~~~~~~~~~
        help: no variable can have the name of the column 'Lesson No' is: call it 'Lesson_No'
      job.yaml:2:64: error: unknown variable 'idd'
          2 |   a: { rows: t.csv, clip: a.wav, to: "${Lesson_No}s", output: "${idd}.mp3" }
            |                                                                ^~~~~~
        help: did you mean '${id}'?
      job.yaml:3:31: error: 't.csv' has no column 'lesson'
          3 |   b: { rows: t.csv, group_by: lesson, clip: a.wav, output: y.mp3 }
            |                               ^~~~~~
        help: did you mean 'Lesson No'?
      job.yaml:4:14: error: 'raw' is a folder
          4 |   c: { rows: raw, clip: a.wav, output: x.mp3 }
            |              ^~~
        help: name a file in it
      job.yaml:5:14: error: 'rows' is a text, not a list
          5 |   d: { rows: [t.csv], clip: a.wav, output: z.mp3 }
            |              ^
        help: write a table, as 'words.csv'
      job.yaml:6:38: error: 'lesson' is nothing that an item is repeated for
          6 |   e: { rows: t.csv, concat: [{ each: lesson, clip: a.wav }], output: "e${id}.mp3" }
            |                                      ^~~~~~
        help: write 'row' or 'cue'
      job.yaml:7:54: error: 'each: row' within another one
          7 |   f: { rows: t.csv, concat: [{ each: row, concat: [{ each: row, clip: a.wav }] }], output: f.mp3 }
            |                                                      ^~~~
        help: leave it out
      job.yaml:8:44: error: unknown variable 'row.n'
          8 |   g: { rows: t.csv, clip: a.wav, output: "g${row.n}.mp3" }
            |                                            ^~~~~~~~
        help: 'row.n' and 'row.count' have a value in an item with 'each: row'; columns go by their names
      """)
  }

  @Test("A table wider, longer or larger than any is refused at once")
  func limits() {
    let wide = (0..<1_000_000).map { "c\($0)" }.joined(separator: ",") + "\n"
    let yaml = "rows: t.csv\nclip: a.wav\noutput: ${c0}.mp3"
    #expect(
      screen(["t.csv": wide], yaml).hasPrefix("t.csv:1:4891: error: more than 1,000 columns\n"))
    let commas = String(repeating: ",", count: 100_000) + "\n"
    #expect(screen(["t.csv": "c0\n1" + commas], yaml) == "")
    let rows = "c0\n" + String(repeating: "1\n", count: 200_001)
    #expect(
      screen(["t.csv": rows], yaml).hasPrefix("t.csv:200002:1: error: more than 200,000 rows\n"))
    var bench = Bench()
    bench.bytes["t.csv"] = [UInt8](repeating: 0x2C, count: Table.sizeLimit + 1)
    #expect(
      bench.screen(yaml).hasPrefix(
        "job.yaml:1:7: error: 't.csv' has more than 64 MiB: that is no table\n"))
  }

  @Test("Decimal commas are one mistake, and the help writes the point")
  func decimalCommas() {
    let rows = (1...37).map { "\($0);-\($0),5 dB\n" }.joined()
    expect(
      screen(
        ["t.csv": "id;gain\n" + rows], "rows: t.csv\nclip: a.wav\ngain: ${gain}\noutput: ${id}.mp3"),
      """
      t.csv:2:3: error: '-1,5 dB' is no gain
          2 | 1;-1,5 dB
            |   ^~~~~~~
        help: decimals stand behind a point: write '-1.5 dB'
      job.yaml:3:7: note: it is used here
          3 | gain: ${gain}
            |       ^~~~~~~
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
        and 36 more like it: t.csv:3:3, t.csv:4:3, t.csv:5:3, t.csv:6:3, t.csv:7:3 …
      """)
  }
}
