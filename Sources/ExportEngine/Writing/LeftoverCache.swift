import Glibc
import MediaComposition
import Synchronization
import SystemPackage

/// What one look at the disk has seen of temporary files: each folder is listed once, however many
/// outputs lie in it, or once by each thread that comes to it at the same time. For exports that write nothing, and so would leave there what a process that
/// died has left beside their outputs. To be thrown away with the run.
///
/// Safe from any thread.
package final class LeftoverCache: Sendable {
  /// By folder, what the temporary files in it are called, as `TemporaryFile.label` has it.
  private let labels = Mutex<[FilePath: Set<[UInt8]>]>([:])

  package init() {}

  /// Removes what processes that died have left beside the files of an export. What living ones write
  /// is spared.
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
    // Outside the lock: a disk that does not answer keeps only those waiting who ask for it.
    let found = Self.list(folder)
    labels.withLock { $0[folder] = found }
    return found
  }

  private static func list(_ folder: FilePath) -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    guard let stream = folder.withPlatformString({ opendir($0) }) else { return found }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      // The name is a C array behind the entry's fixed part; it ends with a NUL (dirent.h).
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
