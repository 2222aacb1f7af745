import Glibc
import MediaComposition
import SystemPackage

extension Failure {
  /// What an errno means to the one whose output it hit: the system's words, and what to do.
  ///
  /// - Parameters:
  ///   - errno: As the call left it.
  ///   - action: What was tried, such as “cannot write the file”.
  ///   - path: The output.
  /// - Returns: The failure.
  static func writing(_ errno: Int32, _ action: String, path: FilePath) -> Failure {
    let (remedy, advice): (Remedy, String) =
      switch errno {
      case ENOSPC: (.mendMachine, "make room on that disk or write to another")
      case EDQUOT: (.mendMachine, "make room within your quota or write to another disk")
      case EACCES, EPERM: (.mendMachine, "change the permissions there or write elsewhere")
      case EROFS: (.mendMachine, "write to a file system that is not read-only")
      case EFBIG: (.mendMachine, "raise the limit (ulimit -f) or write to another file system")
      case EMFILE, ENFILE: (.mendMachine, "raise the limit with ulimit -n")
      case EIO: (.mendMachine, "check the disk")
      case ENOMEM: (.mendMachine, "close other programs or run fewer jobs at once")
      case ENAMETOOLONG: (.mendJob, "use a shorter name")
      case ENOTDIR: (.mendJob, "a part of the path before the name is a file, not a folder")
      case EISDIR: (.mendJob, "name a file, not a folder")
      case ELOOP: (.mendJob, "the symbolic links there lead in a circle")
      case ENOENT, ESTALE, EAGAIN, ETIMEDOUT: (.tryAgain, "try again")
      default: (.mendMachine, "check the disk and the folder")
      }
    return Failure(remedy, "\(action): \(Errno(rawValue: errno)); \(advice)", path: path)
  }
}
