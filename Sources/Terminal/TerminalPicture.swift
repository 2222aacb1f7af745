import Diagnosis

/// How a terminal shows pictures.
package enum PictureProtocol: Sendable, Hashable {
  /// kitty's graphics protocol, with placeholders in the text: what is drawn over them is text again.
  case kitty
  /// Sixels, with a cell of so many pixels across and down.
  case sixel(cell: TerminalPicture.Cells)
  /// Half blocks in colours of 24 bits.
  case blocks

  /// Programs that show sixels, by the values of `TERM` and of `TERM_PROGRAM`.
  private static let sixelTerminals = [
    "foot", "foot-extra", "mlterm", "mlterm-256color", "contour", "yaft-256color", "WezTerm",
    "iTerm.app", "mintty",
  ]

  /// What a terminal has that environment variables name.
  ///
  /// tmux and GNU screen pass no graphics on, and the terminal that they were started in may be another
  /// one by now.
  ///
  /// - Parameters:
  ///   - cell: The pixels of a cell; nil where the terminal does not say.
  ///   - variable: The value of a variable; empty where there is none.
  /// - Returns: How it shows pictures; nil: in no way that is known.
  static func named(
    cell: TerminalPicture.Cells?, by variable: (String) -> String
  ) -> PictureProtocol? {
    let kind = variable("TERM")
    if variable("TMUX").isEmpty, variable("STY").isEmpty {
      if ["xterm-kitty", "xterm-ghostty"].contains(kind) { return .kitty }
      let isSixel = [kind, variable("TERM_PROGRAM")].contains(where: sixelTerminals.contains)
      if isSixel, let cell { return .sixel(cell: cell) }
    }
    let hasColours =
      ["truecolor", "24bit"].contains(variable("COLORTERM")) || kind.hasSuffix("-direct")
    return hasColours ? .blocks : nil
  }
}

/// A picture for a terminal.
package struct TerminalPicture: Sendable, Equatable {
  /// Columns and rows of text.
  package struct Cells: Sendable, Hashable {
    package var columns: Int
    package var rows: Int

    /// So many.
    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
  }

  let width: Int
  let height: Int
  /// Red, green and blue in a byte each, from the left, from the top.
  let pixels: [UInt8]

  /// A picture of `width` by `height` pixels; nil where these are not all there.
  package init?(width: Int, height: Int, pixels: [UInt8]) {
    guard width > 0, height > 0, pixels.count == width * height * 3 else { return nil }
    (self.width, self.height, self.pixels) = (width, height, pixels)
  }

  /// The cells that it fills of those that there are, in its own shape: a cell is twice as high as wide.
  package func cells(in room: Cells) -> Cells {
    let rows = max(1, min(room.rows, Self.marks.count))
    let columns = (2 * rows * width + height / 2) / height
    guard columns > room.columns else { return Cells(columns: max(1, columns), rows: rows) }
    let fitting = (room.columns * height + width) / (2 * width)
    return Cells(columns: max(1, room.columns), rows: max(1, min(rows, fitting)))
  }

  /// The lines that show it.
  package func lines(_ cells: Cells, by way: PictureProtocol) -> [String] {
    switch way {
    case .kitty: Self.placeholders(cells)
    case .sixel(let cell): sixelLines(cells, cell: cell)
    case .blocks: (0..<cells.rows).map { blocks(row: $0, cells) }
    }
  }

  // MARK: - Half blocks

  /// A line whose cells have two colours, one above the other.
  private func blocks(row: Int, _ cells: Cells) -> String {
    var line = ""
    var last: (above: [Int], below: [Int]) = ([], [])
    for column in 0..<cells.columns {
      let above = mean(column, 2 * row, cells)
      let below = mean(column, 2 * row + 1, cells)
      if above != last.above { line += "\u{1B}[38;2;\(above[0]);\(above[1]);\(above[2])m" }
      if below != last.below { line += "\u{1B}[48;2;\(below[0]);\(below[1]);\(below[2])m" }
      last = (above, below)
      line += "▀"
    }
    return line + "\u{1B}[0m"
  }

  /// The mean of the pixels of half a cell, `row` being one of twice as many rows.
  private func mean(_ column: Int, _ row: Int, _ cells: Cells) -> [Int] {
    func part(_ index: Int, of count: Int, over size: Int) -> Range<Int> {
      let start = index * size / count
      return start..<max(start + 1, (index + 1) * size / count)
    }
    let columns = part(column, of: cells.columns, over: width)
    let rows = part(row, of: 2 * cells.rows, over: height)
    var (red, green, blue) = (0, 0, 0)
    for row in rows {
      for column in columns {
        let at = (row * width + column) * 3
        red += Int(pixels[at])
        green += Int(pixels[at + 1])
        blue += Int(pixels[at + 2])
      }
    }
    let count = rows.count * columns.count
    return [red / count, green / count, blue / count]
  }

  // MARK: - kitty (sw.kovidgoyal.net/kitty/graphics-protocol, "Unicode placeholders")

  /// The picture's number on the terminal, which a colour of 256 says in its placeholders.
  private static let number = 201
  /// The marks that say in which row of the picture a placeholder stands, from kitty's list
  /// `rowcolumn-diacritics`. A cell without one is the next of its row.
  private static let marks: [Unicode.Scalar] = [
    "\u{305}", "\u{30D}", "\u{30E}", "\u{310}", "\u{312}", "\u{33D}", "\u{33E}", "\u{33F}",
    "\u{346}", "\u{34A}", "\u{34B}", "\u{34C}", "\u{350}", "\u{351}", "\u{352}", "\u{357}",
    "\u{35B}", "\u{363}", "\u{364}", "\u{365}", "\u{366}", "\u{367}", "\u{368}", "\u{369}",
  ]
  /// Bytes of Base64 in one escape sequence.
  private static let mostBytes = 4096

  private static func placeholders(_ cells: Cells) -> [String] {
    (0..<min(cells.rows, marks.count)).map { row in
      var line = "\u{1B}[38;5;\(number)m\u{10EEEE}"
      // Its row, and the first column.
      line.unicodeScalars.append(marks[row])
      line.unicodeScalars.append(marks[0])
      return line + String(repeating: "\u{10EEEE}", count: max(0, cells.columns - 1)) + "\u{1B}[0m"
    }
  }

  /// What makes kitty show it in its placeholders, instead of the one before, without an answer.
  package func transmission(_ cells: Cells) -> String {
    let text = Self.base64(pixels)
    var rest = text[...]
    var keys =
      "a=T,U=1,f=24,q=2,i=\(Self.number),s=\(width),v=\(height),c=\(cells.columns),r=\(cells.rows),"
    var sequences = ""
    repeat {
      let part = rest.prefix(Self.mostBytes)
      rest = rest.dropFirst(Self.mostBytes)
      sequences += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);"
      sequences += String(decoding: part, as: UTF8.self) + "\u{1B}\\"
      // What follows goes on with the same picture.
      keys = "q=2,"
    } while !rest.isEmpty
    return sequences
  }

  /// What makes kitty forget it.
  package static let removal = "\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\"

  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Bytes as Base64 (RFC 4648, 4); three for each pixel, so that nothing is padded.
  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4)
    for start in stride(from: 0, to: bytes.count - 2, by: 3) {
      let bits = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
      for shift in [18, 12, 6, 0] { text.append(digits[bits >> shift & 63]) }
    }
    return text
  }
}
