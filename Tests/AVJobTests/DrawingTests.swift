import TestSupport
import Testing

@testable import avjob

@Suite struct DrawingTests {
  private func terminal(_ columns: Int, rewraps: Bool = true) -> Terminal {
    Terminal(columns: columns, rows: 40, isColored: true, rewraps: rewraps)
  }

  /// Lines of a width up to that of the window, with colours and blanks at their ends.
  private func lines(_ columns: Int, _ dice: inout Dice) -> [String] {
    (0..<dice.number(1..<9)).map { number in
      let width = Int(dice.number(0..<Int64(columns)))
      let text = String(repeating: "\(number)", count: width)
      return dice.next() & 1 == 0 ? "\u{1B}[36m\(text)\u{1B}[0m" : text + "   "
    }
  }

  private func plain(_ lines: [String]) -> String {
    lines.map { line in
      let text = line.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
      return String(text.filter { $0 != " " }) + "\n"
    }.joined()
  }

  @Test("in a window that becomes narrower and wider, nothing is left of what was drawn before")
  func narrowing() {
    var dice = Dice(7)
    for _ in 0..<300 {
      var drawing = Drawing()
      var width = Int(dice.number(7..<60))
      var window = LiteralTerminal(columns: width, rows: 300)
      window.feed("$ avjob\n")
      for _ in 0..<6 {
        let shown = lines(width, &dice)
        window.feed(drawing.draw(shown, at: .now, on: terminal(width)))
        #expect(window.text == "$ avjob\n" + plain(shown))
        width = Int(dice.number(7..<60))
        window.resize(columns: width)
      }
      window.feed(drawing.erase(on: terminal(width)))
      #expect(window.text == "$ avjob\n")
    }
  }

  @Test("a terminal that cuts lines off instead of breaking them loses nothing above")
  func cutting() {
    var drawing = Drawing()
    _ = drawing.draw(["0123456789", "abc"], at: .now, on: terminal(20, rewraps: false))
    let text = drawing.draw(["x"], at: .now, on: terminal(5, rewraps: false))
    #expect(text == "\u{1B}[2A\r\u{1B}[2Kx\u{1B}[K\n\u{1B}[J")
    _ = drawing.draw(["0123456789", "abc"], at: .now, on: terminal(20))
    #expect(
      drawing.draw(["x"], at: .now, on: terminal(5))
        == "\u{1B}[3A\r\u{1B}[2Kx\u{1B}[K\n\u{1B}[J")
  }
}
