import Diagnosis
import ExportEngine
import JobModel
import MediaComposition
import SystemPackage

/// A list of sound files that is written when all of them are there, whichever run made them.
package struct PlannedManifest: Sendable {
  /// A file that gets a line, once it is there.
  package struct Entry: Sendable {
    /// The export that makes it, as it was checked; nil: its job cannot run.
    package var session: ExportSession?
    /// Which of the export's outputs it is.
    package var output: Int
    /// What is said in it.
    package var utterance: Utterance
    /// Where the work that makes it stands among all work.
    package var order: WorkOrder
    /// Where its job file is, beside which receipts are kept; nil: it comes from no file.
    package var folder: FilePath?
  }

  /// Where it will be, and in which form.
  package var manifest: DataSetManifest
  /// Where the job file is that names it first; nil: it comes from no file.
  package var folder: FilePath?
  /// In the order of jobs, and of parts.
  package var entries: [Entry]

  /// The lists of all jobs, wanted or not.
  ///
  /// - Complexity: O(jobs + lines)
  static func all(_ preparer: Preparer) -> [PlannedManifest] {
    var planned = preparer.dependencies.manifests.map {
      PlannedManifest(manifest: $0.manifest, folder: preparer.jobs[$0.job].folder, entries: [])
    }
    guard !planned.isEmpty else { return [] }
    for (index, job) in preparer.jobs.enumerated() {
      guard let numbers = preparer.dependencies.manifestNumbers[index] else { continue }
      let outcome = preparer.outcomes[index]
      for (own, number) in numbers.enumerated() {
        let output = job.manifests?[own].output ?? 0
        planned[number].entries += outcome.entries(of: job, index, output: output, manifest: own)
      }
    }
    return planned
  }

  /// Why lists cannot be written.
  static func problems(_ preparer: Preparer) -> [Failure] {
    var folders = FolderCache()
    return preparer.dependencies.manifests.compactMap { planned in
      let (path, origin) = (planned.manifest.path, planned.manifest.origin)
      do throws(Failure) {
        try WholeFile.requireWritable(path, seeing: &folders)
        return nil
      } catch {
        return error.placed(at: origin)
      }
    }
  }
}

extension Preparer.Outcome {
  /// The lines of a job's files in one of its manifests; of a job that cannot run, one that is never
  /// there.
  fileprivate func entries(
    of job: Job, _ index: Int, output: Int, manifest: Int
  ) -> [PlannedManifest.Entry] {
    guard !isRefused, utterances.count == sessions.count else {
      return [
        PlannedManifest.Entry(
          output: output, utterance: Utterance(""), order: WorkOrder(job: index + 1),
          folder: job.folder)
      ]
    }
    return zip(sessions, utterances).enumerated().map { part, made in
      PlannedManifest.Entry(
        session: made.0, output: output, utterance: made.1[manifest],
        order: WorkOrder(job: index + 1, part: part + 1), folder: job.folder)
    }
  }
}
