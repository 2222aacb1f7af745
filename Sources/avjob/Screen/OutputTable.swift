import MediaTime
import Terminal

/// A file that a run has written.
struct FinishedOutput: Equatable {
  /// As the user would name it.
  var path: String
  /// Of the sound in it; nil where there is none.
  var duration: Time?
  /// Its size.
  var bytes: Int64
  /// What was done, such as `MP3 V2, 44.1 kHz stereo`.
  var description: String
  /// How long the job took that wrote it, from its start to its end.
  var elapsed: Duration
}

/// The table that closes a run.
enum OutputTable {
  /// The table as lines that each end in a line feed; nothing for no outputs.
  ///
  /// - Parameters:
  ///   - outputs: A row for each, in this order.
  ///   - upToDate: How many jobs had nothing to do, for a line of their own.
  ///   - elapsed: How long the whole run took, for the closing line that several outputs get.
  ///   - columns: The terminal's width, for which long paths are shortened; nil where there is no
  ///     terminal, and every path stands in full.
  /// - Returns: The text.
  static func text(
    _ outputs: [FinishedOutput], upToDate: Int = 0, elapsed: Duration, columns: Int?
  ) -> String {
    let idle =
      upToDate == 0
      ? "" : upToDate == 1 ? "1 job was up to date\n" : "\(upToDate) jobs were up to date\n"
    guard !outputs.isEmpty else { return idle }
    var rows = [["Output", "Duration", "Size", "Speed", "Made as"]]
    for output in outputs {
      rows.append([
        output.path.printable, output.duration.map { Figures.clock($0) } ?? "",
        Figures.size(bytes: output.bytes),
        output.duration.flatMap { Figures.speed($0, in: output.elapsed) } ?? "",
        output.description.printable,
      ])
    }
    var widths = rows[0].indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
    if let columns {
      let others = widths.dropFirst().reduce(0, +) + 2 * (widths.count - 1)
      widths[0] = min(widths[0], max(shortestPath, columns - 1 - others))
    }
    let lines = rows.map { row in
      let figures = (1...3).map { row[$0].aligned(to: widths[$0]) }
      let path = row[0].shortened(to: widths[0]).padded(to: widths[0])
      return ([path] + figures + [row[4]]).joined(separator: "  ")
    }
    let all = outputs.count > 1 ? lines + ["", total(outputs, elapsed: elapsed)] : lines
    return (all.map { $0 + "\n" } + [idle]).joined()
  }

  /// Columns that a path keeps on the narrowest terminal; the line breaks there.
  private static let shortestPath = 12

  private static func total(_ outputs: [FinishedOutput], elapsed: Duration) -> String {
    let sound = outputs.reduce(Time.zero) { $0 + ($1.duration ?? .zero) }
    let bytes = outputs.reduce(Int64(0)) { $0 + $1.bytes }
    let speed = Figures.speed(sound, in: elapsed).map { ", \($0) real time" } ?? ""
    return "\(outputs.count) outputs, \(Figures.clock(sound)) of sound, "
      + "\(Figures.size(bytes: bytes)), in \(Figures.clock(elapsed))\(speed)"
  }
}
