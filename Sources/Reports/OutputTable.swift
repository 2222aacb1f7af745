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
    text(
      tally.states.flatMap { state in state.outputs.map { ($0, state.elapsed) } },
      upToDate: tally.count(.upToDate), elapsed: elapsed, columns: columns)
  }

  /// The same of a run that was reported.
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
        + (sound?.copiedShare.map { ", " + $0 } ?? "")
        + (sound?.specifications.map { ", conforms to " + $0 }.joined() ?? ""))
        .printable,
    ]
  }

  private static func total(_ outputs: [RunReport.Output], in elapsed: Duration) -> String {
    let speed = Figures.speed(outputs.duration, in: elapsed).map { ", \($0) real time" } ?? ""
    return "\(outputs.count) outputs, \(Figures.clock(outputs.duration)) of sound, "
      + "\(Figures.size(bytes: outputs.bytes)), in \(Figures.elapsed(elapsed))\(speed)"
  }
}
