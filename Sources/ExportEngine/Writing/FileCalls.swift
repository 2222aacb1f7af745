import Files
import Glibc
import SystemPackage

/// The system calls of `OutputFile` that fail on a full or failing disk, so that tests can make
/// them fail without one.
struct FileCalls {
  /// `pwrite`: the bytes written, or -1 with errno set.
  var write: (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int64) -> Int = {
    pwrite($0, $1.baseAddress, $1.count, off_t($2))
  }
  /// `fsync`: 0, or -1 with errno set.
  var flush: (_ descriptor: Int32) -> Int32 = { fsync($0) }

  /// `fdatasync`: 0, or -1 with errno set, once the disk has all that was written.
  var waitForDisk: (_ descriptor: Int32) -> Int32 = { fdatasync($0) }

  /// `PathCalls.renameNew`
  var renameNew: (_ path: FilePath, _ target: FilePath) -> Int32 = PathCalls.renameNew

  static var system: FileCalls { FileCalls() }
}
