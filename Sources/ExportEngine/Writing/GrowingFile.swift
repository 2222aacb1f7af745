import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage

/// A locked file at its own place, which has at each moment all that was written so far. A
/// recording has no other copy and must survive any stop of the machine, so it has its name from
/// the start, unlike an export.
struct GrowingFile {
  let path: FilePath
  let descriptor: Int32

  /// Opens it, with what it contains.
  ///
  /// - Parameters:
  ///   - target: The path, with links followed.
  ///   - path: Its name in messages.
  ///   - isReplacing: Whether it may exist.
  /// - Returns: The file, locked.
  /// - Throws: `mendJob` where a file exists and must not, `tryAgain` while another process writes
  ///   to it.
  static func create(
    at target: FilePath, for path: FilePath, replacing isReplacing: Bool
  ) throws(Failure) -> GrowingFile {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (isReplacing ? 0 : O_EXCL)
    let descriptor = PathCalls.open(target, flags, 0o666)
    guard descriptor >= 0 else {
      guard errno == EEXIST else {
        throw .creating(errno, "cannot create the file", path: path, in: target.folder)
      }
      throw Failure(.mendJob, "exists already; record to another file", path: path)
    }
    let file = GrowingFile(path: target, descriptor: descriptor)
    // On a file system without locks there are none.
    let isHeld = try? RangeLock.tryLock(
      RangeLock.wholeFile, of: FileDescriptor(rawValue: descriptor))
    if isHeld == false {
      file.close()
      throw Failure(.tryAgain, "another recording is written to it; wait for its end", path: path)
    }
    return file
  }

  func close() { _ = Glibc.close(descriptor) }
}

extension OutputFile {
  /// Starts a file that is at `path` from now on, and keeps its bytes whatever happens; makes
  /// missing folders.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - isReplacing: Whether an existing file is emptied.
  /// - Returns: The file, empty.
  /// - Throws: `mendJob` for an existing file, `tryAgain` while another process records into it;
  ///   otherwise as `create(at:)`.
  package static func grow(
    at path: FilePath, replacing isReplacing: Bool
  ) throws(Failure) -> OutputFile {
    try grow(at: path, replacing: isReplacing, calls: .system)
  }

  static func grow(
    at path: FilePath, replacing isReplacing: Bool, calls: FileCalls
  ) throws(Failure) -> OutputFile {
    let file = try claim(path, replacing: isReplacing, calls: calls)
    try file.empty()
    return file
  }

  /// Locks a file for `grow`, and leaves it as it is.
  static func claim(
    _ path: FilePath, replacing isReplacing: Bool, calls: FileCalls
  ) throws(Failure) -> OutputFile {
    try create(at: path, calls: calls) { (target, _) throws(Failure) in
      .target(try GrowingFile.create(at: target, for: path, replacing: isReplacing))
    }
  }

  /// Removes what a claimed file contains; nothing may be written before.
  func empty() throws(Failure) {
    precondition(size == 0, "a file is emptied before it is written")
    guard ftruncate(place.descriptor, 0) == 0 else {
      throw .writing(errno, "cannot empty the file", path: path)
    }
  }

  /// Waits until the disk has everything written: nothing that is written later gets there before it.
  func waitForDisk() throws(Failure) {
    guard calls.waitForDisk(place.descriptor) == 0 else {
      throw .writing(errno, "cannot flush the file to the disk", path: path)
    }
  }

  /// Whether there was a file at the target when this one was started.
  var isReplacing: Bool { found != nil }
}
