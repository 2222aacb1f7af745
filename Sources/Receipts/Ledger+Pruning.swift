import Files
import Glibc
import MediaComposition
import SystemPackage

extension Ledger {
  /// The aspect of the receipt of a list of sound files, whose value is the list's form.
  package static let manifestAspect = "manifest"

  /// Files that an earlier run made, by its receipt, and that no job makes any more.
  package struct Orphans: Sendable {
    /// An output and the files beside it that are as the run left them; at least one.
    package let files: [FilePath]
    fileprivate let receipt: FilePath.Component
    /// Whether the receipt goes with them: no other file of it is left.
    fileprivate let isWhole: Bool
  }

  /// A file that a receipt names and that no job makes any more, which stays.
  package struct Spared: Sendable, Hashable {
    /// Why it stays.
    package enum Reason: Sendable, Hashable {
      /// It lies where no job of this folder writes.
      case elsewhere
      /// Its content is that of the receipt, but the run has not made this file.
      case otherFile
      /// avjob writes no such file.
      case otherKind
    }

    /// The file.
    package let path: FilePath
    /// Why it stays.
    package let reason: Reason
  }

  /// The files that earlier runs made and no job makes any more, if they are still as they were
  /// made: files that were changed since are left out, and so are links. Changes nothing.
  ///
  /// A receipt may come from an archive or a repository and name any file. So a file counts only if
  /// a job of this folder can have written it. It does not if it lies at another place, is of
  /// another kind, or merely has the content that the receipt names, which anybody may know.
  ///
  /// - Parameters:
  ///   - isKnown: Whether a job reads or writes a file, by whatever path.
  ///   - territory: Where jobs of this folder write.
  ///   - isCancelled: Polled while contents are read.
  /// - Returns: The files of each such receipt, in order of the receipts' names; and files that
  ///   receipts name and that stay, with the reason.
  /// - Throws: `CancellationError` where contents are compared and `isCancelled`.
  /// - Complexity: O(receipts + their sources)
  package func orphans(
    besides isKnown: (FilePath) -> Bool, in territory: WrittenFolders,
    unless isCancelled: IsCancelled = { false }
  ) throws -> (removable: [Orphans], spared: [Spared]) {
    guard folder.isOwn else { return ([], []) }
    var territory = territory
    var spared: [Spared] = []
    let names = StateFolder.names(in: folder.receipts).filter(Self.isName(ofReceipt:))
    let removable = try names.sorted { $0.string < $1.string }.compactMap { name -> Orphans? in
      guard let receipt = Receipt.read(folder.receipts.appending(name)),
        let output = receipt.files.first?.path.file, self.name(ofReceipt: output) == name.stem,
        !isKnown(folder.resolve(output))
      else { return nil }
      var (orphans, isWhole): ([FilePath], Bool) = ([], true)
      for file in receipt.files {
        guard let path = file.path.file.map(folder.resolve),
          let facts = FileIdentity.ofEntry(at: path)
        else { continue }
        guard let identity = facts, !isKnown(path),
          try isAsRecorded(file, path, identity, isCancelled)
        else {
          isWhole = false
          continue
        }
        if let reason = reasonToSpare(file, path, identity, of: receipt, in: &territory) {
          spared.append(Spared(path: path, reason: reason))
          isWhole = false
        } else {
          orphans.append(path)
        }
      }
      return orphans.isEmpty ? nil : Orphans(files: orphans, receipt: name, isWhole: isWhole)
    }
    return (removable, spared)
  }

  private func isAsRecorded(
    _ file: Receipt.File, _ path: FilePath, _ identity: FileIdentity, _ isCancelled: IsCancelled
  ) throws -> Bool {
    try file.differences(from: identity) { try digest(of: .file(path), identity, isCancelled) }
      .isEmpty
  }

  /// Why a file that is as its receipt says may yet not be one that a run has made.
  private func reasonToSpare(
    _ file: Receipt.File, _ path: FilePath, _ identity: FileIdentity, of receipt: Receipt,
    in territory: inout WrittenFolders
  ) -> Spared.Reason? {
    guard territory.contains(path) else { return .elsewhere }
    guard file.differences(from: identity, digest: { nil }).isEmpty else { return .otherFile }
    return isOfOurs(path, of: receipt) ? nil : .otherKind
  }

  /// Whether avjob writes files of this name and beginning: sound, sidecars of it, a record, or a list of
  /// sound files, which has the name that its form wants.
  private func isOfOurs(_ path: FilePath, of receipt: Receipt) -> Bool {
    if let form = receipt.job[Self.manifestAspect].flatMap(DataSetManifest.Form.init) {
      return form.extensions.contains(path.extension?.lowercased() ?? "")
        && (form.stem == nil || form.stem == path.stem)
    }
    guard let output = receipt.files.first?.path.file else { return false }
    let sound = folder.resolve(output)
    if path == sound { return WrittenKind.isSound(beginningOf: path) }
    let isSidecar = Sidecar.all.contains { sound.sidecar($0) == path }
    return isSidecar || path.extension == "json" && WrittenKind.isRecord(beginningOf: path)
  }

  /// Removes files and their receipts. What another process is about to make, or has changed
  /// meanwhile, is left.
  ///
  /// - Parameters:
  ///   - orphans: What `orphans(besides:in:)` gave.
  ///   - territory: What was given to `orphans(besides:in:)`; paths may lead elsewhere meanwhile.
  /// - Returns: The system's errors, for files that it does not remove.
  package func remove(
    _ orphans: [Orphans], in territory: WrittenFolders
  ) -> [(path: FilePath, error: Errno)] {
    var territory = territory
    territory.forget()
    var refused: [(path: FilePath, error: Errno)] = []
    for one in orphans {
      guard case .held(let lock)? = try? locks.take([one.receipt.stem]) else { continue }
      defer { lock.release() }
      let receipt = folder.receipts.appending(one.receipt)
      let recorded = Receipt.read(receipt)
      var isWhole = one.isWhole
      for path in one.files {
        let file = recorded?.files.first { $0.path.file.map(folder.resolve) == path }
        guard let recorded, let file,
          let facts = FileIdentity.ofEntry(at: path), let identity = facts,
          (try? isAsRecorded(file, path, identity) { false }) == true,
          reasonToSpare(file, path, identity, of: recorded, in: &territory) == nil
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
    guard let status = try? FileStatus(at: path, followingLinks: false) else { return nil }
    return .some(status.kind == .file ? FileIdentity(status) : nil)
  }
}
