import Diagnosis
import ExportEngine
import Files
import JSON
import MediaComposition
import SystemPackage
import Terminal

/// Puts the reports of a run's shards together (`RunReport.merged`).
package struct ReportMerging {
  private var report: RunReport
  /// What no report may replace.
  private var registry = PathRegistry()

  /// Reads reports in JSON.
  ///
  /// - Throws: Where a file cannot be read, is no report, or is of no shard or of another run.
  /// - Complexity: O(length of the files)
  package init(of files: [FilePath]) throws(Failure) {
    var reports: [(name: String, report: RunReport)] = []
    for file in files { reports.append((file.string, try Self.report(at: file))) }
    report = try RunReport.merged(reports)
    let outputs = report.jobs.lazy.flatMap(\.outputs).map(\.path)
    for path in files + report.files.map({ FilePath($0) }) + outputs { registry.protect(path) }
  }

  /// Bytes: some hundred thousand jobs.
  private static let largestReport = 1 << 30

  private static func report(at path: FilePath) throws(Failure) -> RunReport {
    do {
      return try RunReport(
        JSONValue(reading: PathCalls.contents(of: path, limit: largestReport)))
    } catch let error as Errno {
      throw Failure(.mendInput, "cannot be read: \(error)", path: path)
    } catch let error as JSONValue.ReadingError {
      throw Failure(.mendInput, "is no JSON: \(error)", path: path)
    } catch let error as ForeignDocument {
      throw Failure(
        .mendInput,
        "is no report of a run: its '\(error.member)' is missing; '--report x.json' writes one",
        path: path)
    } catch {
      throw Failure(.reportBug, "\(error)", path: path)
    }
  }

  /// Prints what went wrong, and unless `isQuiet` the table of outputs; writes reports.
  ///
  /// - Returns: The status of the whole run; 1 in place of 0 where a report could not be written.
  package mutating func finish(_ targets: [ReportTarget], isQuiet: Bool) -> Int32 {
    for (job, message) in report.allMessages where message.severity != .note || !isQuiet {
      StandardStream.error.write((job.map(message.screen(of:)) ?? message.screen) + "\n")
    }
    if !isQuiet, !targets.contains(.output) {
      StandardStream.output.write(
        OutputTable.text(report, columns: StandardStream.output.terminal?.columns))
    }
    let outcome = RunOutcome(report)
    if let text = outcome.text { StandardStream.error.write(text + "\n") }
    for target in targets {
      do throws(Failure) {
        try target.requirePlace(
          beside: &registry, sources: "a report that is merged, or a file of the run")
        try target.write(report)
      } catch {
        StandardStream.error.write(Diagnostic(error).render(in: SourceMap()) + "\n")
        if report.exitStatus == 0 { report.exitStatus = ExitStatus.jobFailed }
      }
    }
    return report.exitStatus
  }
}
