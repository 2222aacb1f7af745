import Diagnosis
import SystemPackage

@testable import JobFile

/// A disk in memory: files, and the folders that they stand in.
struct MemoryFiles: FileSystem {
  private var files: [String: [UInt8]] = [:]
  private var folders: [String: Set<FolderEntry>] = [:]
  /// Paths of devices, absolute.
  var devices: Set<String> = []
  /// The texts of servers, or why there are none, by their addresses.
  var pages: [String: Result<String, Failure>] = [:]
  var homeDirectory: FilePath? { "/home/ann" }
  var currentDirectory: FilePath { "/home/show" }

  /// Empty files at `paths`, relative ones in the current directory.
  init(_ paths: [String] = [], texts: [String: String] = [:], bytes: [String: [UInt8]] = [:]) {
    for path in paths { add(path, []) }
    for (path, text) in texts { add(path, Array(text.utf8)) }
    for (path, bytes) in bytes { add(path, bytes) }
  }

  private mutating func add(_ path: String, _ bytes: [UInt8]) {
    var path = FilePath(absolute(FilePath(path)))
    files[path.string] = bytes
    var kind = FileKind.file
    while let name = path.lastComponent {
      path.removeLastComponent()
      let isNew = folders[path.string, default: []].insert(FolderEntry(name, kind)).inserted
      guard isNew else { return }
      kind = .folder
    }
  }

  private func absolute(_ path: FilePath) -> String {
    currentDirectory.pushing(path).lexicallyNormalized().string
  }

  func kind(of path: FilePath) -> FileKind? {
    let path = absolute(path)
    if devices.contains(path) { return .other }
    if files[path] != nil { return .file }
    return folders[path] == nil ? nil : .folder
  }

  func entries(of folder: FilePath) -> [FolderEntry]? {
    folders[absolute(folder)].map(Array.init)
  }

  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    if devices.contains(absolute(path)) { throw Errno.invalidArgument }
    guard let bytes = files[absolute(path)] else {
      throw kind(of: path) == .folder ? Errno.isDirectory : Errno.noSuchFileOrDirectory
    }
    guard bytes.count <= limit else { throw FileTooLarge(limit: limit) }
    return FileContents(bytes, at: FilePath(absolute(path)))
  }

  func contents(of url: MediaURL, limit: Int) throws -> [UInt8] {
    guard let page = pages[url.absoluteText] else { throw Errno.noSuchFileOrDirectory }
    return Array(try page.get().utf8)
  }
}
