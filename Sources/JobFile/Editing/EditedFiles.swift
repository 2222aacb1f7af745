import Diagnosis
import SystemPackage

/// A disk on which one file has other contents: an edit that is checked before it is written.
package struct EditedFiles: FileSystem {
  private let base: any FileSystem
  private let path: FilePath
  private let bytes: [UInt8]

  /// `base`, where the file at `path`, spelled so, has `bytes`.
  package init(_ base: any FileSystem, at path: FilePath, _ bytes: [UInt8]) {
    (self.base, self.path, self.bytes) = (base, path, bytes)
  }

  package func kind(of path: FilePath) -> FileKind? { base.kind(of: path) }
  package func entries(of folder: FilePath) -> [FolderEntry]? { base.entries(of: folder) }

  package func contents(of path: FilePath, limit: Int) throws -> FileContents {
    var contents = try base.contents(of: path, limit: limit)
    guard path == self.path else { return contents }
    guard bytes.count <= limit else { throw FileTooLarge(limit: limit) }
    contents.bytes = bytes
    return contents
  }

  package func contents(of url: MediaURL, limit: Int) throws -> [UInt8] {
    try base.contents(of: url, limit: limit)
  }

  package func resolved(_ path: FilePath) -> FilePath { base.resolved(path) }
  package var homeDirectory: FilePath? { base.homeDirectory }
  package var currentDirectory: FilePath { base.currentDirectory }
}
