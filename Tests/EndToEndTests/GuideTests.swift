import TestSupport
import Testing

/// The recipes and the tutorial of `docs/`, as a reader would follow them.
@Suite("Recipes and the tutorial") struct GuideTests {
  private let stage = Stage()

  @Test("'avjob check' finds nothing to say about any recipe, on media of the names in it")
  func recipes() throws {
    try stage.make(
      """
      cp "$FIXTURES"/../Jobs/recipes/*.yaml .
      bash "$FIXTURES"/../Tests/Rigs/recipes.bash . "$FIXTURES"
      """)
    let names = try stage.make("ls *.yaml").text.split(separator: "\n")
    #expect(names.count == 17)
    // The servers of this one do not exist.
    for name in names where name != "remote.yaml" {
      let result = try stage.run("avjob check \(name)")
      #expect(
        result.status == 0 && result.remarksBesidesPictures == [], "\(name): \(result.errors)")
    }
  }

  /// A command of the tutorial, and the lines that it shows of what is printed.
  private struct Step {
    let command: Substring
    var shown: [Substring] = []
  }

  /// Blocks of `console` are commands after `$ `, with lines of what they print; a block of `yaml`
  /// is the file that its first line names.
  private func follow(_ page: String) throws -> [Step] {
    var steps: [Step] = []
    var block: Substring?
    var lines: [Substring] = []
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let kind = block else {
        if line.hasPrefix("```") { (block, lines) = (line.dropFirst(3), []) }
        continue
      }
      guard line == "```" else {
        lines.append(line)
        continue
      }
      block = nil
      switch kind {
      case "console":
        for line in lines {
          if line.hasPrefix("$ ") {
            steps.append(Step(command: line.dropFirst(2)))
          } else if line != "…", line != "", !steps.isEmpty {
            steps[steps.count - 1].shown.append(line)
          }
        }
      case "yaml":
        let name = try #require(lines.first?.split(separator: " ").last)
        let text = lines.joined(separator: "\n") + "\n"
        steps.append(Step(command: "cat >\(name) <<'END'\n\(text)END"[...]))
      default:
        break
      }
    }
    return steps
  }

  @Test("the tutorial's commands run as written, in order, and print what it shows")
  func tutorial() throws {
    try stage.make(
      """
      cp -r "$FIXTURES" Fixtures
      mkdir scripts Jobs
      cp "$FIXTURES"/../Jobs/*.* Jobs
      printf '#!/bin/sh\\nexec timeout 60 "$AVJOB" "$@"\\n' >scripts/avjob
      chmod +x scripts/avjob
      """)
    let page = String(decoding: try readFile(Fixture.path("../docs/tutorial.md")), as: UTF8.self)
    let steps = try follow(page)
    #expect(steps.count > 10)
    for step in steps {
      let result = try stage.run(String(step.command))
      let printed = (result.text + result.errors).split(separator: "\n")
      let fails = step.shown.contains { $0.contains(": error: ") }
      #expect((result.status == 0) != fails, "\(step.command): \(result.errors)")
      for line in step.shown {
        #expect(printed.contains(line), "\(step.command) does not print: \(line)\n\(printed)")
      }
    }
  }
}
