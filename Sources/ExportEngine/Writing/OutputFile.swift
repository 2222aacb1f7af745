import Diagnosis
import Files
import Glibc
import LibAV
import MediaComposition
import Synchronization
import SystemPackage
import Threads

/// A file that appears whole or not at all, or one that grows in its place (`grow`).
///
/// An atomic file's bytes go to a temporary file in the target's folder; `commit` flushes it and
/// renames it over the target, so that after any crash the target is the old file or the new one.
/// Without a commit the temporary goes with this object, and with it the folders that were made; a
/// process that was killed leaves it to `LeftoverCache`.
///
/// Symbolic links at the target are followed, and an existing file's owner, mode, access list and
/// attributes are kept. One thread at a time.
package final class OutputFile: ByteOutput {
  /// The file's path, as requested.
  package let path: FilePath
  /// Bytes, up to the last one written.
  package private(set) var size: Int64 = 0

  private let target: FilePath
  let place: Place
  private let newFolders: [FilePath]
  let calls: FileCalls
  /// The file that was at the target when this one was started.
  let found: FileIdentity?
  private var isDone = false
  /// Its identity when it took its place; nil before.
  private(set) var identity: FileIdentity?

  /// Where the bytes are before the commit.
  enum Place {
    /// Beside the target, which is unchanged.
    case beside(TemporaryFile)
    /// In the target itself, which grows: see `GrowingFile`.
    case target(GrowingFile)

    var path: FilePath {
      switch self {
      case .beside(let file): file.path
      case .target(let file): file.path
      }
    }

    var descriptor: Int32 {
      switch self {
      case .beside(let file): file.descriptor
      case .target(let file): file.descriptor
      }
    }
  }

  /// Where the bytes are now.
  var currentPath: FilePath { place.path }

  private init(
    _ path: FilePath, target: FilePath, _ place: Place, found: FileIdentity?,
    newFolders: [FilePath], calls: FileCalls
  ) {
    self.path = path
    self.target = target
    self.place = place
    self.found = found
    self.newFolders = newFolders
    self.calls = calls
  }

  deinit { discard() }

  /// Starts a file for `path`; makes missing folders.
  ///
  /// - Throws: Where the target is no regular file or may not be written, and the system's error.
  package static func create(at path: FilePath) throws(Failure) -> OutputFile {
    try create(at: path, calls: .system)
  }

  static func create(at path: FilePath, calls: FileCalls) throws(Failure) -> OutputFile {
    try create(at: path, calls: calls) { (target, existing) throws(Failure) in
      let temporary: TemporaryFile
      do throws(Errno) {
        temporary = try TemporaryFile.create(for: target, in: target.folder)
      } catch {
        throw .creating(
          error.rawValue, "cannot create a file in its folder", path: path, in: target.folder)
      }
      temporary.takeRights(of: existing, at: target)
      return .beside(temporary)
    }
  }

  static func create(
    at path: FilePath, calls: FileCalls,
    _ open: (_ target: FilePath, _ existing: FileStatus?) throws(Failure) -> Place
  ) throws(Failure) -> OutputFile {
    let target = try followLinks(path)
    // A failed job may remove a folder that was just found: look again.
    var attempts = 0
    while true {
      attempts += 1
      let newFolders = try makeFolders(target.folder, path)
      do throws(Failure) {
        let existing = try existingFile(target, path)
        return OutputFile(
          path, target: target, try open(target, existing),
          found: existing.map { FileIdentity($0) },
          newFolders: newFolders, calls: calls)
      } catch {
        removeFolders(newFolders)
        guard error.remedy == .tryAgain, attempts < 3 else { throw error }
      }
    }
  }

  /// Bytes beyond which no output of this process may grow. Unlike `RLIMIT_FSIZE`, it leaves the cache
  /// of media alone, whose files are as long as the media.
  package static let greatestSize = Atomic<Int64>(.max)

  /// Puts bytes at an offset; gives 0 or the errno.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
    guard !isDone else { return EBADF }
    let limit = Self.greatestSize.load(ordering: .relaxed)
    guard offset <= limit - Int64(bytes.count) else { return EFBIG }
    var rest = bytes
    var offset = offset
    while !rest.isEmpty {
      let count = calls.write(place.descriptor, rest, offset)
      if count < 0, errno == EINTR { continue }
      // A write of no bytes is an error without an errno.
      guard count > 0 else {
        let failure = count == 0 ? EIO : errno
        size = max(size, offset)
        return failure
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      offset += Int64(count)
    }
    size = max(size, offset)
    return 0
  }

  /// Puts bytes at an offset.
  package func put(_ bytes: some Sequence<UInt8>, at offset: Int64) throws(Failure) {
    let status =
      bytes.withContiguousStorageIfAvailable { write(UnsafeRawBufferPointer($0), at: offset) }
      ?? Array(bytes).withUnsafeBytes { write($0, at: offset) }
    guard status == 0 else { throw .writing(status, "cannot write the file", path: path) }
  }

  /// Flushes everything written to the disk.
  package func flush() throws(Failure) {
    guard calls.flush(place.descriptor) == 0 else {
      throw .writing(errno, "cannot flush the file to the disk", path: path)
    }
  }

  /// Renames the flushed file to its target, durably. Nothing may be written after it.
  ///
  /// - Parameter replaced: Which file at the target is replaced.
  /// - Throws: `mendJob` for a file that must not be replaced, `tryAgain` where another program has
  ///   changed the unfinished one, and the system's error; the target is then unchanged, unless
  ///   only the folder's flush failed.
  package func commit(replacing replaced: ExportSession.ReplacedFiles = .all) throws(Failure) {
    precondition(!isDone, "an output file is committed or discarded once")
    defer { discard() }
    let status: FileStatus
    do throws(Errno) {
      status = try FileStatus(of: place.descriptor)
    } catch {
      throw .writing(error.rawValue, "cannot look at the finished file", path: path)
    }
    if case .beside(let temporary) = place {
      // What else is wrong with the name, renaming reports.
      guard temporary.isAt(temporary.path) != false else {
        throw Failure(
          .tryAgain, "another program has removed or replaced the unfinished file; run it again",
          path: path)
      }
      let result =
        mayReplace(replaced) ? PathCalls.rename(temporary.path, to: target) : moveOnly(temporary)
      guard result == 0 else {
        guard errno == EEXIST else {
          throw .writing(errno, "cannot rename the finished file", path: path)
        }
        throw .madeMeanwhile(path)
      }
    }
    isDone = true
    identity = FileIdentity(status)
    switch place {
    case .beside(let temporary): temporary.close()
    case .target(let file): file.close()
    }
    for folder in [target.folder] + newFolders.map(\.folder) { try flush(folder) }
  }

  /// Whether what is at the target now, if anything is, may be replaced.
  private func mayReplace(_ replaced: ExportSession.ReplacedFiles) -> Bool {
    switch replaced {
    case .all: true
    case .none: false
    case .found:
      found != nil
        && (try? FileStatus(at: target, followingLinks: false)).map { FileIdentity($0) } == found
    }
  }

  /// Renames a file to the target, where nothing may be; gives 0, or -1 with errno set.
  private func moveOnly(_ temporary: TemporaryFile) -> Int32 {
    let status = calls.renameNew(temporary.path, target)
    guard status != 0, errno == EINVAL || errno == ENOSYS else { return status }
    // The file system has no such rename. NFS may report a link that it has made as failed.
    let code = PathCalls.link(temporary.path, at: target) == 0 ? 0 : errno
    if code == 0 || code == EEXIST && temporary.isAt(target) == true {
      PathCalls.unlink(temporary.path)
      return 0
    }
    errno = code
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else { return -1 }
    // Nor has it links: another program may still come in between.
    do throws(Errno) {
      _ = try FileStatus(at: target, followingLinks: false)
      errno = EEXIST
    } catch {
      if error == .noSuchFileOrDirectory {
        return PathCalls.rename(temporary.path, to: target)
      }
      errno = error.rawValue
    }
    return -1
  }

  /// The SHA-256 of the written bytes, read back from the disk before the commit.
  ///
  /// - Parameter cancellation: Polled while the file is read; once set, there is no digest.
  /// - Returns: 32 bytes.
  /// - Throws: The system's error, or `CancellationError`.
  /// - Complexity: O(size); some 0.3 s for 100 MB.
  func digest(unless cancellation: CancellationFlag) throws -> [UInt8] {
    try fileDigest(place.path, named: path, unless: cancellation)
  }

  /// Removes what was not committed, except a file that grew at its target. Does nothing the second
  /// time.
  package func discard() {
    guard !isDone else { return }
    isDone = true
    switch place {
    case .beside(let temporary):
      temporary.remove()
      Self.removeFolders(newFolders)
    case .target(let file): file.close()
    }
  }

  /// `count` bytes from `offset` on, or as many as there are.
  func bytes(at offset: Int64, count: Int) throws(Failure) -> [UInt8] {
    var failure: CInt?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      while filled < count {
        let rest = UnsafeMutableBufferPointer(rebasing: bytes[filled...])
        let start = off_t(offset) + off_t(filled)
        let read = pread(place.descriptor, rest.baseAddress, rest.count, start)
        if read < 0, errno == EINTR { continue }
        if read < 0 { failure = errno }
        guard read > 0 else { return }
        filled += read
      }
    }
    if let failure { throw .writing(failure, "cannot read again what was written", path: path) }
    return bytes
  }

  /// Truncates the file to `size` bytes. If that fails, it stays as it is.
  package func cut(to size: Int64) {
    // Once it is closed, the descriptor may be another file's.
    guard !isDone, ftruncate(place.descriptor, off_t(size)) == 0 else { return }
    self.size = size
  }

  /// A rename is durable once its folder is flushed.
  private func flush(_ folder: FilePath) throws(Failure) {
    let descriptor = PathCalls.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that may be written and not read cannot be flushed.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else {
      throw .writing(errno, "cannot flush the folder to the disk", path: path)
    }
    defer { close(descriptor) }
    // EINVAL: the file system has no such flush (fsync(2)).
    guard calls.flush(descriptor) == 0 || errno == EINVAL else {
      throw .writing(errno, "cannot flush the folder to the disk", path: path)
    }
  }
}

