import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import Terminal

/// The table that closes a run.
enum OutputTable {
  /// The table of a run that is over and took `elapsed`, as lines that each end in a line feed; nothing
  /// where nothing was written. Long paths are shortened to a terminal's `columns`; without one, every
  /// path stands in full.
  static func text(_ tally: RunTally, elapsed: Duration, columns: Int?) -> String {
    let outputs = tally.states.flatMap { state in
      state.outputs.map { (output: $0, elapsed: state.elapsed) }
    }
    let upToDate = tally.count(.upToDate)
    let idle =
      upToDate == 0
      ? "" : upToDate == 1 ? "1 job was up to date\n" : "\(upToDate) jobs were up to date\n"
    guard !outputs.isEmpty else { return idle }
    let rows =
      [["Output", "Duration", "Size", "Speed", "Made as"]]
      + outputs.map { row($0.output, in: $0.elapsed) }
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
    let all = outputs.count > 1 ? lines + ["", total(outputs.map(\.output), in: elapsed)] : lines
    return (all.map { $0 + "\n" } + [idle]).joined()
  }

  /// Columns that a path keeps on the narrowest terminal; the line breaks there.
  private static let shortestPath = 12

  private static func row(_ output: RunReport.Output, in elapsed: Duration) -> [String] {
    let sound = output.sound
    let format = sound.map {
      ", " + AudioFormat.text(sampleRate: $0.sampleRate, channelCount: $0.channelCount)
    }
    return [
      output.path.string.printable, sound.map { Figures.clock($0.duration) } ?? "",
      Figures.size(bytes: output.bytes ?? 0),
      sound.flatMap { Figures.speed($0.duration, in: elapsed) } ?? "",
      (output.format + (format ?? "") + (sound?.levelText.map { ", " + $0 } ?? "")
        + (sound?.copied.map { ", " + $0.share } ?? "")
        + (sound?.conformances.map { ", conforms to " + $0.specification }.joined() ?? ""))
        .printable,
    ]
  }

  private static func total(_ outputs: [RunReport.Output], in elapsed: Duration) -> String {
    let speed = Figures.speed(outputs.duration, in: elapsed).map { ", \($0) real time" } ?? ""
    return "\(outputs.count) outputs, \(Figures.clock(outputs.duration)) of sound, "
      + "\(Figures.size(bytes: outputs.bytes)), in \(Figures.elapsed(elapsed))\(speed)"
  }
}

extension [CopiedPart] {
  /// How much of an output is copied, as "97 % copied".
  fileprivate var share: String {
    let all = reduce(0) { $0 + $1.frames.count }
    let copied = reduce(0) { $0 + ($1.source == nil ? 0 : $1.frames.count) }
    return copied == all ? "copied" : "\(copied * 100 / Swift.max(1, all)) % copied"
  }
}
