import Files
import Glibc
import MediaComposition
import SystemPackage

extension Ledger {
  /// Files that an earlier run made, by its receipt, and that no job makes any more.
  public struct Orphans: Sendable {
    /// An output and the files beside it that are as the run left them; at least one.
    public let files: [FilePath]
    fileprivate let receipt: FilePath.Component
    /// Whether the receipt goes with them: no other file of it is left.
    fileprivate let isWhole: Bool
  }

  /// What earlier runs made and no job makes any more, as far as it is still as it was made. Files
  /// that were changed since are not among it, nor are links. Changes nothing.
  ///
  /// - Parameters:
  ///   - isKnown: Whether a job reads or writes a file, by whatever path.
  ///   - isCancelled: Polled while contents are read.
  /// - Returns: One for each receipt, in order of the receipts' names.
  /// - Throws: `CancellationError` where contents are compared and `isCancelled`.
  /// - Complexity: O(receipts + their sources)
  public func orphans(
    besides isKnown: (FilePath) -> Bool, unless isCancelled: IsCancelled = { false }
  ) throws -> [Orphans] {
    guard folder.isOwn else { return [] }
    let names = StateFolder.names(in: folder.receipts).filter(Self.isName(ofReceipt:))
    return try names.sorted { $0.string < $1.string }.compactMap { name in
      guard let files = Receipt.read(folder.receipts.appending(name))?.files,
        let output = files.first?.path.file, self.name(ofReceipt: output) == name.stem,
        !isKnown(folder.resolve(output))
      else { return nil }
      var (orphans, isWhole): ([FilePath], Bool) = ([], true)
      for file in files {
        guard let path = file.path.file.map(folder.resolve),
          let facts = FileIdentity.ofEntry(at: path)
        else { continue }
        let isOrphan = try facts.map { try isAsRecorded(file, path, $0, isCancelled) } ?? false
        if isOrphan, !isKnown(path) { orphans.append(path) } else { isWhole = false }
      }
      return orphans.isEmpty ? nil : Orphans(files: orphans, receipt: name, isWhole: isWhole)
    }
  }

  private func isAsRecorded(
    _ file: Receipt.File, _ path: FilePath, _ identity: FileIdentity, _ isCancelled: IsCancelled
  ) throws -> Bool {
    try file.differences(from: identity) { try digest(of: .file(path), identity, isCancelled) }
      .isEmpty
  }

  /// Removes files and their receipts. What another process is about to make, or has changed
  /// meanwhile, is left.
  ///
  /// - Returns: The system's errors, for files that it does not remove.
  public func remove(_ orphans: [Orphans]) -> [(path: FilePath, error: Errno)] {
    var refused: [(path: FilePath, error: Errno)] = []
    for one in orphans {
      guard case .held(let lock)? = try? locks.take([one.receipt.stem]) else { continue }
      defer { lock.release() }
      let receipt = folder.receipts.appending(one.receipt)
      let recorded = Receipt.read(receipt)?.files ?? []
      var isWhole = one.isWhole
      for path in one.files {
        let file = recorded.first { $0.path.file.map(folder.resolve) == path }
        guard let file, let facts = FileIdentity.ofEntry(at: path), let identity = facts,
          (try? isAsRecorded(file, path, identity) { false }) == true
        else {
          isWhole = false
          continue
        }
        guard PathCalls.unlink(path) != 0 else { continue }
        refused.append((path, Errno(rawValue: errno)))
        isWhole = false
      }
      if isWhole { PathCalls.unlink(receipt) }
    }
    return refused
  }
}

extension FileIdentity {
  /// `lstat` of an entry of a folder: nil where there is none, and nil within that where it
  /// is no regular file.
  fileprivate static func ofEntry(at path: FilePath) -> FileIdentity?? {
    var status = stat()
    guard PathCalls.lstat(path, &status) == 0 else { return nil }
    return .some(status.st_mode & S_IFMT == S_IFREG ? FileIdentity(status) : nil)
  }
}
