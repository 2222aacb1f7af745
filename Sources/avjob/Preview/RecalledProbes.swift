import ExportEngine
import JobFile
import JobModel
import MediaComposition
import Receipts
import Synchronization
import SystemPackage

/// What runs have found out about media, for a command that leaves nothing itself.
///
/// Safe from any thread.
final class RecalledProbes: Sendable {
  private let memories = Mutex<[FilePath: ProbeMemory]>([:])

  /// Looks at what there is beside the job files of `jobs`.
  func open(for jobs: [Job]) {
    let currentDirectory = LocalFileSystem().currentDirectory
    for folder in Set(jobs.compactMap(\.folder)) {
      let place = StateFolder(besideJobsIn: folder, currentDirectory: currentDirectory)
      let memory = ProbeMemory(in: place, tools: Engine.tools)
      memories.withLock { $0[folder] = memory }
    }
  }

  /// What a run found out about a medium, whichever job file it was for.
  func find(_ path: FilePath, stream: Int?, _ identity: FileIdentity) -> ProbedAsset? {
    let key = ProbeMemory.Key(path, stream: stream)
    for memory in memories.withLock({ Array($0.values) }) {
      if let found = memory.find(key, identity) { return found }
    }
    return nil
  }
}