extension OutputFile {
  /// The end of a path's links, even where that does not exist yet. A confined process follows none:
  /// a link that strangers made leads where they want.
  static func followLinks(_ path: FilePath) throws(Failure) -> FilePath {
    var current = path
    for _ in 0..<40 {
      guard let link = PathCalls.readlink(current) else { return current }
      guard Confinement.root == nil else { break }
      current = link.isAbsolute ? link : current.folder.pushing(link)
    }
    throw .writing(ELOOP, "cannot follow the link", path: path)
  }

  private static func requireName(_ target: FilePath, _ path: FilePath) throws(Failure) {
    guard let name = target.lastComponent, name.kind == .regular else {
      throw Failure(.mendJob, "is a folder; name a file", path: path)
    }
  }

  private static func existingFile(
    _ target: FilePath, _ path: FilePath
  ) throws(Failure) -> FileStatus? {
    try requireName(target, path)
    let status: FileStatus
    do throws(Errno) {
      status = try FileStatus(at: target)
    } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw .writing(error.rawValue, "cannot write there", path: path)
    }
    switch status.kind {
    case .file: break
    case .folder: throw Failure(.mendJob, "is a folder; name a file", path: path)
    case .link, .pipe, .socket, .device:
      throw Failure(.mendJob, "is a device, pipe or socket; only files are written", path: path)
    }
    guard PathCalls.access(target, W_OK) == 0 else {
      throw .writing(errno, "cannot replace the file", path: path)
    }
    return status
  }

  /// Checks an output before work starts, without changing the disk: its path leads to no folder or
  /// device, none of its names is too long, and the folder to write in, or to make others in, is one
  /// and may be written.
  ///
  /// - Parameters:
  ///   - path: The output's path.
  ///   - folders: Folders that were examined before.
  /// - Throws: As `create`.
  package static func requireWritable(
    _ path: FilePath, seeing folders: inout FolderCache
  ) throws(Failure) {
    var target = path
    if folders.isMissing(path.folder) {
      try requireName(path, path)
    } else {
      target = try followLinks(path)
      _ = try existingFile(target, path)
    }
    guard TemporaryFile.hasRoom(for: target) else { throw .tooLong(path) }
    try folders.requireWritable(target, for: path)
  }

  /// Makes a folder and missing ones above it; gives the new ones, outermost first.
  private static func makeFolders(
    _ folder: FilePath, _ path: FilePath
  ) throws(Failure) -> [FilePath] {
    var missing: [FilePath] = []
    var current = folder
    while !current.isEmpty, current.isMissing {
      missing.insert(current, at: 0)
      guard current.removeLastComponent() else { break }
    }
    var made: [FilePath] = []
    for folder in missing {
      if PathCalls.mkdir(folder, 0o777) == 0 {
        made.append(folder)
      } else if errno != EEXIST {
        let failure = Failure.creating(
          errno, "cannot make the folder \(folder)", path: path, in: folder.folder)
        removeFolders(made)
        throw failure
      }
    }
    return made
  }

  private static func removeFolders(_ folders: [FilePath]) {
    for folder in folders.reversed() { PathCalls.rmdir(folder) }
  }
}

extension FilePath {
  /// The folder of the last component; never empty.
  var folder: FilePath {
    let parent = removingLastComponent()
    return parent.isEmpty ? "." : parent
  }
}
