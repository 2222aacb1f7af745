import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage

/// The disk, as far as reading a job file needs it; tests replace it by a dictionary.
///
/// Relative paths count from the current directory. Calls may come from any thread.
package protocol FileSystem: Sendable {
  /// The kind of `path` behind symbolic links; nil where nothing is there.
  func kind(of path: FilePath) -> FileKind?
  /// The entries of a folder without `.` and `..`, in any order, with links followed; nil where it
  /// cannot be opened.
  func entries(of folder: FilePath) -> [FolderEntry]?
  /// A file's bytes and its place, both of the file that was opened, once.
  ///
  /// - Throws: `FileTooLarge` where it has more than `limit`; `KernelFile`; `HiddenFile`; an `Errno`
  ///   where it cannot be read.
  func contents(of path: FilePath, limit: Int) throws -> FileContents
  /// A text of a server.
  ///
  /// - Throws: `FileTooLarge` where it has more than `limit`; `Failure` where it cannot be had.
  func contents(of url: MediaURL, limit: Int) throws -> [UInt8]
  /// The path behind all links; by its text alone where nothing is there.
  func resolved(_ path: FilePath) -> FilePath
  /// When a file was changed last, since 1970; nil where it cannot be known.
  func modificationTime(of path: FilePath) -> Duration?
  /// The user's folder, for `~`.
  var homeDirectory: FilePath? { get }
  /// Absolute.
  var currentDirectory: FilePath { get }
}

extension FileSystem {
  /// Nothing: there are files alone.
  package func contents(of url: MediaURL, limit: Int) throws -> [UInt8] {
    throw Failure(textOfServer: url)
  }

  /// Nothing is known.
  package func modificationTime(of path: FilePath) -> Duration? { nil }
}

extension Failure {
  fileprivate init(textOfServer url: MediaURL) {
    self.init(
      .mendJob, "texts of servers are not read here; download it and name the copy",
      location: .remote(url))
  }
}

/// The kind of a file.
package enum FileKind: Sendable, Hashable {
  case file, folder
  /// A device, a pipe, a socket.
  case other
  /// Whatever it is: its path leads out of the folder that holds all files (`--root`).
  case outside
}

/// A name in a folder.
package struct FolderEntry: Sendable, Hashable {
  /// The bytes of the name.
  package var name: FilePath.Component
  /// Its kind, with links followed.
  package var kind: FileKind
  /// Whether it is a symbolic link.
  package var isLink: Bool

  /// An entry.
  package init(_ name: FilePath.Component, _ kind: FileKind, isLink: Bool = false) {
    self.name = name
    self.kind = kind
    self.isLink = isLink
  }
}

/// A file has more bytes than its reader allows.
package struct FileTooLarge: Error {
  /// The limit in bytes.
  package var limit: Int
  /// A file with more bytes than `limit`.
  package init(limit: Int) { self.limit = limit }
}

/// What was read from a file.
package struct FileContents: Sendable, Hashable {
  /// All of it.
  package var bytes: [UInt8]
  /// Where the file lies, behind all links.
  package var place: FilePath
  /// What the file was when it was opened; nil: it is none of this machine's disk.
  package var identity: FileIdentity?

  /// The bytes of the file at `place`.
  package init(_ bytes: [UInt8], at place: FilePath, identity: FileIdentity? = nil) {
    self.bytes = bytes
    self.place = place
    self.identity = identity
  }

  /// Whether messages may quote it: it lies in `folder` or below, where no name begins with a dot, or
  /// is the one that a user named `name` in it. Job files may be a stranger's, and messages are
  /// published: they must not print lines of any file that a link leads to. `folder` is a path behind
  /// all links.
  func isQuoted(in folder: FilePath, named name: FilePath.Component? = nil) -> Bool {
    let (names, folder) = (place.components, folder.components)
    guard names.starts(with: folder) else { return false }
    let rest = names.dropFirst(folder.count)
    return rest.count == 1 && rest.first == name || !rest.contains { $0.beginsWithDot }
  }
}

/// A file of `/proc` or `/sys`, which is no file on a disk: the environment of a process is such one.
package struct KernelFile: Error, CustomStringConvertible {
  /// Why it is refused.
  package var description: String { "it is the system's own, and no file on a disk" }
}

/// A text whose values a stranger's job must not print, as names and titles (`Confinement.hides`).
package struct HiddenFile: Error {}

