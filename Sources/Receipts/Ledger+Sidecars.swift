import Files
import Glibc
import MediaComposition
import SystemPackage

extension Ledger {
  /// Sidecars of an export's outputs that an earlier run made, by the outputs' receipts, that the export
  /// does not write any more, and that are as they were made. To be called before `record`.
  ///
  /// A receipt may come from an archive and name any file: only what is called as a sidecar of the output
  /// counts.
  ///
  /// - Complexity: O(outputs), a receipt each
  package func staleSidecars(of inputs: ExportInputs) -> [FilePath] {
    guard folder.isOwn else { return [] }
    let written = Set(inputs.outputs.flatMap(\.files))
    return inputs.outputs.flatMap { output -> [FilePath] in
      guard let receipt = receipt(ofOutput: output.path) else { return [] }
      return Sidecar.all.map(output.path.sidecar).filter { path in
        !written.contains(path)
          && receipt.files.dropFirst().contains { $0.isStill(path, named: folder.relative(path)) }
      }
    }
  }

  /// Removes what `staleSidecars` gave.
  ///
  /// - Returns: The system's error; nil where the file is gone.
  package func remove(staleSidecar path: FilePath) -> Errno? {
    PathCalls.unlink(path) == 0 || errno == ENOENT ? nil : Errno(rawValue: errno)
  }
}

extension Receipt.File {
  /// Whether it is the regular file at a path, as it was written.
  fileprivate func isStill(_ path: FilePath, named relative: FilePath) -> Bool {
    guard self.path == .file(relative),
      let status = try? FileStatus(at: path, followingLinks: false), status.kind == .file
    else { return false }
    return differences(from: FileIdentity(status), digest: { nil }).isEmpty
  }
}
