import Diagnosis
import JobModel
import SystemPackage
import TestSupport
import Testing

@testable import JobFile

/// Signs of YAML, of the job language and of paths beside what makes one character with them.
@Suite struct JoinedSyntaxTests {
  @Test("a printed job file reads back in YAML, and has no command of a runner's")
  func yaml() throws {
    let syntax = [
      "##[error]x", "${y}", ":", ": ", "#", "'", "\"", "-", "/", "[", "{", ",", "&", "*",
    ]
    let texts = syntax.flatMap(JoinedTexts.around).flatMap { [$0, "a" + $0 + "b"] }
    let folder = TestFolder()
    let lines = texts.map {
      "- \(ArgumentNode.scalar($0))\n- [\(ArgumentNode.flowScalar($0)), x]\n"
    }
    #expect(lines.allSatisfy { !$0.containsScalars("##") })
    try writeFile(folder.path("job.yaml"), lines.joined().utf8)
    // A reader of YAML that nobody here wrote.
    let script = """
      import sys, yaml
      for value in yaml.safe_load(open('job.yaml', encoding='utf-8')):
        text = value if isinstance(value, str) else value[0]
        sys.stdout.buffer.write(text.encode() + b'\\0')
      """
    let read = try Tool.succeed("/usr/bin/python3", "-c", script, in: folder.root)
    let expected = texts.flatMap { [$0, $0] }.map { Array($0.utf8) }
    #expect(read.output.split(separator: 0).map(Array.init) == expected)
  }

  @Test("a text is a template that reads back as itself, whatever stands beside its variables")
  func templates() throws {
    for joined in JoinedTexts.around("${") + JoinedTexts.around("$").map({ $0 + "{" }) {
      for text in [joined, "a\(joined)b}", joined + joined] {
        let template = try Template.parse(Template.literal(text))
        let pieces = (template?.pieces ?? [.literal(text, offset: 0)]).map { piece -> [UInt8] in
          if case .literal(let text, _) = piece { Array(text.utf8) } else { [0] }
        }
        #expect(Array(pieces.joined()) == Array(text.utf8))
      }
    }
  }

  @Test("a slash separates folders, whatever stands beside it")
  func patterns() throws {
    func found(_ pattern: String, _ path: String) throws -> [[UInt8]] {
      try FilePattern(pattern).matches(in: MemoryFiles([path]), base: "")
        .map { Array($0.path.string.utf8) }
    }
    for joined in JoinedTexts.around("/") {
      let path = "x\(joined)a.wav"
      #expect(try found("x\(joined)*.wav", path) == [Array(path.utf8)])
      #expect(
        try found("?\(joined)[a].wav", path) == [Array(path.utf8)])
    }
    #expect(try FilePattern("/\u{301}a/*.wav").fixedPart == "/\u{301}a")
  }

  @Test("the name of an input that is not known yet is found, whatever stands beside it")
  func unknownNames() {
    for joined in JoinedTexts.around("\u{FFFC}") {
      #expect(InputBinding.isUnknown(FilePath("out/\(joined).flac")))
    }
  }
}
