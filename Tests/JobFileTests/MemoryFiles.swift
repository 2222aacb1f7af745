import Diagnosis
import Synchronization
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
  /// When every file was changed last.
  var modificationTime: Duration?
  func modificationTime(of path: FilePath) -> Duration? { modificationTime }
  var homeDirectory: FilePath? { "/home/ann" }
  var currentDirectory: FilePath { "/home/show" }

  /// Empty files at `paths`, relative ones in the current directory.
  init(_ paths: [String] = [], texts: [String: String] = [:], bytes: [String: [UInt8]] = [:]) {
    for path in paths { add(path, []) }
    for (path, text) in texts { add(path, Array(text.utf8)) }
    for (path, bytes) in bytes { add(path, bytes) }
  }

  private mutating func add(_ path: String, _ bytes: [UInt8]) {
    let place = Self.place(of: path, in: currentDirectory)
    files[place.path] = bytes
    for (folder, entry) in place.entries {
      guard folders[folder, default: []].insert(entry).inserted else { return }
    }
  }

  private func absolute(_ path: FilePath) -> String {
    Self.place(of: path.string, in: currentDirectory).path
  }

  /// An absolute path, and what its folders hold on the way to it, the innermost first.
  private struct Place {
    var path: String
    var entries: [(folder: String, entry: FolderEntry)] = []
  }

  /// Thousands of tests have the same few paths, and swift-system checks each step of its own in a build
  /// for debugging.
  private static let places = Mutex<[String: Place]>([:])

  private static func place(of path: String, in current: FilePath) -> Place {
    if let known = places.withLock({ $0[path] }) { return known }
    var rest = current.pushing(FilePath(path)).lexicallyNormalized()
    var place = Place(path: rest.string)
    var kind = FileKind.file
    while let name = rest.lastComponent {
      rest.removeLastComponent()
      place.entries.append((rest.string, FolderEntry(name, kind)))
      kind = .folder
    }
    places.withLock { $0[path] = place }
    return place
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
