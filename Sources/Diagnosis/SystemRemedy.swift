import Glibc

/// What to do about a system call on a file that failed, by its errno.
package struct SystemRemedy: Sendable, Hashable {
  /// The user's reaction.
  package let remedy: Failure.Remedy
  /// What programs react to; nil: the code for the remedy.
  package let code: Failure.Code?
  /// How to mend the place of the file; nil if that cannot be mended.
  package let advice: String?
  /// How to write the file to another place; nil if that does not help.
  package let otherPlace: String?

  /// The remedy for an errno.
  package init(_ code: Int32) {
    let (remedy, advice, otherPlace): (Failure.Remedy, String?, String?) =
      switch code {
      case ENOSPC: (.mendMachine, "make room on that disk", "write to another")
      case EDQUOT: (.mendMachine, "make room within your quota", "write to another disk")
      case EACCES, EPERM: (.mendMachine, "change the permissions there", "write elsewhere")
      case EROFS: (.mendMachine, nil, "write to a file system that is not read-only")
      case EFBIG:
        (
          .mendMachine, "raise the limit (--max-output, ulimit -f)",
          "write to another file system"
        )
      case EIO: (.mendMachine, "check the disk", nil)
      case ENAMETOOLONG: (.mendJob, "use a shorter name", nil)
      case ENOTDIR: (.mendJob, "a part of the path before the name is a file, not a folder", nil)
      case EISDIR: (.mendJob, "name a file, not a folder", nil)
      case ELOOP: (.mendJob, "the symbolic links there lead in a circle", nil)
      // Other jobs and programs may free some a moment later.
      case EMFILE, ENFILE:
        (.tryAgain, "raise the limit with ulimit -n or run fewer jobs at once", nil)
      case ENOMEM: (.tryAgain, "close other programs or run fewer jobs at once", nil)
      // Folders that vanished meanwhile, and disks on a network (errno(3)).
      case ENOENT, ESTALE, EAGAIN, ETIMEDOUT, EINTR, EBUSY, ETXTBSY, ENOLCK, EDEADLK, ECONNRESET,
        ECONNABORTED, ECONNREFUSED, ENETDOWN, ENETUNREACH, ENETRESET, EHOSTDOWN, EHOSTUNREACH,
        EREMOTEIO, ECANCELED:
        (.tryAgain, "try again", nil)
      default: (.mendMachine, "check the disk and the folder", nil)
      }
    (self.remedy, self.advice, self.otherPlace) = (remedy, advice, otherPlace)
    self.code = Self.code(of: code)
  }

  private static func code(of errno: Int32) -> Failure.Code? {
    switch errno {
    case ENOSPC, EDQUOT: .diskFull
    case EACCES, EPERM, EROFS: .outputNotWritable
    case EMFILE, ENFILE: .tooManyFiles
    case ENOMEM: .outOfMemory
    case ECANCELED: .cancelled
    default: nil
    }
  }

  /// The remedy in words, for an output.
  package var text: String { [advice, otherPlace].compactMap(\.self).joined(separator: " or ") }
}
