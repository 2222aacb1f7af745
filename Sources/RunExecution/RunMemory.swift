import Diagnosis
import ExportEngine
import JobFile
import JobModel
import MediaComposition
import Receipts
import Synchronization
import SystemPackage
import WorkerPool

/// What earlier runs left in `.avjob` beside the job files, and what this one leaves there.
///
/// Safe from any thread.
package final class RunMemory: Sendable {
  /// How a run treats what is up to date.
  package struct Options: Sendable {
    /// Whether outputs are made again that are up to date.
    package var isForced = false
    /// Whether reports say why each job runs.
    package var explains = false
    /// Whether files are compared by their contents.
    package var comparesContents = false

    /// The usual ones.
    package init() {}
  }

  /// How a run treats what is up to date.
  let options: Options
  /// Whether receipts are kept; if not, what earlier runs found of media is read, and nothing is left.
  private let keepsReceipts: Bool
  private let state = Mutex(State())

  private struct State {
    var folders: [FilePath: JobFolderState] = [:]
    /// How much was found out when it was kept.
    var keptDiscoveries = 0
    /// Folders whose trouble was reported.
    var troubled: Set<FilePath> = []
  }

  /// What is kept for the job files in one folder.
  private struct JobFolderState {
    var ledger: Ledger?
    var probes: ProbeMemory
    var analyses: AnalysisMemory
    /// What its jobs read and write: less than the jobs, which a run need not hold.
    var media: [ProbeMemory.Key] = []
    var outputs: [FilePath] = []
  }

  /// The memory of a run; nil: of a command that keeps no receipts.
  package init(_ options: Options? = nil) {
    self.options = options ?? Options()
    keepsReceipts = options != nil
  }

  /// Looks at what there is beside the job files of `jobs`, and takes away what killed runs left,
  /// where it keeps receipts.
  package func open(for jobs: [Job]) {
    let currentDirectory = FilePath.current
    var folders: [FilePath: JobFolderState] = [:]
    for job in jobs {
      guard let folder = job.folder else { continue }
      if folders[folder] == nil { folders[folder] = opened(folder, currentDirectory) }
      guard keepsReceipts else { continue }
      for medium in job.media {
        folders[folder]?.media.append(ProbeMemory.Key(medium.location, stream: medium.stream))
      }
      for output in job.outputs { folders[folder]?.outputs.append(output.path) }
    }
    state.withLock { $0.folders.merge(folders) { $1 } }
  }

  private func opened(_ folder: FilePath, _ currentDirectory: FilePath) -> JobFolderState {
    let place = StateFolder(besideJobsIn: folder, currentDirectory: currentDirectory)
    let ledger =
      keepsReceipts ? Ledger(in: place, comparesContents: options.comparesContents) : nil
    ledger?.sweep()
    return JobFolderState(
      ledger: ledger, probes: ProbeMemory(in: place, tools: Engine.tools),
      analyses: AnalysisMemory(in: place))
  }

  /// What an earlier run found out about a medium, whichever job file it was for.
  package func find(_ location: MediaLocation, stream: Int?, _ identity: FileIdentity)
    -> ProbedAsset?
  {
    let key = ProbeMemory.Key(location, stream: stream)
    for folder in state.withLock({ Array($0.folders.values) }) {
      if let found = folder.probes.find(key, identity) { return found }
    }
    return nil
  }

  /// The number of the loop whose job made a file, by its receipt beside the job files in `folder`; nil
  /// where the file is another one now, and where no receipts are kept.
  ///
  /// - Complexity: O(size of a receipt)
  package func loop(thatMade path: FilePath, besideJobsIn folder: FilePath) -> UInt64? {
    guard keepsReceipts else { return nil }
    let place = StateFolder(besideJobsIn: folder, currentDirectory: .current)
    return (ledger(for: folder) ?? Ledger(in: place)).loop(of: path)
  }

  /// The folders of the job files, in order.
  var jobFolders: [FilePath] {
    state.withLock { $0.folders.keys.sorted { $0.string < $1.string } }
  }

  /// What analyses found: a finding of any folder holds for all of them, and is kept in each.
  package var remembered: RememberedAnalyses {
    RememberedAnalyses { [self] digest in
      var found: [UInt8]?
      for folder in state.withLock({ Array($0.folders.values) }) {
        // Each folder is asked, so that it keeps what it has.
        found = folder.analyses.find(digest) ?? found
      }
      return found
    } keep: { [self] digest, finding in
      for folder in state.withLock({ Array($0.folders.values) }) {
        folder.analyses.keep(digest, finding)
      }
    }
  }

  /// The receipts of the job files in `folder`; nil where there is no job file, or none are kept.
  func ledger(for folder: FilePath?) -> Ledger? {
    folder.flatMap { folder in state.withLock { $0.folders[folder]?.ledger } }
  }

  /// All receipts that are kept, in order of their folders.
  var ledgers: [Ledger] {
    let folders = state.withLock { $0.folders }
    return folders.sorted { $0.key.string < $1.key.string }.compactMap(\.value.ledger)
  }

  /// Keeps what was found out about media for later runs, where that is more than when this was
  /// called before. That it cannot be kept is reported when receipts cannot be either.
  package func keepProbes(of library: MediaLibrary) {
    let found = library.discoveries.load(ordering: .relaxed)
    let isMore = state.withLock { state in
      defer { state.keptDiscoveries = found }
      return state.keptDiscoveries != found
    }
    for kept in state.withLock({ Array($0.folders.values) }) {
      if keepsReceipts, isMore {
        try? kept.probes.save(kept.media) { key in
          library.probedAsset(at: key.location, streamIndex: key.stream)
        }
      }
      kept.probes.release()
    }
  }

  /// Ends a run: what was found to be otherwise is kept, and receipts of outputs that are gone go.
  package func close(_ library: MediaLibrary) {
    keepProbes(of: library)
    for kept in state.withLock({ Array($0.folders.values) }) {
      if keepsReceipts { try? kept.analyses.save() }
      kept.ledger?.tidy(besides: kept.outputs)
    }
  }

  /// Reports once for each folder that nothing can be kept in it.
  func report(_ error: any Error, of ledger: Ledger, _ context: JobContext) {
    let path = ledger.folder.path
    guard state.withLock({ $0.troubled.insert(path).inserted }) else { return }
    context.warn(
      Warning(
        "cannot keep receipts here, so the next run makes everything again: \(error)", path: path))
  }
}