/// The machine's own disk, and what servers have.
package struct LocalFileSystem: FileSystem {
  /// Reads a text of a server, of so many bytes at most; throws as `contents(of:limit:)`.
  package typealias Fetch = @Sendable (MediaURL, Int) throws -> [UInt8]

  private let fetch: Fetch?

  /// The machine's own disk.
  ///
  /// - Parameter fetch: Reads texts of servers; nil: they are refused.
  package init(fetching fetch: Fetch? = nil) { self.fetch = fetch }

  /// By `fetch`.
  package func contents(of url: MediaURL, limit: Int) throws -> [UInt8] {
    guard let fetch else { throw Failure(textOfServer: url) }
    return try fetch(url, limit)
  }

  /// `stat(2)`
  package func kind(of path: FilePath) -> FileKind? {
    do throws(Errno) {
      return switch try FileStatus(at: path).kind {
      case .file: .file
      case .folder: .folder
      case .link, .pipe, .socket, .device: .other
      }
    } catch {
      return Confinement.refusal(error.rawValue) == nil ? nil : .outside
    }
  }

  /// By `stat(2)`.
  package func modificationTime(of path: FilePath) -> Duration? {
    (try? FileStatus(at: path))?.modificationTime
  }

  /// `readdir(3)`; links are followed by one `stat(2)` each.
  package func entries(of folder: FilePath) -> [FolderEntry]? {
    PathCalls.entries(of: folder)?.compactMap { entry in
      switch entry.type {
      case Int(DT_REG): FolderEntry(entry.name, .file)
      case Int(DT_DIR): FolderEntry(entry.name, .folder)
      case Int(DT_LNK), Int(DT_UNKNOWN):
        kind(of: folder.appending(entry.name)).map {
          FolderEntry(entry.name, $0, isLink: entry.type == Int(DT_LNK))
        }
      default: FolderEntry(entry.name, .other)
      }
    }
  }

  /// `open(2)`, `fstat(2)`, `read(2)`
  package func contents(of path: FilePath, limit: Int) throws -> FileContents {
    // Without O_NONBLOCK, opening a FIFO would wait for its writer.
    let file = try PathCalls.openToRead(path)
    return try file.closeAfter {
      guard !Confinement.hides(file) else { throw HiddenFile() }
      let place = PathCalls.path(of: file.rawValue) ?? resolved(path)
      let status = try FileStatus(of: file.rawValue)
      try status.requireFile()
      guard status.size <= limit else { throw FileTooLarge(limit: limit) }
      var bytes: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try block.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { return FileContents(bytes, at: place, identity: FileIdentity(status)) }
        // Most of them are of no size.
        guard status.size > 0, !PathCalls.isMadeByKernel(file) else {
          throw KernelFile()
        }
        bytes += block[..<count]
        guard bytes.count <= limit else { throw FileTooLarge(limit: limit) }
      }
    }
  }

  /// `realpath(3)`
  package func resolved(_ path: FilePath) -> FilePath {
    PathCalls.realPath(path.isEmpty ? "." : path) ?? path.normalized(in: currentDirectory)
  }

  /// `$HOME`
  package var homeDirectory: FilePath? {
    guard let home = getenv("HOME"), home.pointee != 0 else { return nil }
    return FilePath(platformString: home)
  }

  /// `getcwd(3)`
  package var currentDirectory: FilePath { .current }
}

extension FileSystem {
  /// By its text alone: for disks without links.
  package func resolved(_ path: FilePath) -> FilePath { path.normalized(in: currentDirectory) }
}

extension FileSystem {
  /// `path`, or the one path that differs only in case.
  ///
  /// A job file named `jobs/podcast.yaml` is found in `Jobs/`. An exact name wins in each folder;
  /// else the first in the order of bytes. nil where there is none.
  ///
  /// - Complexity: O(entries of the folders whose names are spelled otherwise)
  package func spelling(of path: FilePath) -> FilePath? {
    if kind(of: path) != nil { return path }
    var found = FilePath(root: path.root, [])
    for component in path.components {
      let next = found.appending(component)
      if component.kind != .regular || kind(of: next) != nil {
        found = next
        continue
      }
      let folder = found.isEmpty ? FilePath(".") : found
      let wanted = component.string.lowercased()
      let match = entries(of: folder)?.map(\.name)
        .filter { $0.string.lowercased() == wanted }
        .min { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
      guard let match else { return nil }
      found.append(match)
    }
    return found
  }
}
