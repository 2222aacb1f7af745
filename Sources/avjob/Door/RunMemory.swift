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
final class RunMemory: Sendable {
  let options: ReceiptOptions
  private let state = Mutex(State())

  private struct State {
    var shelves: [FilePath: Shelf] = [:]
    var jobs: [Job] = []
    /// Folders whose trouble was told.
    var troubled: Set<FilePath> = []
  }

  /// What is kept for the job files in one folder.
  private struct Shelf {
    var ledger: Ledger
    var probes: ProbeMemory
  }

  init(_ options: ReceiptOptions) { self.options = options }

  /// Looks at what there is beside the job files of `jobs`, and takes away what killed runs left.
  func open(for jobs: [Job]) {
    let currentDirectory = LocalFileSystem().currentDirectory
    for folder in Set(jobs.compactMap(\.folder)) {
      let place = StateFolder(besideJobsIn: folder, currentDirectory: currentDirectory)
      let ledger = Ledger(in: place, comparesContents: options.checksum)
      ledger.sweep()
      let shelf = Shelf(ledger: ledger, probes: ProbeMemory(in: place, tools: Engine.tools))
      state.withLock { $0.shelves[folder] = shelf }
    }
    state.withLock { $0.jobs = jobs }
  }

  /// What an earlier run found out about a medium, whichever job file it was for.
  func find(_ path: FilePath, stream: Int?, _ identity: FileIdentity) -> ProbedAsset? {
    for shelf in state.withLock({ Array($0.shelves.values) }) {
      let key = ProbeMemory.Key(path, stream: stream)
      if let found = shelf.probes.find(key, identity) { return found }
    }
    return nil
  }

  /// The receipts of the job files in `folder`; nil where there is no job file.
  func ledger(for folder: FilePath?) -> Ledger? {
    folder.flatMap { folder in state.withLock { $0.shelves[folder]?.ledger } }
  }

  /// Keeps what was found out about media for later runs. That it cannot be kept is told when
  /// receipts cannot be either.
  func keepProbes(of library: MediaLibrary) {
    let (shelves, jobs) = state.withLock { ($0.shelves, $0.jobs) }
    let groups = Dictionary(grouping: jobs) { $0.folder }
    for (folder, jobs) in groups {
      guard let folder, let shelf = shelves[folder] else { continue }
      let media = Set(jobs.flatMap(\.media).map { ProbeMemory.Key($0.path, stream: $0.stream) })
      let found = media.compactMap { key in
        library.probedAsset(at: key.path, streamIndex: key.stream).map {
          (key: key, probed: $0.found, isRecalled: $0.isRecalled)
        }
      }
      try? shelf.probes.save(found)
    }
  }

  /// Ends a run: what was found to be otherwise is kept, and receipts of outputs that are gone go.
  func close(_ library: MediaLibrary) {
    keepProbes(of: library)
    let (shelves, jobs) = state.withLock { ($0.shelves, $0.jobs) }
    for (folder, shelf) in shelves {
      shelf.ledger.prune(
        besides: jobs.filter { $0.folder == folder }.flatMap(\.outputs).map(\.path))
    }
  }

  /// Says once for each folder that nothing can be kept in it.
  func tell(_ error: any Error, of ledger: Ledger, _ context: JobContext) {
    let path = ledger.folder.path
    guard state.withLock({ $0.troubled.insert(path).inserted }) else { return }
    context.warn(
      Warning(
        "cannot keep receipts here, so the next run makes everything again: \(error)", path: path))
  }
}

extension Claim {
  /// What an export is about to make.
  init(_ fingerprint: Fingerprint) {
    self.init(
      outputs: fingerprint.files.compactMap { files in
        files.first.map { Output($0, companions: Array(files.dropFirst())) }
      },
      digests: Fingerprint.Aspect.allCases.map {
        (aspect: $0.rawValue, digest: fingerprint.digests[$0] ?? "")
      },
      tools: fingerprint.tools,
      sources: fingerprint.sources.map { Source($0.path, $0.identity) })
  }
}
