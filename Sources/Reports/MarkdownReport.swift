import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Terminal

/// The report for the summary page of a CI run: GitHub's Markdown (GFM), which others read too.
enum MarkdownReport {
  /// GitHub refuses a step's summary of more than 1 MiB; what does not fit is counted.
  static let sizeLimit = 900_000

  private static let start = "### avjob: "

  /// Whether a text that starts like this is a report.
  static func isReport(_ head: String) -> Bool { head.hasPrefix(start) }

  /// The whole document: a line of counts, what went wrong, and a table of all jobs. O(length).
  static func text(_ report: RunReport) -> String {
    var text = start + report.summary + "\n\n"
    text += "\(Figures.elapsed(report.elapsed)) on \(report.cores) "
    text += report.cores == 1 ? "core" : "cores"
    let written = report.writtenOutputs
    if written.bytes > 0 {
      text += ", \(Figures.clock(written.duration)) of sound, \(Figures.size(bytes: written.bytes))"
    }
    text += "\n"
    text += list("Errors", report, .error) + list("Warnings", report, .warning)
    text += list("Manifests", report.manifests.map { "- \(code($0.path.string)): \($0.state)" })
    let jobs = RunReport.Status.byAttention.flatMap { status in
      report.jobs.filter { $0.status == status }
    }
    guard !jobs.isEmpty else { return text }
    text += """

      | Job | Status | Output | Duration | Size | Speed | Levels | Clipped |
      | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |

      """
    var left = jobs.count
    for job in jobs {
      let rows = rows(job)
      guard text.utf8.count + rows.utf8.count < sizeLimit else { break }
      text += rows
      left -= 1
    }
    if left > 0 { text += "\n\(left) more \(left == 1 ? "job is" : "jobs are") not shown.\n" }
    return text
  }

  /// A row for each output.
  private static func rows(_ job: RunReport.Job) -> String {
    let head = [code(job.name), status(job)]
    guard !job.outputs.isEmpty else { return row(head + Array(repeating: "", count: 6)) }
    var rows = ""
    for (index, output) in job.outputs.enumerated() {
      rows += row((index == 0 ? head : ["", ""]) + cells(output, of: job))
    }
    return rows
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |\n"
  }

  private static func cells(_ output: RunReport.Output, of job: RunReport.Job) -> [String] {
    let size = output.bytes.map { Figures.size(bytes: $0) } ?? ""
    guard let sound = output.sound else { return [code(output.path.string), "", size, "", "", ""] }
    let levels =
      sound.levelText
      ?? sound.peak.map { "\($0.signedTenths) dBFS" }
      ?? (sound.hasPeak ? "−∞ dBFS" : "")
    let kept = sound.specifications
    let conformance = kept.isEmpty ? "" : ", conforms to " + kept.joined(separator: " and ")
    let clipped = sound.clippedSamples > 0 ? "**\(sound.clippedSamples)**" : "0"
    return [
      code(output.path.string), Figures.clock(sound.duration), size,
      Figures.speed(sound.duration, in: job.elapsed) ?? "",
      levels + escaped(conformance), clipped,
    ]
  }

  private static func status(_ job: RunReport.Job) -> String {
    let word = job.status == .failed ? "**failed**" : job.status.words
    let cause = job.blockedBy.map { " by " + code($0) } ?? ""
    return word + cause + (job.attempts > 1 ? ", \(job.attempts) attempts" : "")
  }

  /// Messages, each once.
  private static func list(
    _ title: String, _ report: RunReport, _ severity: Diagnostic.Severity
  ) -> String {
    var entries: [String] = []
    var seen: Set<String> = []
    for (job, message) in report.allMessages where message.severity == severity {
      let place = message.place.map { code("\($0.file):\($0.line):\($0.column)") + " " } ?? ""
      let entry =
        "- " + (job.map { code($0) + ": " } ?? "") + place + escaped(message.diagnostic.message)
      if seen.insert(entry).inserted { entries.append(entry) }
    }
    return list(title, entries)
  }

  private static func list(_ title: String, _ entries: [String]) -> String {
    guard !entries.isEmpty else { return "" }
    let shown = entries.prefix(100)
    let rest = entries.count - shown.count
    return "\n#### \(title)\n\n" + shown.map { $0 + "\n" }.joined()
      + (rest > 0 ? "- and \(rest) more\n" : "")
  }

  /// A name as it is: in `<code>` neither emoji nor mentions are made of it.
  private static func code(_ text: String) -> String { "<code>" + escaped(text) + "</code>" }

  /// Text that Markdown makes nothing of: whatever could mean something there is a character
  /// reference, which never does (CommonMark 0.30 §2.5), also not in the cell of a table.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.printable.unicodeScalars {
      if "&<>|`*_[]\\~$@#:".unicodeScalars.contains(scalar) {
        result += "&#\(scalar.value);"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    // An address without a scheme would become a link (GFM §6.9).
    return result.replacingScalars("www.", with: "www&#46;")
  }
}