/// What analyses found in earlier runs beside the job files of one folder, for a command that reads
/// no job file.
package struct KeptAnalyses: Sendable {
  private let analyses: AnalysisMemory

  /// Those beside job files.
  init(besideJobsIn folder: FilePath) {
    analyses = AnalysisMemory(
      in: StateFolder(besideJobsIn: folder, currentDirectory: .current))
  }

  /// Those of the current folder; nil where no run has kept anything there.
  package static func inCurrentFolder() -> KeptAnalyses? {
    let place = StateFolder(besideJobsIn: "", currentDirectory: .current)
    return place.isThere ? KeptAnalyses(besideJobsIn: "") : nil
  }

  /// What was found under a digest.
  func find(_ digest: String) -> [UInt8]? { analyses.find(digest) }

  /// These analyses as a library takes them: it asks before it analyses, and hands over what it
  /// found.
  package var remembered: RememberedAnalyses {
    RememberedAnalyses { [analyses] in
      analyses.find($0)
    } keep: { [analyses] in
      analyses.keep($0, $1)
    }
  }

  /// Keeps what was found. That it cannot be kept costs the next command some time.
  package func save() { try? analyses.save() }
}

extension ExportInputs {
  /// What an export is made from, and the texts that its job was read from.
  init(_ fingerprint: Fingerprint, readingTexts texts: [ReadText]) {
    self.init(
      outputs: fingerprint.files.compactMap { files in
        files.first.map { Output($0, companions: Array(files.dropFirst())) }
      },
      digests: Fingerprint.Aspect.allCases.map {
        (aspect: $0.rawValue, digest: fingerprint.digests[$0] ?? "")
      },
      tools: fingerprint.tools,
      sources: fingerprint.sources.map { Source($0.location, $0.identity) })
    self.texts = texts.map { Source(.file($0.path), $0.identity) }
  }
}
