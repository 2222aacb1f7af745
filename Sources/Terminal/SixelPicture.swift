/// Pictures as sixels (DEC STD 070, "Sixel graphics"): columns of six pixels, a character for each.
extension TerminalPicture {
  /// How a line begins that draws sixels: it saves where the cursor is (DECSC).
  static let sixelStart = "\u{1B}7"

  /// Lines without text, and the picture above them: the last one goes up to the first, draws, and ends
  /// behind the picture, so that what is cleared behind it is not of the picture.
  func sixelLines(_ cells: Cells, cell: Cells) -> [String] {
    let up = cells.rows > 1 ? "\u{1B}[\(cells.rows - 1)A" : ""
    let size = (width: cells.columns * cell.columns, height: cells.rows * cell.rows)
    let sixels = sixels(size.width, size.height)
    let line = "\(Self.sixelStart)\(up)\r\(sixels)\u{1B}8\u{1B}[\(cells.columns)C"
    return Array(repeating: "", count: cells.rows - 1) + [line]
  }

  /// Steps of red, green and blue: 252 colours, of which terminals have 256.
  private static let steps = (red: 6, green: 7, blue: 6)

  /// The picture in other pixels, each of which is the nearest one of this.
  private func sixels(_ width: Int, _ height: Int) -> String {
    let colours = quantized
    var text = Array("\u{1B}P0;1q\"1;1;\(width);\(height)".utf8)
    for colour in Set(colours).sorted() { text += Self.definition(of: colour).utf8 }
    let across = (0..<width).map { $0 * self.width / width }
    for top in stride(from: 0, to: height, by: 6) {
      // For each colour, the pixels of the band that have it, a bit for each row.
      var bits = Array(repeating: [UInt8](), count: 256)
      for row in top..<min(top + 6, height) {
        let start = row * self.height / height * self.width
        for (column, source) in across.enumerated() {
          let colour = Int(colours[start + source])
          if bits[colour].isEmpty { bits[colour] = Array(repeating: 0, count: width) }
          bits[colour][column] |= 1 << UInt8(row - top)
        }
      }
      for (colour, columns) in bits.enumerated() where !columns.isEmpty {
        text += "#\(colour)".utf8
        Self.append(columns, to: &text)
        text.append(UInt8(ascii: "$"))
      }
      text.append(UInt8(ascii: "-"))
    }
    return String(decoding: text, as: UTF8.self) + "\u{1B}\\"
  }

  /// The number of each pixel's colour.
  private var quantized: [UInt8] {
    func step(_ value: UInt8, of count: Int) -> Int { (Int(value) * (count - 1) + 127) / 255 }
    return stride(from: 0, to: pixels.count, by: 3).map { at in
      let green = step(pixels[at + 1], of: Self.steps.green)
      let blue = step(pixels[at + 2], of: Self.steps.blue)
      let red = step(pixels[at], of: Self.steps.red)
      return UInt8((red * Self.steps.green + green) * Self.steps.blue + blue)
    }
  }

  /// What gives a number its colour, in hundredths.
  private static func definition(of colour: UInt8) -> String {
    let (rest, blue) = (Int(colour) / steps.blue, Int(colour) % steps.blue)
    let parts = [
      rest / steps.green * 100 / (steps.red - 1), rest % steps.green * 100 / (steps.green - 1),
      blue * 100 / (steps.blue - 1),
    ]
    return "#\(colour);2;\(parts[0]);\(parts[1]);\(parts[2])"
  }

  /// Adds the characters of a band's columns, of which equal ones in a row are counted.
  private static func append(_ columns: [UInt8], to text: inout [UInt8]) {
    var start = 0
    while start < columns.count {
      let bits = columns[start]
      let end = columns[start...].firstIndex { $0 != bits } ?? columns.count
      let count = end - start
      if count > 3 {
        text += "!\(count)".utf8
        text.append(63 + bits)
      } else {
        for _ in 0..<count { text.append(63 + bits) }
      }
      start = end
    }
  }
}
