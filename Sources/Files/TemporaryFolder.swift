import Glibc
import SystemPackage
import Threads

/// A folder with a temporary name, as `TemporaryFile` has one, until all in it is written.
package struct TemporaryFolder: Sendable {
  package let path: FilePath

  /// How long a folder of another machine's process is left, from the last entry in it: files are
  /// written in it for hours.
  private static let patience = Duration.seconds(86_400)

  /// Makes a folder beside `target`, where that is to be.
  ///
  /// - Throws: As `mkdir(2)`.
  package static func create(for target: FilePath) throws(Errno) -> TemporaryFolder {
    let path = TemporaryFile.newPath(for: target, in: target.removingLastComponent())
    guard PathCalls.mkdir(path, 0o777) == 0 else { throw Errno(rawValue: errno) }
    return TemporaryFolder(path: path)
  }

  /// Removes the folder with all that is in it.
  package func remove() { Self.remove(path) }

  /// Removes the folders of dead processes beside `target`.
  package static func removeLeftovers(beside target: FilePath) {
    let folder = target.removingLastComponent()
    let stem = TemporaryFile.stem(ofTarget: target)
    for entry in PathCalls.entries(of: folder) ?? [] {
      let path = folder.appending(entry.name)
      guard TemporaryFile.stem(ofTemporary: path) == stem, isFolder(entry, at: path),
        TemporaryFile.isLeftover(path, patience: patience)
      else { continue }
      remove(path)
    }
  }

  /// Links in it are removed, and not followed.
  private static func remove(_ folder: FilePath) {
    for entry in PathCalls.entries(of: folder) ?? [] {
      let path = folder.appending(entry.name)
      if isFolder(entry, at: path) { remove(path) } else { PathCalls.unlink(path) }
    }
    PathCalls.rmdir(folder)
  }

  private static func isFolder(_ entry: PathCalls.Entry, at path: FilePath) -> Bool {
    guard entry.type == Int(DT_UNKNOWN) else { return entry.type == Int(DT_DIR) }
    return (try? FileStatus(at: path, followingLinks: false))?.kind == .folder
  }
}
