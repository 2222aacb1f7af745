import Diagnosis
import ExportEngine
import MediaComposition
import SystemPackage

/// Writes the reports of a run when it ends. Until then, each says that the run has not ended: if
/// it is killed or crashes, the report of an earlier run would be taken for its own.
struct ReportWriter: Sendable {
  let diagnostics: ReportedDiagnostics
  let run: RunFacts
  let targets: [ReportTarget]
  /// What the run reads and writes; nil: it is known only what was read so far.
  private var registry: PathRegistry?
  /// Which targets say that the run has not ended.
  private var begun: Set<Int> = []
  /// Which are not written.
  private var refused: Set<Int> = []

  init(_ targets: [ReportTarget], of run: RunFacts, _ diagnostics: ReportedDiagnostics) {
    (self.targets, self.run, self.diagnostics) = (targets, run, diagnostics)
  }

  /// Replaces the reports of earlier runs. Other files may be the run's sources, which is not known
  /// yet.
  mutating func begin() {
    for (number, target) in targets.enumerated() where target.holdsReport {
      // Why it cannot be written is reported when it is asked for.
      if (try? target.write(unended)) != nil { begun.insert(number) }
    }
  }

  /// Finds out whether each report can be written at its path, and replaces the files there once it
  /// is known that they are none of the run's.
  ///
  /// - Parameters:
  ///   - registry: Knows what the run reads and writes.
  ///   - isWhole: Whether it knows all of that.
  /// - Returns: Whether all can; if not, that was reported, and of the reports only those are written
  ///   that were begun.
  mutating func accepts(beside registry: PathRegistry, isWhole: Bool) -> Bool {
    self.registry = registry
    var failures: [Int: Failure] = [:]
    var places = registry
    for (number, target) in targets.enumerated() {
      do throws(Failure) {
        try target.requirePlace(number, beside: &places, sources: Self.sources)
      } catch {
        failures[number] = error
      }
    }
    for (number, target) in targets.enumerated()
    where failures.isEmpty && isWhole && target.replacedFile != nil && !begun.contains(number) {
      do throws(Failure) {
        try target.write(unended)
        begun.insert(number)
      } catch {
        failures[number] = error
      }
    }
    guard !failures.isEmpty else { return true }
    diagnostics.report(
      Diagnostics(targets.indices.compactMap { failures[$0].map { Diagnostic($0) } }))
    refused = Set(targets.indices.filter { failures[$0] != nil || !begun.contains($0) })
    return false
  }

  /// Writes the reports of a run that has ended, and reports those that cannot be written: the
  /// others have that, and status 1 in place of 0.
  mutating func write(_ report: inout RunReport) {
    // Anew: a report that took a file's place has another inode now.
    var places = registry ?? filesRead
    for (number, target) in targets.enumerated() where !refused.contains(number) {
      do throws(Failure) {
        try target.requirePlace(number, beside: &places, sources: Self.sources)
        try target.write(report)
      } catch {
        let diagnostic = Diagnostic(error)
        diagnostics.report(Diagnostics(diagnostic))
        report.messages.append(RunReport.Message(diagnostic, in: diagnostics.map))
        if report.exitStatus == 0 { report.exitStatus = ExitStatus.jobFailed }
      }
    }
  }

  private static let sources = "a file that this run reads"

  private var unended: RunReport {
    var report = RunReport(run, RunTally(), diagnostics, status: ExitStatus.temporary)
    let failure = Failure(.tryAgain, RunReport.unended)
    report.messages.append(RunReport.Message(Diagnostic(failure), in: diagnostics.map))
    return report
  }

  /// A run that found a mistake early knows its job files and what they include.
  private var filesRead: PathRegistry {
    var registry = PathRegistry()
    for file in run.files + diagnostics.map.fileNames { registry.protect(FilePath(file)) }
    return registry
  }
}
