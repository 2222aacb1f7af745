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
    /// Where it will be; nil: its job cannot run.
    package var path: FilePath?
    /// What is said in it.
    package var utterance: Utterance
    /// Where the work that makes it stands among all work.
    package var order: WorkOrder
    /// Where its job file is, beside which receipts are kept; nil: it comes from no file.
    package var folder: FilePath?
    /// The texts that its job was read from (`Job.texts`).
    package var texts: [ReadText] = []
    /// What the export is made of anew, and which of the job's exports it is; nil: all that it reads was
    /// there when it was checked.
    var draft: (job: Draft, part: Int)?

    /// The export with the facts of the files that others have written by now; nil where its job cannot
    /// run, or some of these are not there.
    package func settledSession() -> ExportSession? { try? session?.settled(by: draft) }
  }

  /// What an export writes, with what is said in it by each manifest of its job.
  struct Listed {
    var paths: [FilePath]
    var utterances: [Utterance]

    /// Those of a job's exports; none where it has no manifest.
    static func all(_ made: Job.Exports) -> [Listed] {
      zip(made.exports, made.utterances).map { export, utterances in
        Listed(paths: export.outputs.map(\.path), utterances: utterances)
      }
    }
  }

  /// Where it will be, and in which form.
  package var manifest: DataSetManifest
  /// Where the job file is that names it first; nil: it comes from no file.
  package var folder: FilePath?
  /// The job files whose jobs name it, each once, in their order.
  package var jobFiles: [FilePath] = []
  /// In the order of jobs, and of parts.
  package var entries: [Entry]

  /// The lists of all jobs, wanted or not.
  ///
  /// - Complexity: O(jobs + lines)
  static func all(_ preparer: Preparer, _ loaded: LoadedJobs) -> [PlannedManifest] {
    var planned = preparer.dependencies.manifests.map {
      PlannedManifest(manifest: $0.manifest, folder: preparer.jobs[$0.job].folder, entries: [])
    }
    guard !planned.isEmpty else { return [] }
    for (index, job) in preparer.jobs.enumerated() {
      guard let numbers = preparer.dependencies.manifestNumbers[index] else { continue }
      let outcome = preparer.outcomes[index]
      let draft = preparer.draft(of: index)
      let file = loaded.jobFiles[loaded.fileNumbers[index]]
      for (own, number) in numbers.enumerated() {
        let output = job.manifests?[own].output ?? 0
        planned[number].entries += outcome.entries(
          of: job, index, output: output, manifest: own, draft)
        if let file, planned[number].jobFiles.last != file { planned[number].jobFiles.append(file) }
      }
    }
    return planned
  }

  /// Lets its exports have their gains from sounds that others measure.
  mutating func share(_ groups: [String: LoudnessGroup]) {
    for index in entries.indices {
      entries[index].session = entries[index].session?.sharing(groups)
    }
  }

  /// Why the list cannot be written, as far as that is known before its files are; `folders` are those
  /// that were examined before.
  func problem(seeing folders: inout FolderCache) -> Failure? {
    let lines = entries.compactMap { entry in
      entry.path.map {
        DataSetManifest.Line(
          path: $0, frameCount: 0, sampleRate: 1, utterance: entry.utterance)
      }
    }
    do throws(Failure) {
      try WholeFile.requireWritable(manifest.path, seeing: &folders)
      _ = try manifest.bytes(of: lines, in: .current)
      return nil
    } catch {
      return error.placed(at: manifest.origin)
    }
  }
}

extension Preparer.Outcome {
  /// The lines of a job's files in one of its manifests; of a job that cannot run, one that is never
  /// there.
  fileprivate func entries(
    of job: Job, _ index: Int, output: Int, manifest: Int, _ draft: Draft?
  ) -> [PlannedManifest.Entry] {
    guard !isRefused else {
      return [
        PlannedManifest.Entry(
          output: output, utterance: Utterance(""), order: WorkOrder(job: index + 1),
          folder: job.folder)
      ]
    }
    return listed.enumerated().map { part, listed in
      PlannedManifest.Entry(
        session: sessions.isEmpty ? nil : sessions[part], output: output,
        path: listed.paths[output], utterance: listed.utterances[manifest],
        order: WorkOrder(job: index + 1, part: part + 1), folder: job.folder,
        texts: job.texts ?? [], draft: draft.map { ($0, part) })
    }
  }
}
