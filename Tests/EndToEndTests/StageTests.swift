import Testing

@Suite("Scripts of tests") struct StageTests {
  @Test("A script that calls a program that is not there ends at once, and says which")
  func missingProgram() throws {
    let result = try Stage().run(
      """
      while missing-program || true; do
        child=$(missing-program -P 1)
        sleep 0.01
      done
      """)
    #expect(result.status == 137)
    #expect(result.errors.contains("missing-program: command not found\n"))
  }
}
