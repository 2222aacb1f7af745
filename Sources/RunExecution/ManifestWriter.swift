import Diagnosis
import ExportEngine
import Files
import JobModel
import MediaComposition
import Receipts
import RunPlan
import SystemPackage
import WorkerPool

/// Writes lists of sound files after a run, each when all of its files are there: those that this run
/// has made or found up to date, and those of other runs, by their receipts. So the last of several
/// shards to end writes the list of all.
package struct ManifestWriter {
  private let memory: RunMemory?
  private let replaced: ExportSession.ReplacedFiles
  private let currentDirectory = FilePath.current

  /// What became of a list.
  package struct Outcome: Sendable {
    package let manifest: DataSetManifest
    /// How many files it lists.
    package let fileCount: Int
    /// How many of them are not there.
    package fileprivate(set) var missingCount = 0
    /// Why it is not written; nil: it is there with all of its files.
    package fileprivate(set) var problem: Diagnostic?

    fileprivate init(_ planned: PlannedManifest) {
      (manifest, fileCount) = (planned.manifest, planned.entries.count)
    }
  }

  /// - Parameters:
  ///   - memory: Has the receipts; nil: only files of this run are known to be there.
  ///   - replaced: Which files at the lists' paths are replaced.
  package init(memory: RunMemory?, replacing replaced: ExportSession.ReplacedFiles) {
    self.memory = memory
    self.replaced = replaced
  }

  /// Writes the lists that are complete. One that would be as it is stays untouched.
  ///
  /// - Parameters:
  ///   - manifests: Those of the run's jobs.
  ///   - work: What the run had to do.
  ///   - reports: How it went, in the order of `work`.
  /// - Returns: What became of each, in their order.
  /// - Complexity: O(lines), with a `stat` or more for each file of another run
  package func write(
    _ manifests: [PlannedManifest], after work: [Work], _ reports: [JobReport<WorkResult>]
  ) -> [Outcome] {
    guard !manifests.isEmpty else { return [] }
    let numbers = Dictionary(
      work.enumerated().map { ($1.order, $0) }, uniquingKeysWith: { first, _ in first })
    return manifests.map { planned in
      var outcome = Outcome(planned)
      do throws(Failure) {
        var lines: [DataSetManifest.Line] = []
        for entry in planned.entries {
          let own = numbers[entry.order].map { (work[$0], reports[$0]) }
          if let line = try line(of: entry, own) { lines.append(line) }
        }
        outcome.missingCount = planned.entries.count - lines.count
        if outcome.missingCount > 0 {
          outcome.problem = Diagnostic(incomplete: planned, missing: outcome.missingCount)
        } else {
          try write(planned, lines)
        }
      } catch {
        outcome.problem = Diagnostic(error.placed(at: planned.manifest.origin))
      }
      return outcome
    }
  }

  /// The line of a file; nil where that is not there.
  private func line(
    of entry: PlannedManifest.Entry, _ own: (work: Work, report: JobReport<WorkResult>)?
  ) throws(Failure) -> DataSetManifest.Line? {
    if let own {
      guard case .finished = own.report.outcome else { return nil }
      return try own.work.settled().line(ofOutput: entry.output, saying: entry.utterance)
    }
    guard let ledger = memory?.ledger(for: entry.folder), let session = entry.settledSession(),
      isUpToDate(session, reading: entry.texts, by: ledger)
    else { return nil }
    return try session.line(ofOutput: entry.output, saying: entry.utterance)
  }

  /// Whether another run has made what this one would make, by its receipts.
  private func isUpToDate(
    _ session: ExportSession, reading texts: [ReadText], by ledger: Ledger
  ) -> Bool {
    do {
      let inputs = ExportInputs(
        try session.fingerprint { ledger.folder.relative($0).bytes }, readingTexts: texts)
      return try ledger.reason(for: inputs) == nil
    } catch {
      return false
    }
  }

  private func write(
    _ planned: PlannedManifest, _ lines: [DataSetManifest.Line]
  ) throws(Failure) {
    let path = planned.manifest.path
    let bytes = try planned.manifest.bytes(of: lines, in: currentDirectory)
    if let old = try? PathCalls.contents(of: path, limit: bytes.count), old == bytes { return }
    if replaced != .all, let foreign = foreignFile(of: planned, by: memory) {
      throw Failure(keeping: foreign, memory)
    }
    let identity = try WholeFile.write(bytes, to: path, replacing: replaced)
    guard let identity, let ledger = memory?.ledger(for: planned.folder) else { return }
    let jobFiles = planned.jobFiles.compactMap { path in
      (try? FileStatus(at: path)).map { ExportInputs.Source(.file(path), FileIdentity($0)) }
    }
    let inputs = ExportInputs(
      outputs: [.init(path)], digests: [(Ledger.manifestAspect, planned.manifest.form.rawValue)],
      tools: [:], sources: jobFiles)
    // Without a receipt the next run says that it replaces a file that may not be avjob's.
    _ = try? ledger.record(inputs, written: [path: identity]) { false }
  }
}

/// The file at the path of a list, if one is there and no receipt says that avjob made it.
package func foreignFile(
  of planned: PlannedManifest, by memory: RunMemory?
) -> ExportFiles.File? {
  let (path, origin) = (planned.manifest.path, planned.manifest.origin)
  guard SourceFile.inode(of: path) != nil,
    memory?.ledger(for: planned.folder)?.knows(path, besideOutputs: [path]) != true
  else { return nil }
  return ExportFiles.File(path: path, content: .manifest, origin: origin)
}

/// A warning of a list that jobs of another file have written, which has none of these jobs' lines but
/// theirs; nil where nobody else has.
package func foreignLines(in planned: PlannedManifest, by memory: RunMemory?) -> Diagnostic? {
  let path = planned.manifest.path
  guard SourceFile.inode(of: path) != nil, let ledger = memory?.ledger(for: planned.folder)
  else { return nil }
  var resolver = PathResolver()
  let own = Set(planned.jobFiles.compactMap { resolver.place(of: $0) })
  let others = ledger.sourceFiles(ofReceipt: path).filter { file in
    SourceFile.inode(of: file) != nil && resolver.place(of: file).map { !own.contains($0) } ?? false
  }
  guard let other = others.first else { return nil }
  return Diagnostic(
    .warning, "'\(path)' loses the lines of '\(other)', which wrote it before",
    at: planned.manifest.origin,
    help: "run both job files together, or give each a manifest of its own")
}

extension Diagnostic {
  /// Says that a list of files is not written, since `count` of them are not there.
  fileprivate init(incomplete planned: PlannedManifest, missing count: Int) {
    let path = planned.manifest.path
    let all = planned.entries.count
    let fate = SourceFile.inode(of: path) == nil ? "is not written" : "stays as it was"
    self.init(
      .note, "'\(path)' \(fate): \(count) of its \(all) files \(count == 1 ? "is" : "are") missing",
      at: planned.manifest.origin,
      help: "the run that makes the last of them writes it, in the same folder")
  }
}
