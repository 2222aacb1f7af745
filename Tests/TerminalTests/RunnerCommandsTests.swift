import Testing

@testable import Terminal

/// What GitHub's runner would take for its commands.
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

  @Test("Other text stays as it is", arguments: ["", "a::b\nc: d", "## e\n# [f]", ": :", "×::y"])
  func others(_ text: String) {
    #expect(text.withoutRunnerCommands == text)
  }
}
