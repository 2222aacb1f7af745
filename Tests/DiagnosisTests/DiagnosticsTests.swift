import TestSupport
import Testing

@testable import Diagnosis

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

  /// A file whose lines each have a mistake, of `number(line)`.
  private func screen(_ count: Int, at line: (Int) -> Int = { $0 }) -> String {
    let map = SourceMap()
    let text = (1...count).map { "x\($0)\n" }.joined()
    let source = map.add(text: text, named: "f.csv")
    let found = (1...count).map { number in
      Diagnostic(
        "'x\(number)' is no gain",
        at: map.origin(in: source, line: line(number), column: 1, length: 2),
        help: "write 'y\(number)'")
    }
    return Diagnostics(found).render(in: map)
  }

  @Test("More than eight that say the same are one, with their count and the first places")
  func folded() {
    expect(
      screen(37),
      """
      f.csv:1:1: error: 'x1' is no gain
          1 | x1
            | ^~
        help: write 'y1'
        and 36 more like it: f.csv:2:1, f.csv:3:1, f.csv:4:1, f.csv:5:1, f.csv:6:1 …
      """)
    #expect(screen(8).contains("'x8' is no gain"))
  }

  @Test("Passwords are masked where a message is cut, and where others like it are listed")
  func masked() {
    let long = String(repeating: "x", count: 585) + " https://ann:hush@h/a"
    let cut = Diagnostic(long, at: .unknown, help: long).render(in: SourceMap())
    #expect(cut.contains("https://**") && !cut.contains("ann"), "\(cut)")
    let map = SourceMap()
    let source = map.add(text: "x\n", named: "f.csv")
    let alike = (1...9).map { number in
      Diagnostic(
        "'https://ann:hush\(number)@h/' is no gain",
        at: map.origin(in: source, line: 1, column: 1, length: 1))
    }
    let screen = Diagnostics(alike).render(in: map)
    #expect(screen.contains("8 more like it: 'https://*********@h/'"), "\(screen)")
    #expect(!screen.contains("hush"), "\(screen)")
  }

  @Test("Of those that are to be listed each message is printed")
  func listed() {
    let map = SourceMap()
    let source = map.add(text: "um\n", named: "f.csv")
    let alike = (1...9).map { number in
      var remark = Diagnostic(
        .note, "'\(number) [um]' is cut: \(number)s",
        at: map.origin(in: source, line: 1, column: 1, length: 2))
      remark.isListed = true
      return remark
    }
    expect(
      Diagnostics(alike).render(in: map),
      """
      f.csv:1:1: note: '1 [um]' is cut: 1s
          1 | um
            | ^~
        '2 [um]' is cut: 2s
        '3 [um]' is cut: 3s
        '4 [um]' is cut: 4s
        '5 [um]' is cut: 5s
        '6 [um]' is cut: 6s
        '7 [um]' is cut: 7s
        '8 [um]' is cut: 8s
        '9 [um]' is cut: 9s
      """)
  }

  @Test("Those of one place are told by the things that they name")
  func foldedAtOnePlace() {
    expect(
      screen(9) { _ in 1 },
      """
      f.csv:1:1: error: 'x1' is no gain
          1 | x1
            | ^~
        help: write 'y1'
        and 8 more like it: 'x2', 'x3', 'x4', 'x5', 'x6' …
      """)
  }
}
