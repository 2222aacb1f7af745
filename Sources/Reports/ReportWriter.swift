import Diagnosis
import ExportEngine
import MediaComposition
import SystemPackage

/// Writes the reports of a run when it ends.
struct ReportWriter: Sendable {
  let diagnostics: ReportedDiagnostics
  let run: RunFacts
  var targets: [ReportTarget]
  /// Whether it is known that the reports replace nothing that is read or written otherwise.
  var isCleared = false

  /// Writes the reports of a run that ends with `status`, and reports those that cannot be written.
  ///
  /// - Returns: The status to end with: 1 in place of 0 where a report could not be written.
  func write(_ tally: RunTally, status: Int32) -> Int32 {
    var status = status
    for target in targets {
      do throws(Failure) {
        try requireNotRead(target)
        try target.write(RunReport(run, tally, diagnostics, status: status))
      } catch {
        diagnostics.report(Diagnostics(Diagnostic(error)))
        if status == 0 { status = ExitStatus.jobFailed }
      }
    }
    return status
  }

  /// A run that found a mistake before it knew all that its jobs read and write knows its job files
  /// and what they include: no report replaces these.
  private func requireNotRead(_ target: ReportTarget) throws(Failure) {
    guard !isCleared, target.replacesFile, let path = target.path else { return }
    var registry = PathRegistry()
    for file in run.files + diagnostics.map.fileNames { registry.protect(FilePath(file)) }
    guard !registry.isKnown(path) else {
      throw Failure(.mendJob, "is a file that was read; choose another path", path: path)
    }
  }
}
