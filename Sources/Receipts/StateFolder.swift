import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage
import Threads

/// What avjob keeps beside job files, in the folder `.avjob`: receipts, locks, and what probing
/// found. All of it may be deleted at any time; then work is done again.
///
/// Everything in it is written under a temporary name and renamed, so that a reader finds a file as
/// it was or as it is. Nothing is flushed to the disk: what a crash of the machine tears is not
/// understood, which is as if it were not there. Safe from any thread, and from other processes.
package struct StateFolder: Sendable {
  /// The folder in which the job files are, as it was spelled; empty for the current one.
  package let jobFolder: FilePath
  /// The folder `.avjob` in `jobFolder`.
  package let path: FilePath
  private let currentDirectory: FilePath
  private let absoluteJobFolder: FilePath
  private let jobFolderBytes: [UInt8]

  /// The state of the job files in `jobFolder`. Relative paths count from `currentDirectory`, which
  /// is absolute. Reads and writes nothing.
  package init(besideJobsIn jobFolder: FilePath, currentDirectory: FilePath) {
    self.jobFolder = jobFolder
    self.currentDirectory = currentDirectory
    jobFolderBytes = jobFolder.bytes
    path = jobFolder.appending(".avjob")
    absoluteJobFolder = jobFolder.normalized(in: currentDirectory)
  }

  var receipts: FilePath { path.appending("receipts") }
  var locks: FilePath { path.appending("locks") }

  /// `path` as it is called from the job files' folder, so that a project may be moved as a whole:
  /// without `.`, and with `..` in front only. By names alone; no link is followed.
  package func relative(_ path: FilePath) -> FilePath {
    if let rest = plainRest(of: path) { return rest }
    return path.relative(to: absoluteJobFolder, in: currentDirectory)
  }

  /// `location` as it is kept: a path as it is called from the job files' folder, and an address
  /// without its secrets.
  package func relative(_ location: MediaLocation) -> MediaLocation {
    switch location {
    case .file(let path): .file(relative(path))
    case .remote, .source: location.redacted
    }
  }

  /// What follows the job files' folder in a path that begins with it as it was spelled, where that is
  /// normal already: nearly always, and some twenty times as fast.
  private func plainRest(of path: FilePath) -> FilePath? {
    let (bytes, prefix) = (path.bytes, jobFolderBytes)
    guard path.isAbsolute == jobFolder.isAbsolute, bytes.starts(with: prefix) else { return nil }
    var rest = bytes[prefix.count...]
    if !prefix.isEmpty, prefix.last != 0x2F {
      guard rest.first == 0x2F else { return nil }
      rest = rest.dropFirst()
    }
    // A name that begins with a dot may be `.` or `..`.
    var isStart = true
    for byte in rest {
      if isStart, byte == 0x2E { return nil }
      isStart = byte == 0x2F
    }
    return rest.isEmpty ? nil : FilePath(bytes: rest)
  }

  /// The path that a path of `relative(_:)` stands for, as this process can use it.
  package func resolve(_ relative: FilePath) -> FilePath {
    // As the kernel follows it: behind a link, `..` is not what names say.
    jobFolder.pushing(relative)
  }

  /// Whether the folder and those in it are folders, as far as they are there, and no links: what is
  /// found in them is removed when it is old, and a link may come from an archive.
  var isOwn: Bool {
    [path, receipts, locks].allSatisfy { folder in
      do throws(Errno) {
        return try FileStatus(at: folder, followingLinks: false).kind == .folder
      } catch {
        return error == .noSuchFileOrDirectory
      }
    }
  }

  /// Whether anything was kept here before.
  package var isThere: Bool { path.exists }

  // MARK: Reading

  /// The names in a folder, without `.` and `..`; none where it cannot be opened.
  static func names(in folder: FilePath) -> [FilePath.Component] {
    PathCalls.entries(of: folder)?.map(\.name) ?? []
  }

  // MARK: Writing

  /// Makes the folder and those in it, with a `.gitignore` that keeps them out of repositories.
  ///
  /// - Throws: `Errno` where that cannot be done.
  func make() throws(Errno) {
    for folder in [path, receipts, locks] {
      guard PathCalls.mkdir(folder, 0o777) != 0 else { continue }
      guard errno == EEXIST else { throw Errno(rawValue: errno) }
    }
    guard isOwn else { throw .notDirectory }
    let ignore = path.appending(".gitignore")
    guard !ignore.exists else { return }
    try write(Array("*\n".utf8), to: ignore)
  }

  /// Puts a file in its place, whole or not at all; `make()` must have gone before.
  ///
  /// - Throws: `Errno`: no space, no permission.
  func write(_ bytes: [UInt8], to target: FilePath) throws(Errno) {
    try write(to: target) { (file: inout PieceWriter) throws(Errno) in try file.append(bytes) }
  }

  /// Puts a file in its place, whole or not at all, without ever holding all of its bytes; `make()`
  /// must have gone before.
  func write(
    to target: FilePath, _ fill: (inout PieceWriter) throws(Errno) -> Void
  ) throws(Errno) {
    let temporary = try temporaryFile(for: target, fill)
    let status = PathCalls.rename(temporary, to: target)
    guard status == 0 else {
      let failure = Errno(rawValue: errno)
      PathCalls.unlink(temporary)
      throw failure
    }
  }

  /// A new file that `fill` writes, where `LockBook.sweep` finds what a process left behind.
  func temporaryFile(
    for target: FilePath, _ fill: (inout PieceWriter) throws(Errno) -> Void
  ) throws(Errno) -> FilePath {
    let temporary = try TemporaryFile.create(for: target, in: locks)
    do throws(Errno) {
      var file = PieceWriter(temporary.descriptor)
      try fill(&file)
      try file.flush()
    } catch {
      temporary.remove()
      throw error
    }
    temporary.close()
    return temporary.path
  }
}

/// Writes a file piece by piece, many small ones at once.
struct PieceWriter {
  private let file: FileDescriptor
  private var waiting: [UInt8] = []
  /// Bytes: what is written at once, or a little more.
  private static let batch = 1 << 16

  /// The descriptor stays its owner's.
  init(_ descriptor: Int32) { file = FileDescriptor(rawValue: descriptor) }

  mutating func append(_ bytes: some Collection<UInt8>) throws(Errno) {
    waiting += bytes
    if waiting.count >= Self.batch { try flush() }
  }

  /// Writes what waits. To be called at the end.
  mutating func flush() throws(Errno) {
    do {
      try file.writeAll(waiting)
    } catch {
      throw error as? Errno ?? .ioError
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
