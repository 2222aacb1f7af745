import Diagnosis
import Files
import JobFile
import MediaComposition
import Synchronization
import SystemPackage

/// The files and folders on which job files, and what they name, depend. Safe from any thread.
package final class ReadFiles: Sendable {
  private struct State {
    /// With the file that was there when it was noted first.
    var files: [FilePath: FileIdentity?] = [:]
    var folders: [FilePath: FileIdentity?] = [:]
  }

  private let state = Mutex(State())

  /// Nothing yet.
  package init() {}

  /// The files.
  var files: Set<FilePath> { state.withLock { Set($0.files.keys) } }
  /// Folders whose lists of entries count.
  var folders: Set<FilePath> { state.withLock { Set($0.folders.keys) } }

  /// Notes a file before it is read.
  package func note(_ file: FilePath) {
    state.withLock { state in
      if state.files[file] == nil { state.files[file] = .some(Self.identity(of: file)) }
    }
  }

  /// Notes a folder before it is listed.
  func note(folder: FilePath) {
    state.withLock { state in
      if state.folders[folder] == nil { state.folders[folder] = .some(Self.identity(of: folder)) }
    }
  }

  /// Adds what others depend on.
  func formUnion(_ other: ReadFiles) {
    let (files, folders) = other.state.withLock { ($0.files, $0.folders) }
    state.withLock { state in
      state.files.merge(files) { own, _ in own }
      state.folders.merge(folders) { own, _ in own }
    }
  }

  /// Whether any of them is not what it was when it was noted, besides what was in `watched`.
  /// O(files).
  func haveChanged(besides watched: ReadFiles? = nil) -> Bool {
    let (files, folders) = state.withLock { ($0.files, $0.folders) }
    let (oldFiles, oldFolders) = watched?.state.withLock { ($0.files, $0.folders) } ?? ([:], [:])
    return files.contains { oldFiles[$0.key] == nil && Self.identity(of: $0.key) != $0.value }
      || folders.contains { oldFolders[$0.key] == nil && Self.identity(of: $0.key) != $0.value }
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

  package func resolved(_ path: FilePath) -> FilePath { base.resolved(path) }

  package var homeDirectory: FilePath? { base.homeDirectory }
  package var currentDirectory: FilePath { base.currentDirectory }
}
