import Glibc
import SystemPackage

/// Locks on ranges of a file, between processes and between openings of it in one: those of open file
/// descriptions (fcntl(2)), which end with the descriptor, however its process ends.
package enum RangeLock {
  /// F_OFD_SETLK, which is there only under _GNU_SOURCE.
  private static let setLock: Int32 = 37

  /// Tries to get a range for this opening of the file alone.
  ///
  /// - Returns: Whether it has it; false where another has a part of it.
  /// - Throws: `Errno` where the file system has no such locks, or the system no room for them.
  package static func tryLock(
    _ range: Range<Int64>, of file: FileDescriptor
  ) throws(Errno) -> Bool {
    if set(F_WRLCK, range, of: file) { return true }
    let code = Errno(rawValue: errno)
    guard [.resourceTemporarilyUnavailable, .permissionDenied].contains(code) else { throw code }
    return false
  }

  /// Gives a range back, or a part of it, held or not.
  package static func unlock(_ range: Range<Int64>, of file: FileDescriptor) {
    _ = set(F_UNLCK, range, of: file)
  }

  private static func set(_ kind: Int32, _ range: Range<Int64>, of file: FileDescriptor) -> Bool {
    var lock = flock()
    lock.l_type = Int16(kind)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(range.lowerBound)
    lock.l_len = off_t(range.count)
    return fcntl(file.rawValue, setLock, &lock) == 0
  }
}
