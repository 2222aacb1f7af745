import Diagnosis
import SystemPackage
import TestSupport
import Testing

@testable import TimeLists

/// What tables are read as.
@Suite struct TableReadingTests {
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
    "A quote that is opened where the text ends is refused",
    arguments: ["lessn<en,\"", "\"", "a\n\"", "a,\"\"\""])
  func openQuote(text: String) {
    let map = SourceMap()
    let (table, sink) = TableReader.read(
      Array(text.utf8), path: "t.csv", named: .unknown, in: map)
    #expect(table == nil)
    #expect(sink.diagnostics.render(in: map).contains("error: a quote that is never closed"))
  }

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
      (
        "\na , b\n\n 1, 2 3 \n,,\n , \n4,\n",
        [["a", "b"], ["1", "2 3"], ["", ""], ["", ""], ["4", ""]]
      ),
      ("ad\nx\n\"\"\n \ny\n,\n \"\" \n", [["ad"], ["x"], [""], ["y"], [""], [""]]),
      ("a\tb\n\t\n \n1\t2", [["a", "b"], ["", ""], ["1", "2"]]),
      (",,\n\"\"\na,b\n\"\",\n\n,\"\"", [["a", "b"], ["", ""], ["", ""]]),
      ("a,b,,\n1,2,,\n3,4\n", [["a", "b"], ["1", "2"], ["3", "4"]]),
      ("a,b\n7\" vinyl,\" 8 \"\n", [["a", "b"], ["7\" vinyl", " 8 "]]),
    ])
  func dialects(text: String, expected: [[String]]) throws {
    #expect(try cells(text) == expected)
  }

  @Test("UTF-16 of both kinds is read")
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
  }

  @Test("What Python writes is read as it was, in each of its dialects")
  func python() throws {
    var dice = Dice(77)
    let alphabet =
      Array("ab ,;\t\"'\n\r|é漢🎧\\").map(String.init) + JoinedTexts.behind + JoinedTexts.before
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
        let read = try cells(Array(result.output))
        // By bytes: `==` takes other forms of a letter for the same.
        #expect(read.map { $0.map { Array($0.utf8) } } == rows.map { $0.map { Array($0.utf8) } })
      }
    }
  }
}
