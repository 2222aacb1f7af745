import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import Terminal

/// The table that closes a run.
///
/// Without a terminal, every path and figure stands in full. On one, what is the same of all outputs
/// stands once, and figures are left out before a path is shortened: one line an output, or two on a
/// narrow terminal.
enum OutputTable {
  /// The table of a run that is over and took `elapsed`, as lines that each end in a line feed; nothing
  /// where nothing was written. `columns` are those of a terminal.
  static func text(_ tally: RunTally, elapsed: Duration, columns: Int?) -> String {
    text(
      tally.states.flatMap { state in state.outputs.map { ($0, state.elapsed) } },
      upToDate: tally.count(.upToDate), elapsed: elapsed, columns: columns)
  }

  /// The table of a run that was reported, in the same form.
  static func text(_ report: RunReport, columns: Int?) -> String {
    let done = report.jobs.filter { $0.status == .done }
    return text(
      done.flatMap { job in job.outputs.map { ($0, job.elapsed) } },
      upToDate: report.count(.upToDate), elapsed: report.elapsed, columns: columns)
  }

  private static func text(
    _ outputs: [(output: RunReport.Output, elapsed: Duration)], upToDate: Int, elapsed: Duration,
    columns: Int?
  ) -> String {
    let idle =
      upToDate == 0
      ? "" : upToDate == 1 ? "1 job was up to date\n" : "\(upToDate) jobs were up to date\n"
    guard !outputs.isEmpty else { return idle }
    let rows = outputs.map { Row($0.output, in: $0.elapsed) }
    // A full last column would make some terminals begin another line.
    var lines = columns.map { self.lines(rows, in: max(1, $0 - 1)) } ?? full(rows)
    if outputs.count > 1 {
      let total = total(outputs.map(\.output), in: elapsed)
      lines += [""] + (columns.map { wrapped(total, to: max(1, $0 - 1)) } ?? [total])
    }
    return (lines.map { $0 + "\n" } + [idle]).joined()
  }

  private static func total(_ outputs: [RunReport.Output], in elapsed: Duration) -> String {
    let speed = Figures.speed(outputs.duration, in: elapsed).map { ", \($0) real time" } ?? ""
    return "\(outputs.count) outputs, \(Figures.clock(outputs.duration)) of sound, "
      + "\(Figures.size(bytes: outputs.bytes)), in \(Figures.elapsed(elapsed))\(speed)"
  }
}

// MARK: - Rows

extension OutputTable {
  /// An output in words.
  private struct Row {
    let path: String
    let duration: String
    let size: String
    let speed: String
    /// The format alone.
    let format: String
    /// The format, with rate and channels.
    let sound: String
    /// What of it is copied, and what it conforms to.
    let facts: [String]
    /// From long to short.
    let levels: [String]

    init(_ output: RunReport.Output, in elapsed: Duration) {
      let sound = output.sound
      path = output.path.string.printable
      duration = sound.map { Figures.clock($0.duration) } ?? ""
      size = Figures.size(bytes: output.bytes ?? 0)
      speed = sound.flatMap { Figures.speed($0.duration, in: elapsed) } ?? ""
      format = output.format.printable
      let mix = sound.map {
        AudioFormat.text(
          sampleRate: $0.sampleRate, channelCount: $0.channelCount, layout: $0.layout)
      }
      let conformance = sound.map { $0.specifications.map { "conforms to " + $0 } } ?? []
      self.sound = [output.format, mix].compactMap(\.self).joined(separator: ", ").printable
      facts = [sound?.copiedShare].compactMap(\.self) + conformance
      levels = sound?.levelTexts ?? []
    }

    /// What it is made as, but for its levels.
    var made: String { ([sound] + facts).joined(separator: ", ") }

    /// All of that in one.
    var whole: String { ([sound] + levels.prefix(1) + facts).joined(separator: ", ") }
  }

  /// What a line of an output has beside its path, its duration and its size.
  private struct Columns {
    var speed = true
    var made = true
    /// How much the levels are shortened; nil: they are left out.
    var levels: Int? = 0

