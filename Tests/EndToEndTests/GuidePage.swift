import TestSupport
import Testing

/// A page of `docs/` that is followed as a reader would: blocks of `console` are commands after
/// `$ `, with lines of what they print; a block of `yaml` is the file that its first line names.
struct GuidePage {
  /// A command, and the lines that the page shows of what is printed.
  struct Step {
    let command: Substring
    var shown: [Substring] = []
  }

  private(set) var steps: [Step] = []

  init(_ name: String) throws {
    let page = String(decoding: try readFile(Fixture.path("../docs/" + name)), as: UTF8.self)
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
      case "console": read(lines)
      case "yaml":
        let name = try #require(lines.first?.split(separator: " ").last)
        let text = lines.joined(separator: "\n") + "\n"
        steps.append(Step(command: "cat >\(name) <<'END'\n\(text)END"[...]))
      default: break
      }
    }
  }

  private mutating func read(_ lines: [Substring]) {
    for line in lines {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: line.dropFirst(2)))
      } else if line != "…", line != "", !steps.isEmpty {
        steps[steps.count - 1].shown.append(line)
      }
    }
  }

  /// Runs each step, and expects what the page shows: a command fails only where an error is shown.
  func follow(on stage: Stage) throws {
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
