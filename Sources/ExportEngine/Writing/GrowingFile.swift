import Diagnosis
import Glibc
import MediaComposition
import SystemPackage

/// A locked file at its own place, which holds at each moment what was written so far.
///
/// Of a recording there is no other copy: it must be there when the machine stops, however that
/// comes. So it has its name from the start, unlike an export.
struct GrowingFile {
  let path: FilePath
  let descriptor: Int32

  /// Opens it, empty.
  ///
  /// - Parameters:
  ///   - target: Where; with links followed.
  ///   - path: What messages call it.
  ///   - isReplacing: Whether a file that is there already is emptied.
  /// - Returns: The file, locked.
  /// - Throws: `mendJob` where there is one that must not be, `tryAgain` where somebody writes to it.
  static func create(
    at target: FilePath, for path: FilePath, replacing isReplacing: Bool
  ) throws(Failure) -> GrowingFile {
    // Not emptied before it is locked: it may be another's.
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (isReplacing ? 0 : O_EXCL)
    let descriptor = target.withPlatformString { open($0, flags, 0o666) }
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw .writing(errno, "cannot create the file", path: path) }
      throw Failure(.mendJob, "exists already; record to another file", path: path)
    }
    let file = GrowingFile(path: target, descriptor: descriptor)
    // A file system without locks says so by another errno: then there are none.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      file.close()
      throw Failure(.tryAgain, "another recording is written to it; wait for its end", path: path)
    }
    guard ftruncate(descriptor, 0) == 0 else {
      let failure = Failure.writing(errno, "cannot empty the file", path: path)
      file.close()
      throw failure
    }
    return file
  }

  /// Gives the lock back.
  func close() { _ = Glibc.close(descriptor) }
}
