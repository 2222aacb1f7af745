import Diagnosis
import JobModel
import MediaComposition
import SystemPackage

/// Finds the jobs of loops that read what their own loop makes, or made: each run, and each round of a
/// watch, would find one more file.
enum LoopOutputs {
  /// Finds a job that reads what another job of its loop makes.
  ///
  /// - Parameters:
  ///   - loaded: All jobs.
  ///   - index: The job's.
  ///   - edges: What it waits for.
  ///   - isMeant: Which of the files that it reads count; nil: all.
  /// - Returns: What is reported of it; nil of any other job.
  static func made(
    by loaded: LoadedJobs, _ index: Int, _ edges: [JobDependencies.Edge],
    _ isMeant: ((FilePath) -> Bool)? = nil
  ) -> Diagnostic? {
    let job = loaded.jobs[index]
    for edge in edges {
      guard case .reads(let path) = edge.reason, isMeant?(path) ?? true else { continue }
      let other = loaded.jobs[edge.job]
      guard other.origin == job.origin, other.name != job.name,
        loaded.fileNumbers[edge.job] == loaded.fileNumbers[index]
      else { continue }
      return warning(job, path, "which '\(other.name)' makes")
    }
    return nil
  }

  /// Finds a job that reads what its loop made in an earlier run, and what no job makes now.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - path: A file that it reads.
  ///   - edges: What it waits for.
  ///   - maker: As `WatchRounds` has it.
  /// - Returns: What is reported of it; nil of any other job.
  static func madeBefore(
    _ job: Job, _ path: FilePath, _ edges: [JobDependencies.Edge],
    by maker: (_ path: FilePath, _ folder: FilePath) -> UInt64?
  ) -> Diagnostic? {
    guard
      !edges.contains(where: { if case .reads(path) = $0.reason { true } else { false } }),
      let loop = job.loop, let folder = job.folder, maker(path, folder) == loop
    else { return nil }
    return warning(job, path, "which an earlier run of this loop made")
  }

  /// The warning that a job is left out, for a reason that names the maker of a file.
  static func warning(_ job: Job, _ path: FilePath, _ reason: String) -> Diagnostic {
    Diagnostic(
      .warning, "'\(job.name)' would read '\(path)', \(reason): it is left out", at: job.origin,
      help: "write outputs elsewhere, or leave them out of the job's files by '!'")
  }
}

extension LoadedJobs {
  /// Leaves out the jobs whose file was found by the pattern of their loop among what the loop makes, or
  /// made in an earlier run. A file that the loop names is read, and waits for the job that makes it.
  ///
  /// Where two jobs write one file, nothing is left out: that is reported of all of them.
  ///
  /// - Parameter makerBefore: As `WatchRounds` has it.
  /// - Returns: A warning for each.
  /// - Complexity: O(items and outputs of all jobs), with a receipt for each file that was found
  package mutating func leaveOutOutputsOfLoops(
    madeBefore makerBefore: (_ path: FilePath, _ folder: FilePath) -> UInt64?
  ) -> [Diagnostic] {
    guard jobs.contains(where: { $0.found != nil }) else { return [] }
    let dependencies = JobDependencies(self)
    guard !dependencies.problems.contains(where: { $0.severity == .error }) else { return [] }
    let edges = dependencies.edges
    var leftOut: [Int: Diagnostic] = [:]
    for (index, job) in jobs.enumerated() {
      guard let found = job.found else { continue }
      leftOut[index] =
        LoopOutputs.made(by: self, index, edges[index]) { $0 == found }
        ?? LoopOutputs.madeBefore(job, found, edges[index], by: makerBefore)
    }
    let warnings = leftOut.sorted { $0.key < $1.key }.map(\.value)
    keep { leftOut[$0] == nil }
    return warnings
  }
}
