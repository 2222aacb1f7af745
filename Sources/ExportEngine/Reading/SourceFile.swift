import Glibc
import MediaComposition
import SystemPackage

/// What must hold of an input before any library sees it.
enum SourceFile {
  /// The identity of a regular, readable, non-empty file.
  ///
  /// A FIFO would hang FFmpeg, a folder or an empty file puzzle it: they are refused in words.
  static func identify(_ path: FilePath) throws(Failure) -> FileIdentity {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) == 0 else {
      throw refusal(of: path, errno: errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw Failure(.mendInput, "is a folder; name a file, or for_each: FOLDER/*", path: path)
    case S_IFIFO, S_IFSOCK:
      throw Failure(
        .mendInput, "is a pipe; write the sound to a file first: a timeline needs to seek",
        path: path)
    default:
      throw Failure(.mendInput, "is a device, not a file", path: path)
    }
    guard path.withPlatformString({ access($0, R_OK) }) == 0 else {
      throw refusal(of: path, errno: errno)
    }
    guard status.st_size > 0 else {
      throw Failure(.mendInput, "is empty (0 bytes)", path: path)
    }
    return FileIdentity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modificationTime: Int64(status.st_mtim.tv_sec) * 1_000_000_000
        + Int64(status.st_mtim.tv_nsec))
  }

  /// The file that a path leads to, nil where there is none.
  static func inode(of path: FilePath) -> FileIdentity.Inode? {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
    return FileIdentity.Inode(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  private static func refusal(of path: FilePath, errno code: Int32) -> Failure {
    switch code {
    case ENOENT, ENOTDIR:
      Failure(.mendInput, "does not exist", path: path)
    case EACCES, EPERM:
      Failure(.mendMachine, "may not be read; check its permissions", path: path)
    case ELOOP:
      Failure(.mendInput, "is a link that leads to itself", path: path)
    default:
      .reading(code, "cannot be opened", path: path)
        ?? Failure(.mendMachine, "cannot be opened: \(Errno(rawValue: code))", path: path)
    }
  }
}
