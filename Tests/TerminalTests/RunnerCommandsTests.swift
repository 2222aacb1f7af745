import Testing

@testable import Terminal

/// What the runners of CI systems would take for their commands.
@Suite struct RunnerCommandsTests {
  @Test("No line begins with a command, and '##[' is nowhere")
  func commands() {
    let text = "::error::a\n  ::add-mask::b\r\t::c: d\nname::d ##[group]e\n\u{2003}::f::"
    let fffd = "\u{FFFD}"
    #expect(
      text.withoutRunnerCommands
        == "\(fffd):error::a\n  \(fffd):add-mask::b\r\t\(fffd):c: d\nname::d \(fffd)#[group]e\n"
        + "\u{2003}\(fffd):f::")
  }

  @Test(
    "Commands of Azure Pipelines, TeamCity and Buildkite lose their first character",
    arguments: [
      ("x ##vso[task.setvariable a=b]c", "x \u{FFFD}#vso[task.setvariable a=b]c"),
      ("##teamcity[testFailed]", "\u{FFFD}#teamcity[testFailed]"),
      ("###[group]", "#\u{FFFD}#[group]"),
      ("--- a\n +++ b\n~~~ c", "\u{FFFD}-- a\n \u{FFFD}++ b\n\u{FFFD}~~ c"),
    ])
  func others(_ text: String, expected: String) {
    #expect(text.withoutRunnerCommands == expected)
  }

  @Test(
    "Other text stays as it is",
    arguments: ["", "a::b\nc: d", "## e\n# [f]", ": :", "×::y", "---\na --- b", "## Heading"])
  func others(_ text: String) {
    #expect(text.withoutRunnerCommands == text)
  }
}
