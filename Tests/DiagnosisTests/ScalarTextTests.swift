import SystemPackage
import TestSupport
import Testing

@testable import Diagnosis

/// Syntax is found by scalars, whatever makes one character with it.
@Suite struct ScalarTextTests {
  /// What a search by hand finds: a place of `wanted` in `scalars` from `start` on.
  private func place(
    of wanted: [Unicode.Scalar], in scalars: [Unicode.Scalar], from start: Int
  ) -> Int? {
    guard scalars.count >= wanted.count + start else { return nil }
    return (start...(scalars.count - wanted.count)).first { index in
      wanted.indices.allSatisfy { scalars[index + $0] == wanted[$0] }
    }
  }

  private func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  private func randomText(_ dice: inout Dice, upTo length: Int) -> String {
    let pieces =
      ["'", "$", "{", "/", "a", "é", "\r\n", "漢"] + JoinedTexts.behind + JoinedTexts.before
    return (0..<Int.random(in: 0...length, using: &dice))
      .map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
  }

  @Test("a text replaced, searched and split is what a search scalar by scalar gives")
  func byHand() {
    var dice = Dice(301)
    for _ in 0..<500 {
      let whole = randomText(&dice, upTo: 12)
      let scalars = Array(whole.unicodeScalars)
      for pattern in ["'", "${", "/", "$$", "é", "\r"] {
        let wanted = Array(pattern.unicodeScalars)
        var (expected, start) = ([Unicode.Scalar](), 0)
        while let found = place(of: wanted, in: scalars, from: start) {
          expected += scalars[start..<found] + Array("<>".unicodeScalars)
          start = found + wanted.count
        }
        expected += scalars[start...]
        let replaced = whole.replacingScalars(pattern, with: "<>")
        #expect(Array(replaced.unicodeScalars) == expected, "\(scalars) \(pattern)")
        let isThere = place(of: wanted, in: scalars, from: 0) != nil
        #expect(whole.containsScalars(pattern) == isThere)
        #expect(whole.startsWithScalars(pattern) == scalars.starts(with: wanted))
        #expect(
          whole.endsWithScalars(pattern) == scalars.reversed().starts(with: wanted.reversed()))
      }
      let pieces = whole.splitScalars(at: "/", omittingEmptySubsequences: false)
      #expect(text(pieces.joined(separator: "/").unicodeScalars).utf8.elementsEqual(whole.utf8))
      #expect(pieces.count == scalars.count { $0 == "/" } + 1)
      #expect(pieces.allSatisfy { !$0.unicodeScalars.contains("/") })
      let few = whole.splitScalars(at: "/", maxSplits: 1)
      #expect(few.count <= 2 && few.allSatisfy { !$0.isEmpty })
    }
  }

  @Test("nothing stands for an empty pattern")
  func emptyPattern() {
    #expect("a'b".replacingScalars("", with: "x") == "a'b")
    #expect("".replacingScalars("'", with: "x").isEmpty && "".containsScalars(""))
  }

  @Test(
    "a shell gets each word as it is, whatever stands beside its syntax", arguments: ["sh", "bash"])
  func shellWords(shell: String) throws {
    let syntax = [
      "'", "\"", "\\", "$", "`", "$(echo x)", "'$(echo x)'", "#", "~", "*", "{a,b}", ";", "&", "|",
      "<", ">", "!", "\n", " ",
    ]
    let words = syntax.flatMap(JoinedTexts.around).flatMap { [$0, "a" + $0 + "b", $0 + $0] }
    let command = "printf '%s\\0' " + words.map(shellQuoted).joined(separator: " ")
    let result = try Tool.run([shell, "-c", command])
    #expect(result.errors == "")
    #expect(result.output.split(separator: 0).map(Array.init) == words.map { Array($0.utf8) })
  }

  /// Commands of GitHub's, a line each, as actions/runner reads them (`ActionCommand.cs`): of each the
  /// properties between commas and then the text, without escapes.
  private func read(_ lines: String) throws -> [[[UInt8]]] {
    let script = """
      import sys
      def plain(text, marks):
        for mark, sign in marks: text = text.replace(mark, sign)
        return text
      signs = [("%0D", "\\r"), ("%0A", "\\n")]
      for line in open("lines", encoding="utf-8", newline="").read()[:-1].split("\\n"):
        _, head, data = line.split("::", 2)
        pairs = head.split(" ", 1)[1].split(",")
        found = [plain(pair, signs + [("%3A", ":"), ("%2C", ","), ("%25", "%")]) for pair in pairs]
        found.append(plain(data, signs + [("%25", "%")]))
        sys.stdout.buffer.write("\\1".join(found).encode() + b"\\0")
      """
    let folder = TestFolder()
    try writeFile(folder.path("lines"), lines.utf8)
    let result = try Tool.succeed("/usr/bin/python3", "-c", script, in: folder.root)
    return result.output.split(separator: 0).map { $0.split(separator: 1).map(Array.init) }
  }

  @Test(
    "an annotation of GitHub reads back as its file and its text, and holds no other command",
    arguments: ["%", "%0A", ":", ",", "::", "##[error]"])
  func annotations(syntax: String) throws {
    func shown(_ text: String) -> [UInt8] {
      Array(printable(text).replacingScalars("##", with: "#\u{FFFD}").utf8)
    }
    var (lines, expected) = ("", [[[UInt8]]]())
    for joined in JoinedTexts.around(syntax) {
      let map = SourceMap()
      let source = map.add(text: "clip: a\n", named: "a\(joined)b.yaml")
      let origin = map.origin(in: source, line: 1, column: 1, length: 4)
      lines += Diagnostics([Diagnostic("no '\(joined)'", at: origin)]).githubCommands(in: map)
      expected.append([
        shown("file=a\(joined)b.yaml"), Array("line=1".utf8), Array("col=1".utf8),
        Array("endColumn=5".utf8), Array("title=avjob".utf8), shown("no '\(joined)'"),
      ])
    }
    #expect(!lines.containsScalars("##"))
    #expect(try read(lines) == expected, "\(lines)")
  }

  @Test("the name of an address has no slash, whatever is encoded beside one")
  func addresses() throws {
    for joined in JoinedTexts.around("/") {
      let encoded = Array(joined.utf8).percentEncoded()
      let name = try MediaURL("https://h/..\(encoded)x.flac").lastComponent
      #expect(!name.utf8.contains(UInt8(ascii: "/")))
      #expect(FilePath(name).components.count == 1)
    }
  }
}
