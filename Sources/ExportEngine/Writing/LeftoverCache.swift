import Files
import MediaComposition
import Synchronization
import SystemPackage

/// Temporary files of other processes, for one view of the disk: each folder is listed once for all
/// of its outputs, or once by each thread that needs it at the same time. Safe from any thread.
package final class LeftoverCache: Sendable {
  /// The files of a folder, by the stem of their targets (`TemporaryFile.stem(ofTarget:)`).
  private typealias Found = [[UInt8]: [FilePath]]

  private let found = Mutex<[FilePath: Found]>([:])

  package init() {}

  /// Removes files that dead processes left beside those of an export. Files of living ones are
  /// kept.
  ///
  /// - Complexity: O(files), and O(entries) for each folder that was not seen before
  package func removeLeftovers(of export: Export) {
    for file in ExportFiles(export).files { removeLeftovers(beside: file.path) }
  }

  /// Removes files that dead processes left beside one output.
  package func removeLeftovers(beside path: FilePath) {
    guard let target = try? OutputFile.followLinks(path) else { return }
    for left in files(in: target.folder)[TemporaryFile.stem(ofTarget: target)] ?? [] {
      TemporaryFile.removeLeftover(left)
    }
  }

  private func files(in folder: FilePath) -> Found {
    if let known = found.withLock({ $0[folder] }) { return known }
    // Outside the lock: a disk that hangs blocks only the threads that need it.
    let new = Self.list(folder)
    found.withLock { $0[folder] = new }
    return new
  }

  private static func list(_ folder: FilePath) -> Found {
    var found: Found = [:]
    for entry in PathCalls.entries(of: folder) ?? [] {
      let path = folder.appending(entry.name)
      guard let stem = TemporaryFile.stem(ofTemporary: path) else { continue }
      found[stem, default: []].append(path)
    }
    return found
  }
}
