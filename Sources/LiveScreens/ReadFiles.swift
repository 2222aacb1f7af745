import Diagnosis
import Files
import JobFile
import MediaComposition
import Synchronization
import SystemPackage

/// The files and folders on which job files, and what they name, depend. Safe from any thread.
package final class ReadFiles: Sendable {
  private struct Place: Hashable {
    let path: FilePath
    /// Whether its list of entries counts.
    let isFolder: Bool
  }

  /// With the file that was there when it was noted first.
  private let places = Mutex<[Place: FileIdentity?]>([:])

  /// Nothing yet.
  package init() {}

  /// The files.
  package var files: Set<FilePath> { paths(areFolders: false) }
  /// Folders whose lists of entries count.
  package var folders: Set<FilePath> { paths(areFolders: true) }

  private func paths(areFolders: Bool) -> Set<FilePath> {
    places.withLock { Set($0.keys.filter { $0.isFolder == areFolders }.map(\.path)) }
  }

  /// Notes a file before it is read.
  package func note(_ file: FilePath) { note(Place(path: file, isFolder: false)) }

  /// Notes a folder before it is listed.
  func note(folder: FilePath) { note(Place(path: folder, isFolder: true)) }

  private func note(_ place: Place) {
    places.withLock { places in
      if places[place] == nil { places[place] = .some(Self.identity(of: place.path)) }
    }
  }

  /// Adds what others depend on.
  func formUnion(_ other: ReadFiles) {
    let others = other.places.withLock { $0 }
    places.withLock { $0.merge(others) { own, _ in own } }
  }

  /// Whether any of them is not what it was when it was noted, besides what was in `watched`.
  /// O(files).
  package func haveChanged(besides watched: ReadFiles? = nil) -> Bool {
    let old = watched?.places.withLock { $0 } ?? [:]
    return places.withLock { $0 }.contains { place, identity in
      old[place] == nil && Self.identity(of: place.path) != identity
    }
  }

  private static func identity(of path: FilePath) -> FileIdentity? {
    (try? FileStatus(at: path)).map { FileIdentity($0) }
  }
}

/// A file system that notes what is read.
package struct NotingFileSystem: FileSystem {
  private let base: LocalFileSystem
  private let read: ReadFiles

  /// The files of `base`, which are noted in `read`.
  package init(base: LocalFileSystem, read: ReadFiles) { (self.base, self.read) = (base, read) }

  package func kind(of path: FilePath) -> FileKind? {
    let kind = base.kind(of: path)
    // What is not there may come.
    if kind == nil { read.note(path) }
    return kind
  }

  package func entries(of folder: FilePath) -> [FolderEntry]? {
    read.note(folder: folder)
    return base.entries(of: folder)
  }

  package func contents(of path: FilePath, limit: Int) throws -> FileContents {
    read.note(path)
    return try base.contents(of: path, limit: limit)
  }

  package func contents(of url: MediaURL, limit: Int) throws -> [UInt8] {
    try base.contents(of: url, limit: limit)
  }

  package func modificationTime(of path: FilePath) -> Duration? { base.modificationTime(of: path) }

  package func resolved(_ path: FilePath) -> FilePath { base.resolved(path) }

  package var homeDirectory: FilePath? { base.homeDirectory }
  package var currentDirectory: FilePath { base.currentDirectory }
}
