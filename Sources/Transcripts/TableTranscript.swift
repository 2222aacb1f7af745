import Diagnosis
import MediaTime

/// A table with the columns `start`, `end` and `text`, perhaps `speaker`: Whisper's TSV, whisper.cpp's
/// CSV. Whole numbers are milliseconds; where a time has decimals, all are seconds.
struct TableTranscript {
  private let separator: UInt8
  private let columns: [String: Int]
  private var cursor = LineCursor()

  private struct Row {
    var place: Range<Int>
    var cells: [Range<Int>]
    /// Whether a quote opens a cell and none closes it.
    var isOpen = false
  }

  /// The table in `text`; nil where its first line does not name these columns.
  init?(_ text: TranscriptText) {
    for separator in [UInt8.tab, UInt8(ascii: ","), UInt8(ascii: ";")] {
      var cursor = LineCursor()
      guard let header = Self.cells(&cursor, separator, in: text) else { continue }
      let names = header.cells.map { Self.plain($0, separator, in: text).lowercased() }
      let columns = Dictionary(zip(names, names.indices)) { first, _ in first }
      guard columns["start"] != nil, columns["end"] != nil, columns["text"] != nil else { continue }
      (self.separator, self.columns, self.cursor) = (separator, columns, cursor)
      return
    }
    return nil
  }

  /// The transcript in `text`. O(n)
  func read(_ text: inout TranscriptText, speakerPrefix: Bool) -> Transcript {
    var cues = CueCollector(speakerPrefix: speakerPrefix)
    let isSeconds = hasDecimals(text)
    if let first = isSeconds { text.find(.secondsTable, at: first) }
    var cursor = cursor
    while !cues.isFull, let row = Self.cells(&cursor, separator, in: text) {
      guard row.cells.contains(where: { !$0.isEmpty }) else { continue }
      if row.isOpen {
        text.error(
          "a quote opens a cell of this row, and none closes it", at: row.place,
          help: "close it, and double each quote within the cell")
        continue
      }
      guard let start = cell("start", of: row), let end = cell("end", of: row),
        let body = body(of: row)
      else {
        text.error(
          "the row has \(row.cells.count == 1 ? "1 cell" : "\(row.cells.count) cells"), the header "
            + "\(columns.count)", at: row.place, help: "write start, end and text")
        continue
      }
      let times = [start, end].map { time($0, isSeconds: isSeconds != nil, in: &text) }
      guard let first = times[0], let last = times[1] else { continue }
      let speaker = cell("speaker", of: row).map { Self.plain($0, separator, in: text) }
      let spoken = Self.plain(body, separator, in: text).tidiedLines
      cues.append(
        Cue(spoken, in: .zero, speaker: speaker?.tidiedLines.nonEmpty), from: first, to: last,
        at: row.place, in: &text)
    }
    return Transcript(cues.cues(in: &text))
  }

  /// Where a time has a point; nil: nowhere.
  private func hasDecimals(_ text: TranscriptText) -> Range<Int>? {
    var cursor = cursor
    while let row = Self.cells(&cursor, separator, in: text) {
      for name in ["start", "end"] {
        guard let cell = cell(name, of: row) else { continue }
        if text.bytes[cell].contains(UInt8(ascii: ".")) { return cell }
      }
    }
    return nil
  }

  private func cell(_ name: String, of row: Row) -> Range<Int>? {
    columns[name].flatMap { row.cells.indices.contains($0) ? row.cells[$0] : nil }
  }

  /// The text of a row; in the last column it may have separators.
  private func body(of row: Row) -> Range<Int>? {
    guard let cell = cell("text", of: row), let last = row.cells.last else { return nil }
    return columns["text"] == columns.count - 1 ? cell.lowerBound..<last.upperBound : cell
  }

  private func time(
    _ cell: Range<Int>, isSeconds: Bool, in text: inout TranscriptText
  ) -> Time? {
    do throws(CaptionTime.Fault) {
      let digits = Array(Self.plain(cell, separator, in: text).utf8)[...]
      return try isSeconds ? CaptionTime.seconds(digits) : CaptionTime.milliseconds(digits)
    } catch {
      text.error("'\(text.quoted(cell))' \(error.message)", at: cell, help: error.help)
      return nil
    }
  }

  // MARK: Cells

  /// The cells of the next row, with their quotes; nil at the end. A cell in quotes may have line ends
  /// and separators (RFC 4180); a tab is no part of a text, and a quote in such a table is one.
  private static func cells(
    _ cursor: inout LineCursor, _ separator: UInt8, in text: TranscriptText
  ) -> Row? {
    guard let first = cursor.next(in: text) else { return nil }
    var line = first
    var cells: [Range<Int>] = []
    var start = first.lowerBound
    var index = start
    var isQuoted = false
    while true {
      if index == line.upperBound {
        guard isQuoted, let next = cursor.next(in: text) else { break }
        (line, index) = (next, next.lowerBound)
        continue
      }
      let byte = text.bytes[index]
      if byte == UInt8(ascii: "\""), separator != .tab, text.bytes[start] == byte {
        isQuoted.toggle()
      } else if byte == separator, !isQuoted {
        cells.append(text.trimmed(start..<index))
        start = index + 1
      }
      index += 1
    }
    cells.append(text.trimmed(start..<line.upperBound))
    return Row(place: first, cells: cells, isOpen: isQuoted)
  }

  /// A cell without quotes around it; two quotes in it are one.
  private static func plain(
    _ cell: Range<Int>, _ separator: UInt8, in text: TranscriptText
  ) -> String {
    let quote = UInt8(ascii: "\"")
    guard separator != .tab, cell.count >= 2, text.bytes[cell.lowerBound] == quote,
      text.bytes[cell.upperBound - 1] == quote
    else { return text.string(cell) }
    return text.string(cell.lowerBound + 1..<cell.upperBound - 1)
      .replacingScalars("\"\"", with: "\"")
  }
}