    /// From most to least.
    static let all = [
      Columns(), Columns(speed: false), Columns(speed: false, levels: 1),
      Columns(speed: false, levels: 2), Columns(speed: false, levels: nil),
      Columns(speed: false, made: false, levels: 2),
      Columns(speed: false, made: false, levels: nil),
    ]

    func cells(_ row: Row) -> [String] {
      var cells = [row.path, row.duration, row.size]
      if speed { cells.append(row.speed) }
      if made { cells.append(row.made) }
      if let levels { cells.append(row.levels[clamped: levels] ?? "") }
      return cells
    }

    var headings: [String] {
      ["Output", "Duration", "Size"] + (speed ? ["Speed"] : []) + (made ? ["Made as"] : [])
        + (levels == nil ? [] : ["Levels"])
    }
  }

  /// Columns that a path keeps on one line with its figures.
  private static let shortestPath = 24
  /// On narrower terminals an output has two lines.
  private static let shortestLine = 60

  /// Every path and figure in full.
  private static func full(_ rows: [Row]) -> [String] {
    table(
      [["Output", "Duration", "Size", "Speed", "Made as"]]
        + rows.map { [$0.path, $0.duration, $0.size, $0.speed, $0.whole] })
  }

  private static func lines(_ rows: [Row], in room: Int) -> [String] {
    let isSame = rows.count > 1 && rows.allSatisfy { $0.made == rows[0].made }
    let common = isSame ? wrapped("All made as " + rows[0].made, to: room) : []
    let hasLevels = rows.contains { !$0.levels.isEmpty }
    var shortened: [String]?
    for columns in Columns.all where room >= shortestLine {
      guard columns.made || !isSame else { continue }
      var columns = columns
      if isSame { columns.made = false }
      if !hasLevels { columns.levels = nil }
      let cells = [columns.headings] + rows.map(columns.cells)
      let widths = widths(cells)
      let others = widths.dropFirst().reduce(0, +) + 2 * (widths.count - 1)
      if widths[0] + others <= room { return table(cells) + common }
      if room - others >= shortestPath { shortened = table(cells, pathWidth: room - others) }
    }
    return (shortened ?? rows.flatMap { twoLines($0, isSame: isSame, in: room) }) + common
  }

  /// The path, and its figures below.
  private static func twoLines(_ row: Row, isSame: Bool, in room: Int) -> [String] {
    let figures = "  " + [row.duration, row.size].filter { !$0.isEmpty }.joined(separator: "  ")
    let made = isSame ? [] : [row.made, row.format]
    let leveled = row.levels.flatMap { level in
      isSame ? [level] : made.map { $0 + ", " + level }
    }
    let rest =
      (leveled + made).lazy.map { "  " + $0 }
      .first { (figures + $0).columns <= room } ?? ""
    return [row.path.shortened(to: room), figures + rest]
  }

  private static func widths(_ rows: [[String]]) -> [Int] {
    rows[0].indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
  }

  /// Figures to the right, words to the left.
  private static func table(_ rows: [[String]], pathWidth: Int? = nil) -> [String] {
    let widths = widths(rows)
    let figures = Set(["Duration", "Size", "Speed"])
    let width = pathWidth.map { min($0, widths[0]) } ?? widths[0]
    return rows.map { row in
      var cells = [row[0].shortened(to: width).padded(to: width)]
      for index in row.indices.dropFirst() {
        let isFigure = figures.contains(rows[0][index])
        let isLast = index == row.count - 1
        cells.append(
          isFigure
            ? row[index].aligned(to: widths[index])
            : isLast ? row[index] : row[index].padded(to: widths[index]))
      }
      return cells.joined(separator: "  ")
    }
  }

  /// Lines of whole words.
  private static func wrapped(_ text: String, to room: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ").map(String.init) {
      if let last = lines.last, (last + " " + word).columns <= room {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(word)
      }
    }
    return lines
  }
}

extension [String] {
  /// The element at `index`, or the last one before it; nil where there is none.
  fileprivate subscript(clamped index: Int) -> String? {
    isEmpty ? nil : self[Swift.min(index, count - 1)]
  }
}
