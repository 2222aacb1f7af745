import Diagnosis
import ExportEngine
import MediaComposition
import Receipts
import RunPlan

/// Files that exist, that work would write, and of which no receipt says that avjob made them.
/// Where no receipts are kept, these are all that exist.
///
/// - Parameters:
///   - work: As it is before it starts.
///   - memory: Has the receipts; nil: there are none.
/// - Returns: The files, in the order of the work.
/// - Complexity: O(files), two system calls for each; receipts are read only for files beside
///   outputs
package func foreignFiles(of work: [Work], by memory: RunMemory?) -> [ExportFiles.File] {
  work.flatMap { work -> [ExportFiles.File] in
    guard let graph = try? work.session.graph() else { return [] }
    let ledger = memory?.ledger(for: work.folder)
    let outputs = work.export.outputs.map(\.path)
    let sidecars = graph.sinks.flatMap { $0.sidecars.map($0.output.path.sidecar) }
    return ExportFiles(work.export).files.filter { file in
      if case .sidecar = file.content, !sidecars.contains(file.path) { return false }
      return SourceFile.inode(of: file.path) != nil
        && !(ledger?.knows(file.path, besideOutputs: outputs) ?? false)
    }
  }
}

extension Diagnostic {
  /// Says that a file of `foreignFiles` is replaced.
  package init(replacing file: ExportFiles.File) {
    self.init(
      .warning, "'\(file.path)' is replaced, and no receipt shows that avjob made it",
      at: file.origin, help: "to keep the file, stop the run and choose another path")
  }
}

extension Failure {
  /// Says that a file of `foreignFiles` is not replaced below a root; receipts of `memory` are
  /// believed.
  package init(keeping file: ExportFiles.File, _ memory: RunMemory?) {
    self.init(
      .mendJob,
      memory == nil
        ? "exists, and with --root no file is replaced; remove it before the run, or choose another "
          + "path"
        : "exists, and no receipt shows that avjob made it; with --root it is not replaced: move it "
          + "away, or choose another path",
      path: file.path, origin: file.origin)
  }
}
