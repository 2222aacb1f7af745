import Testing

@testable import Terminal

/// The bytes that show a picture on a terminal.
@Suite("Pictures on terminals")
struct TerminalPictureTests {
  /// Two columns: red over green, and blue over white.
  private func corners() throws -> TerminalPicture {
    try #require(
      TerminalPicture(
        width: 2, height: 2, pixels: [255, 0, 0, 0, 0, 255, 0, 255, 0, 255, 255, 255]))
  }

  @Test("half blocks have one colour above and one below, and name a colour where it changes")
  func blocks() throws {
    let cells = TerminalPicture.Cells(columns: 2, rows: 1)
    #expect(
      try corners().lines(cells, by: .blocks) == [
        "\u{1B}[38;2;255;0;0m\u{1B}[48;2;0;255;0m▀"
          + "\u{1B}[38;2;0;0;255m\u{1B}[48;2;255;255;255m▀\u{1B}[0m"
      ])
    // A row of the picture fills a line, or more.
    #expect(
      try corners().lines(.init(columns: 3, rows: 2), by: .blocks) == [
        "\u{1B}[38;2;255;0;0m\u{1B}[48;2;255;0;0m▀▀"
          + "\u{1B}[38;2;0;0;255m\u{1B}[48;2;0;0;255m▀\u{1B}[0m",
        "\u{1B}[38;2;0;255;0m\u{1B}[48;2;0;255;0m▀▀"
          + "\u{1B}[38;2;255;255;255m\u{1B}[48;2;255;255;255m▀\u{1B}[0m",
      ])
    // Where there are fewer cells than pixels, a cell has the mean of its own.
    #expect(
      try corners().lines(.init(columns: 1, rows: 1), by: .blocks) == [
        "\u{1B}[38;2;127;0;127m\u{1B}[48;2;127;255;127m▀\u{1B}[0m"
      ])
  }

  @Test("kitty gets the pixels in Base64, and placeholders that say their row")
  func kitty() throws {
    let cells = TerminalPicture.Cells(columns: 3, rows: 2)
    let picture = try corners()
    #expect(
      picture.transmission(cells)
        == "\u{1B}_Ga=T,U=1,f=24,q=2,i=201,s=2,v=2,c=3,r=2,m=0;/wAAAAD/AP8A////\u{1B}\\")
    #expect(
      picture.lines(cells, by: .kitty) == [
        "\u{1B}[38;5;201m\u{10EEEE}\u{305}\u{305}\u{10EEEE}\u{10EEEE}\u{1B}[0m",
        "\u{1B}[38;5;201m\u{10EEEE}\u{30D}\u{305}\u{10EEEE}\u{10EEEE}\u{1B}[0m",
      ])
    #expect(TerminalPicture.removal == "\u{1B}_Ga=d,d=I,i=201,q=2\u{1B}\\")
  }

  @Test("a large picture comes in sequences of 4096 digits")
  func parts() throws {
    let picture = try #require(
      TerminalPicture(width: 40, height: 40, pixels: .init(repeating: 1, count: 4800)))
    let parts = picture.transmission(.init(columns: 4, rows: 2)).split(separator: "\u{1B}\\")
    #expect(parts.count == 2)
    #expect(parts[0].hasPrefix("\u{1B}_Ga=T,") && parts[0].contains(",m=1;AQEB"))
    #expect(parts[0].utf8.count - parts[0].split(separator: ";")[0].utf8.count - 1 == 4096)
    #expect(parts[1] == "\u{1B}_Gq=2,m=0;" + String(repeating: "AQEB", count: 576))
    #expect(TerminalPicture(width: 2, height: 1, pixels: [1, 2, 3]) == nil)
  }

  @Test("sixels are drawn from the last line of the picture, in bands of six rows")
  func sixels() throws {
    let cell = TerminalPicture.Cells(columns: 4, rows: 6)
    let lines = try corners().lines(.init(columns: 2, rows: 2), by: .sixel(cell: cell))
    // Blue, green, red and white; of each band the left half and the right half.
    #expect(
      lines == [
        "",
        "\u{1B}7\u{1B}[1A\r\u{1B}P0;1q\"1;1;8;12#5;2;0;0;100#36;2;0;100;0#210;2;100;0;0"
          + "#251;2;100;100;100#5!4?!4~$#210!4~!4?$-#36!4~!4?$#251!4?!4~$-\u{1B}\\"
          + "\u{1B}8\u{1B}[2C",
      ])
    // It is as wide as what it draws over.
    var drawing = Drawing()
    let terminal = TerminalTraits(columns: 80, rows: 24, isColored: true)
    _ = drawing.draw(lines + ["x"], at: .now, on: terminal)
    #expect(drawing.draw(["", "x"], at: .now, on: terminal).hasPrefix("\u{1B}[3A\r"))
  }

  @Test("a picture keeps its shape: a cell is twice as high as wide")
  func cells() throws {
    let wide = try #require(
      TerminalPicture(width: 32, height: 18, pixels: .init(repeating: 0, count: 32 * 18 * 3)))
    #expect(wide.cells(in: .init(columns: 79, rows: 9)) == .init(columns: 32, rows: 9))
    #expect(wide.cells(in: .init(columns: 16, rows: 9)) == .init(columns: 16, rows: 5))
    #expect(wide.cells(in: .init(columns: 200, rows: 60)).rows == 24)
  }

  @Test("kitty and Ghostty get pixels, some others sixels, and half blocks the rest with 24 bits")
  func terminals() {
    let cell = TerminalPicture.Cells(columns: 8, rows: 16)
    func way(_ variables: [String: String], cell: TerminalPicture.Cells? = nil) -> PictureProtocol?
    {
      PictureProtocol.named(cell: cell) { variables[$0] ?? "" }
    }
    #expect(way(["TERM": "xterm-kitty"]) == .kitty)
    #expect(way(["TERM": "xterm-ghostty", "COLORTERM": "truecolor"], cell: cell) == .kitty)
    #expect(way(["TERM": "xterm-kitty", "STY": "1", "COLORTERM": "truecolor"]) == .blocks)
    #expect(way(["TERM": "foot", "COLORTERM": "truecolor"], cell: cell) == .sixel(cell: cell))
    #expect(way(["TERM": "foot", "COLORTERM": "truecolor"]) == .blocks)
    #expect(
      way(["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], cell: cell) == .sixel(cell: cell))
    #expect(
      way(["TERM": "tmux-256color", "TMUX": "x", "COLORTERM": "24bit"], cell: cell) == .blocks)
    #expect(way(["TERM": "xterm-direct"]) == .blocks)
    #expect(way(["TERM": "xterm-256color"], cell: cell) == nil)
    #expect(way(["TERM": "linux"]) == nil)
  }
}
