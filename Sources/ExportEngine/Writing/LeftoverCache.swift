import Files
import Glibc
import MediaComposition
import Synchronization
import SystemPackage

/// Temporary files, for one view of the disk: each folder is listed once for all of its outputs, or
/// once by each thread that needs it at the same time. It is for exports that write nothing, and so
/// would not remove a dead process's files beside their outputs. Safe from any thread.
package final class LeftoverCache: Sendable {
  /// The labels of temporary files by folder, as `TemporaryFile.label` gives them.
  private let labels = Mutex<[FilePath: Set<[UInt8]>]>([:])

  package init() {}

  /// Removes files that dead processes left beside those of an export. Files of living ones are
  /// kept.
  ///
  /// - Complexity: O(files), and O(entries) for each folder that was not seen before
  package func removeLeftovers(of export: Export) {
    for file in ExportFiles(export).files {
      guard let target = try? OutputFile.followLinks(file.path),
        let name = target.lastComponent,
        labels(in: target.folder).contains(TemporaryFile.label(ofTarget: name))
      else { continue }
      TemporaryFile.removeLeftovers(beside: target)
    }
  }

  private func labels(in folder: FilePath) -> Set<[UInt8]> {
    if let known = labels.withLock({ $0[folder] }) { return known }
    // Outside the lock: a disk that hangs blocks only the threads that need it.
    let found = Self.list(folder)
    labels.withLock { $0[folder] = found }
    return found
  }

  private static func list(_ folder: FilePath) -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    guard let stream = PathCalls.opendir(folder) else { return found }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      // The name is a C array after the entry's fixed part; it ends with a NUL (dirent.h).
      let bytes = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
          UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:))
        }
      }
      if let label = TemporaryFile.label(ofTemporary: bytes) { found.insert(label) }
    }
    return found
  }
}
