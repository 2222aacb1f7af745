import Diagnosis
import Testing

@Suite("Very many diagnostics")
struct DiagnosticsTests {
  private func errors(_ count: Int) -> [Diagnostic] {
    (0..<count).map { Diagnostic("error \($0)", at: .unknown) }
  }

  private func warnings(_ count: Int) -> [Diagnostic] {
    (0..<count).map { Diagnostic(.warning, "warning \($0)", at: .unknown) }
  }

  @Test("Up to the limit, all are said")
  func few() {
    let all = Diagnostics(warnings(3) + errors(3))
    #expect(all.bounded(to: 3) == all)
  }

  @Test("Beyond it the first are said, and how many more there are")
  func many() {
    let found = Diagnostics(errors(5)).bounded(to: 3)
    #expect(found.all.map(\.message) == ["error 0", "error 1", "error 2", "2 more are not shown"])
    #expect(found.errors.count == 4)
  }

  @Test("Warnings take no error's place")
  func severities() {
    let found = Diagnostics(warnings(5) + errors(2)).bounded(to: 2)
    #expect(
      found.all.map(\.message)
        == ["warning 0", "warning 1", "error 0", "error 1", "3 more are not shown"])
    #expect(found.errors.map(\.message) == ["error 0", "error 1"])
  }

  @Test("What is said of many jobs alike counts once")
  func alike() {
    let found = Diagnostics(errors(2) + errors(2) + errors(2)).bounded(to: 2)
    #expect(found.all.map(\.message) == ["error 0", "error 1"])
  }
}
