import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import JobFile

/// Tables, and the jobs that their rows become.
@Suite struct TableTests {
  /// The cells of a table, row after row.
  private func cells(_ bytes: [UInt8]) throws -> [[String]] {
    let (table, sink) = TableReader.read(
      bytes, path: "t.csv", named: .unknown, in: SourceMap())
    #expect(sink.diagnostics.errors.isEmpty, "\(sink.diagnostics.errors)")
    let found = try #require(table)
    return [found.header]
      + (0..<found.rowCount).map { row in
        found.header.indices.map { found.text(of: Table.Cell(row: row, column: $0)) }
      }
  }

  private func cells(_ text: String) throws -> [[String]] { try cells(Array(text.utf8)) }

  @Test(
    "Tables as programs write them",
    arguments: [
      ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
      ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]), ("a,b\r1,2", [["a", "b"], ["1", "2"]]),
      ("\u{FEFF}a;b\r\n1;2,5\r\n", [["a", "b"], ["1", "2,5"]]),
      ("a\tb\n1 \t \"x\ty\"\n", [["a", "b"], ["1", "x\ty"]]),
      ("sep=;\r\na;b,c\r\n1;2\r\n", [["a", "b,c"], ["1", "2"]]),
      ("sep=|\na|b\n1|2,;\n", [["a", "b"], ["1", "2,;"]]),
      (
        "a,b\n\"say \"\"hi\"\", then\nleave\",\"\"\n",
        [["a", "b"], ["say \"hi\", then\nleave", ""]]
      ),
      ("\na , b\n\n 1, 2 3 \n,,\n , \n4,\n", [["a", "b"], ["1", "2 3"], ["4", ""]]),
      ("a,b,,\n1,2,,\n3,4\n", [["a", "b"], ["1", "2"], ["3", "4"]]),
      ("a,b\n7\" vinyl,\" 8 \"\n", [["a", "b"], ["7\" vinyl", " 8 "]]),
    ])
  func dialects(text: String, expected: [[String]]) throws {
    #expect(try cells(text) == expected)
  }

  @Test("Encodings: UTF-16 of both kinds, and Windows-1252 with a warning")
  func encodings() throws {
    let text = "wort,größe\nMüller,„x“\n"
    for isLow in [true, false] {
      var bytes: [UInt8] = isLow ? [0xFF, 0xFE] : [0xFE, 0xFF]
      for unit in text.utf16 {
        let pair = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
        bytes += isLow ? pair : pair.reversed()
      }
      #expect(try cells(bytes) == [["wort", "größe"], ["Müller", "„x“"]])
    }
    var bench = Bench()
    bench.bytes["t.csv"] = Array("id,name\n1,M".utf8) + [0xFC] + Array("ller\n".utf8)
    expect(
      bench.screen("rows: t.csv\nclip: a.wav\nmetadata: { title: \"${name}\" }\noutput: ${id}.mp3"),
      """
      t.csv:2:4: warning: the table is not UTF-8 and is read as Windows-1252, the Latin-1 of old files
          2 | 1,Müller
            |    ^
        help: save it as UTF-8 if letters come out wrong
      job.yaml:1:7: note: the table is named here
          1 | rows: t.csv
            |       ^~~~~
      """)
  }

  @Test("What Python writes is read as it was, in each of its dialects")
  func python() throws {
    var dice = Dice(77)
    let alphabet = Array("ab ,;\t\"'\n\r|é漢🎧\\").map(String.init)
    for delimiter in [",", ";", "\t"] {
      for ending in ["\r\n", "\n"] {
        // Python leaves a CR bare where lines end with LF.
        let usable = ending == "\n" ? alphabet.filter { $0 != "\r" } : alphabet
        let width = Int.random(in: 2...5, using: &dice)
        var rows = [(0..<width).map { "c\($0)" }]
        for row in 0..<30 {
          rows.append(
            (0..<width).map { column in
              let body = (0..<Int.random(in: 0...6, using: &dice))
                .map { _ in usable.randomElement(using: &dice) ?? "" }.joined()
              // Neither a lone line nor blanks at the ends of a cell without quotes.
              return column == 0 ? "r\(row)\(body)é" : body.isEmpty ? body : "x\(body)漢"
            })
        }
        let script = """
          import csv, io, json, sys
          rows, delimiter, ending = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
          out = io.StringIO(newline="")
          csv.writer(out, delimiter=delimiter, lineterminator=ending).writerows(rows)
          sys.stdout.buffer.write(out.getvalue().encode())
          """
        let json =
          "["
          + rows.map { row in
            "["
              + row.map { text in
                let scalars = text.unicodeScalars.map { scalar -> String in
                  switch scalar {
                  case "\"": "\\\""
                  case "\\": "\\\\"
                  case "\n": "\\n"
                  case "\r": "\\r"
                  case "\t": "\\t"
                  default: String(scalar)
                  }
                }
                return "\"" + scalars.joined() + "\""
              }.joined(separator: ",") + "]"
          }.joined(separator: ",") + "]"
        let result = try Tool.run(["python3", "-c", script, json, delimiter, ending])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try cells(Array(result.output)) == rows)
      }
    }
  }

  @Test("One job a row: columns are variables, and 'n' and 'count'")
  func rows() throws {
    var bench = Bench()
    bench.texts["t.csv"] = "file,Lesson No,note\na,1,x\nb,2,\n"
    let jobs = try bench.load(
      """
      vars: { note: global }
      rows: t.csv
      clip: ${file}.wav
      metadata: { title: "${note:-none}", track: "${n}/${count}", comment: "<${note}>" }
      output: out/${file}.mp3
      """
    ).jobs
    #expect(jobs.map(\.name) == ["a", "b"])
    #expect(jobs.map { $0.media.map(\.path) } == [["a.wav"], ["b.wav"]])
    #expect(jobs.map { $0.metadata["title"] } == ["x", "none"])
    #expect(jobs.map { $0.metadata["comment"] } == ["<x>", "<>"])
    #expect(jobs.map { $0.metadata["track"] } == ["1/2", "2/2"])
  }

  @Test("Jobs are called by the first column that tells them apart, and else by their numbers")
  func names() throws {
    func names(_ table: String, _ more: String = "") throws -> [String] {
      var bench = Bench()
      bench.texts["t.csv"] = table
      return try bench.load("rows: t.csv\n\(more)clip: a.wav\noutput: ${n}.mp3").jobs.map(\.name)
    }
    #expect(try names("lang,id\nen,x\nen,y\n") == ["x", "y"])
    #expect(try names("lang,id\nen,x\nen,x\n") == ["1", "2"])
    #expect(try names("t,id\n\"a\nb\",x\nc,y\n") == ["x", "y"])
    #expect(try names("lang,id\nen,x\nde,y\nen,z\n", "group_by: lang\n") == ["en", "de"])
  }

  @Test("What all rows of a group have in common is bound; an item is repeated for each row")
  func groups() throws {
    var bench = Bench()
    bench.texts["t.csv"] = "ep,show,file,gain\n2,Sea,a,-1 dB\n1,Sky,b,-2 dB\n2,Sea,b,-3 dB\n"
    let jobs = try bench.load(
      """
      rows: t.csv
      group_by: ep
      tracks:
        talk:
          - { each: row, clip: "${file}.wav", gain: "${gain}", chapter: "${row.n} of ${row.count}" }
          - 1s
        bed: { each: row, clip: a.wav }
      metadata: { album: "${show}", track: "${n}/${count}" }
      output: ${ep}.mp3
      """
    ).jobs
    #expect(jobs.map(\.name) == ["2", "1"])
    #expect(jobs.map { $0.metadata["album"] } == ["Sea", "Sky"])
    let tracks = jobs.map { job -> [ItemTrack] in
      if case .tracks(let tracks) = job.item.content { tracks } else { [] }
    }
    #expect(tracks.map { $0.map(\.sequence.items.count) } == [[3, 2], [2, 1]])
    #expect(
      tracks.map { $0[0].sequence.items.compactMap(\.chapter?.title) } == [
        ["1 of 2", "2 of 2"], ["1 of 1"],
      ])
    #expect(jobs.map { $0.media.map(\.path) } == [["a.wav", "b.wav"], ["b.wav", "a.wav"]])
  }

  @Test("Without 'group_by' the job's only row is each of them")
  func eachOfOne() throws {
    var bench = Bench()
    bench.texts["t.csv"] = "file\na\nb\n"
    let jobs = try bench.load(
      "rows: t.csv\nconcat: [{ each: row, clip: \"${file}.wav\" }, 1s]\noutput: ${file}.mp3"
    ).jobs
    #expect(jobs.map { $0.media.map(\.path) } == [["a.wav"], ["b.wav"]])
  }
}
