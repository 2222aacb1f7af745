internal import CFiles
import Glibc
import SystemPackage

/// Whether other processes write to files.
package enum FileWriters {
  /// `F_SETLEASE` (fcntl(2), "Leases"; linux/fcntl.h): a macro of a macro, which is not imported.
  private static let setLease: Int32 = 1024

  /// Lets `has(_:)` ask: the signal that breaks a lease ends no process from now on.
  package static func begin() { signal(SIGIO, SIG_IGN) }

  /// Whether a process has the file at `path` open for writing, by a lease that is given only where
  /// none has. It is returned at once.
  ///
  /// - Returns: nil where it cannot be known: the file is another user's, or lies on a network.
  package static func has(_ path: FilePath) -> Bool? {
    guard let file = try? PathCalls.openToRead(path) else { return nil }
    defer { try? file.close() }
    guard fcntl(file.rawValue, setLease, F_RDLCK) == 0 else {
      return errno == EAGAIN && avjob_is_on_network(file.rawValue) == 0 ? true : nil
    }
    _ = fcntl(file.rawValue, setLease, F_UNLCK)
    return false
  }
}
