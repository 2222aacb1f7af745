import TestSupport
import Testing

@testable import Terminal

@Suite struct DrawingTests {
  private func terminal(_ columns: Int, rewraps: Bool = true) -> TerminalTraits {
    TerminalTraits(columns: columns, rows: 40, isColored: true, rewraps: rewraps)
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

  @Test("lines that stay the same are not drawn again, but all are once in a while")
  func changes() {
    var drawing = Drawing(drawingWholeEvery: .seconds(1))
    let start = ContinuousClock.now
    func draw(_ lines: [String], after time: Duration, _ columns: Int = 20) -> String {
      drawing.draw(lines, at: start + time, on: terminal(columns))
    }
    #expect(draw(["a", "b ", "c"], after: .zero) == "\ra\u{1B}[K\nb\u{1B}[K\nc\u{1B}[K\n\u{1B}[J")
    #expect(
      draw(["a", "x", "c  "], after: .milliseconds(999))
        == "\u{1B}[3A\r\nx\u{1B}[K\n\n\u{1B}[J")
    #expect(
      draw(["a", "x"], after: .milliseconds(1000))
        == "\u{1B}[3A\ra\u{1B}[K\nx\u{1B}[K\n\u{1B}[J")
    #expect(draw(["a", "x"], after: .milliseconds(1001)) == "\u{1B}[2A\r\n\n\u{1B}[J")
    #expect(
      draw(["a", "x"], after: .milliseconds(1002), 30)
        == "\u{1B}[2A\ra\u{1B}[K\nx\u{1B}[K\n\u{1B}[J")
    drawing.abandon()
    #expect(draw(["a"], after: .milliseconds(1003), 30) == "\ra\u{1B}[K\n\u{1B}[J")
  }

  @Test("whichever lines stay the same, what stands there is what was to be drawn")
  func someChange() {
    var dice = Dice(8)
    var drawing = Drawing(drawingWholeEvery: .seconds(1))
    var window = LiteralTerminal(columns: 60, rows: 300)
    var shown = lines(60, &dice)
    let start = ContinuousClock.now
    for step in 0..<300 {
      let other = lines(60, &dice)
      shown = other.indices.map { index in
        index < shown.count && dice.next() & 1 == 0 ? shown[index] : other[index]
      }
      let now = start + .milliseconds(70 * step)
      window.feed(drawing.draw(shown, at: now, on: terminal(60)))
      #expect(window.text == plain(shown))
    }
  }
}
