import Diagnosis

/// The line of what is said.
extension PreviewLayout {
  /// A character of the text, as the terminal shows it.
  private struct Cell {
    var text: String
    var columns: Int
    var isBlank: Bool
    /// Whether it is of the word of the moment.
    var isSaid: Bool
  }

  /// `Ann: so let us begin`, with the word of the moment emphasised. Of a text that is too long it has the
  /// part that is said now. Empty where nothing is said; nil for an entry without words.
  ///
  /// - Complexity: O(length of the text)
  func words(_ model: PreviewModel) -> String? {
    guard model.hasWords else { return nil }
    guard let said = model.said else { return "" }
    // The text has two thirds of the line.
    let name = said.speaker.map { fitted(plain($0), to: max(0, width / 3 - 2)) } ?? ""
    let speaker = name.isEmpty ? "" : name + ": "
    let room = width - speaker.columns
    let cells = cells(of: said)
    guard cells.reduce(0, { $0 + $1.columns }) > room else { return speaker + line(cells[...]) }
    let mark = characters.ellipsis
    let parts = parts(of: cells, columns: room - 2 * mark.columns)
    let place =
      cells.firstIndex(where: \.isSaid)
      ?? min(cells.count - 1, Int(said.share * Double(cells.count)))
    guard let part = parts.first(where: { $0.contains(place) }) else {
      return fitted(speaker + cells.map(\.text).joined(), to: width)
    }
    let before = part.lowerBound > 0 ? mark : ""
    let behind = part.upperBound < cells.count ? mark : ""
    return speaker + before + line(cells[part]) + behind
  }

  private func cells(of said: SaidCue) -> [Cell] {
    said.text.indices.map { index in
      let character = said.text[index]
      let text = character.isWhitespace ? " " : plain(String(character))
      return Cell(
        text: text, columns: text.columns, isBlank: character.isWhitespace,
        isSaid: said.word?.contains(index) ?? false)
    }
  }

  /// Parts of a text that fit into some columns each, broken at blanks where there are any; none where
  /// nothing fits.
  private func parts(of cells: [Cell], columns: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = 0
    while start < cells.count {
      var (end, used) = (start, 0)
      while end < cells.count, used + cells[end].columns <= columns {
        used += cells[end].columns
        end += 1
      }
      guard end > start else { return [] }
      if end < cells.count, !cells[end].isBlank,
        let blank = cells[start..<end].lastIndex(where: \.isBlank), blank > start
      {
        end = blank + 1
      }
      parts.append(start..<end)
      start = end
    }
    return parts
  }

  /// Cells in a row, without blanks at the ends.
  private func line(_ cells: ArraySlice<Cell>) -> String {
    var cells = cells.drop(while: \.isBlank)
    while cells.last?.isBlank == true { cells.removeLast() }
    var (line, said) = ("", "")
    for cell in cells {
      if cell.isSaid {
        said += cell.text
      } else {
        line += emphasised(said) + cell.text
        said = ""
      }
    }
    return line + emphasised(said)
  }

  private func emphasised(_ text: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[1;4m\(text)\u{1B}[0m" : text
  }
}
