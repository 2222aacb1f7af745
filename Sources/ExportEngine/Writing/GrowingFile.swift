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
      guard errno == EEXIST else { throw .writing(errno, "cannot create the file", path: path) }
      throw Failure(.mendJob, "exists already; record to another file", path: path)
    }
    let file = GrowingFile(path: target, descriptor: descriptor)
    // A file system without locks sets another errno: there are none then.
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      file.close()
      throw Failure(.tryAgain, "another recording is written to it; wait for its end", path: path)
    }
    return file
  }

  func close() { _ = Glibc.close(descriptor) }
}
