import Glibc
import SystemPackage

/// Locks on ranges of a file, between processes and between openings of it in one: those of open file
/// descriptions (fcntl(2)), which end with the descriptor, however its process ends.
///
/// The only kind of lock on an open file here, but for the shared use of an entry of the media cache.
/// flock(2) locks whole files alone, and the other locks of fcntl(2) end when the process closes any
/// other opening of the file.
package enum RangeLock {
  /// The range of a file as a whole, however it grows.
  package static let wholeFile: Range<Int64> = 0..<Int64.max

  /// F_OFD_GETLK and F_OFD_SETLK, which are there only under _GNU_SOURCE.
  private static let getLock: Int32 = 36
  private static let setLock: Int32 = 37

  /// Tries to get a range for this opening of the file alone.
  ///
  /// - Returns: Whether it has it; false where another has a part of it.
  /// - Throws: `Errno` for an empty range, and where the file system has no such locks, or the system
  ///   no room for them.
  package static func tryLock(
    _ range: Range<Int64>, of file: FileDescriptor
  ) throws(Errno) -> Bool {
    // A lock of no bytes would be one of all that follow.
    guard !range.isEmpty else { throw .invalidArgument }
    var lock = lock(F_WRLCK, range)
    if fcntl(file.rawValue, setLock, &lock) == 0 { return true }
    let code = Errno(rawValue: errno)
    guard [.resourceTemporarilyUnavailable, .permissionDenied].contains(code) else { throw code }
    return false
  }

  /// Gives a range back, or a part of it, held or not.
  package static func unlock(_ range: Range<Int64>, of file: FileDescriptor) {
    guard !range.isEmpty else { return }
    var lock = lock(F_UNLCK, range)
    _ = fcntl(file.rawValue, setLock, &lock)
  }

  /// The lock of another opening that keeps this one from a range; nil where none does.
  ///
  /// - Returns: All that the lock covers.
  package static func obstacle(
    to range: Range<Int64>, of file: FileDescriptor
  ) -> Range<Int64>? {
    guard !range.isEmpty else { return nil }
    var lock = lock(F_WRLCK, range)
    guard fcntl(file.rawValue, getLock, &lock) == 0, lock.l_type != Int16(F_UNLCK) else {
      return nil
    }
    let start = Int64(lock.l_start)
    return start..<(lock.l_len == 0 ? Int64.max : start + Int64(lock.l_len))
  }

  private static func lock(_ kind: Int32, _ range: Range<Int64>) -> flock {
    var lock = flock()
    lock.l_type = Int16(kind)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(range.lowerBound)
    lock.l_len = off_t(range.count)
    return lock
  }
}
