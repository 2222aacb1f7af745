import SystemPackage

@testable import JobFile

/// A disk in memory: paths of files, and the folders that they stand in.
struct MemoryFiles: FileSystem {
  var files: [String: [UInt8]]
  var homeDirectory: FilePath? { "/home/ann" }
  var currentDirectory: FilePath { "/work/show" }

  /// Empty files at `paths`, relative ones in the current directory.
  init(_ paths: [String] = [], texts: [String: String] = [:]) {
    files = [:]
    for path in paths { files[absolute(FilePath(path)).string] = [] }
    for (path, text) in texts { files[absolute(FilePath(path)).string] = Array(text.utf8) }
  }

  private func absolute(_ path: FilePath) -> FilePath {
    currentDirectory.pushing(path).lexicallyNormalized()
  }

  func kind(of path: FilePath) -> FileKind? {
    let path = absolute(path)
    if files[path.string] != nil { return .file }
    return files.keys.contains { FilePath($0).starts(with: path) } ? .folder : nil
  }

  func entries(of folder: FilePath) -> [FolderEntry]? {
    let folder = absolute(folder)
    var entries: Set<FolderEntry> = []
    for file in files.keys.map({ FilePath($0) }) where file.starts(with: folder) && file != folder {
      let rest = file.components.dropFirst(folder.components.count)
      if let name = rest.first {
        entries.insert(FolderEntry(name, rest.count == 1 ? .file : .folder))
      }
    }
    return kind(of: folder) == .folder ? Array(entries) : nil
  }

  func contents(of path: FilePath, limit: Int) throws -> [UInt8] {
    guard let bytes = files[absolute(path).string] else {
      throw kind(of: path) == .folder ? Errno.isDirectory : Errno.noSuchFileOrDirectory
    }
    guard bytes.count <= limit else { throw FileTooLarge(limit: limit) }
    return bytes
  }
}
