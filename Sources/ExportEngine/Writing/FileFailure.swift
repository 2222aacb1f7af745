import Diagnosis
import Files
import Glibc
import LAME
import LibAV
import MPEGAudio
import MediaComposition
import SystemPackage

extension Failure {
  /// The failure of an output for an errno: the system's words, and the remedy.
  ///
  /// - Parameters:
  ///   - errno: As the call left it.
  ///   - action: The attempt, such as “cannot write the file”.
  ///   - path: The output.
  /// - Returns: The failure.
  package static func writing(_ errno: Int32, _ action: String, path: FilePath) -> Failure {
    if let refusal = confined(errno, path: path, writing: true) { return refusal }
    let found = SystemRemedy(errno)
    return Failure(
      found.remedy, "\(action): \(Errno(rawValue: errno)); \(found.text)", path: path,
      code: found.code)
  }

  /// The failure of an output whose path, or a name in it, is longer than the disk takes.
  static func tooLong(_ path: FilePath) -> Failure {
    writing(ENAMETOOLONG, "cannot write there", path: path)
  }

  /// A file, or a folder, for `path` that cannot be created in `folder`.
  static func creating(
    _ errno: Int32, _ action: String, path: FilePath, in folder: FilePath
  ) -> Failure {
    // There, a name is "no such file" whenever it is tried.
    guard errno == ENOENT, PathCalls.isMadeByKernel(folder: folder) else {
      return writing(errno, action, path: path)
    }
    return Failure(
      .mendJob, "lies in a folder of the system's own, which takes no files; write elsewhere",
      path: path, code: .outputNotWritable)
  }

  /// The same failure, about `path` if it has none yet.
  func about(_ path: FilePath) -> Failure {
    guard location == nil else { return self }
    var copy = self
    copy.location = .file(path)
    return copy
  }

  /// The failure of an output whose path another program has taken.
  package static func madeMeanwhile(_ path: FilePath, origin: Origin = .unknown) -> Failure {
    Failure(
      .mendJob,
      "was made by another program while avjob was working, and stays; move it away, or choose "
        + "another path", path: path, origin: origin, code: .outputExists)
  }

  /// The refusal of a path that `--root` does not allow; nil where the errno means anything else.
  static func confined(
    _ errno: Int32, path: FilePath, writing isWriting: Bool = false
  ) -> Failure? {
    Confinement.refusal(errno, writing: isWriting).map {
      Failure(.mendJob, "\($0.reason); \($0.help)", path: path, code: .pathNotAllowed)
    }
  }

  /// The refusal of a hidden file, which `--root` does not allow.
  static func hidden(_ path: FilePath) -> Failure {
    Failure(
      .mendJob,
      "is hidden, and with --root no hidden file is read or written; give the file and its folders "
        + "names that begin with no dot", path: path, code: .pathNotAllowed)
  }

  /// The failure of an input for an errno; nil where the errno is not the machine's, but the file's
  /// own fault.
  ///
  /// - Parameters:
  ///   - errno: As the call left it.
  ///   - action: The attempt, such as “cannot be read”.
  ///   - location: The input: system calls fail on files alone.
  /// - Returns: The failure, or nil.
  static func reading(_ errno: Int32, _ action: String, location: MediaLocation) -> Failure? {
    guard case .file(let path) = location else { return nil }
    return switch errno {
    case EACCES, EPERM:
      Failure(
        .mendMachine, "\(action): \(Errno(rawValue: errno)); change its permissions", path: path,
        code: .mediaNotReadable)
    case ECANCELED: .cancelled(at: location)
    case EMFILE, ENFILE, ENOMEM, EIO, ESTALE, ETIMEDOUT, EINTR, EBUSY, ECONNRESET, ECONNABORTED,
      ECONNREFUSED, ENETDOWN, ENETUNREACH, ENETRESET, EHOSTDOWN, EHOSTUNREACH, EREMOTEIO:
      // As for a written file.
      .writing(errno, action, path: path)
    default: nil
    }
  }
}

extension Error {
  /// The failure of the output at `path`, whichever library this is an error of.
  func failure(writing path: FilePath) -> Failure {
    switch self {
    case let failure as Failure: failure.about(path)
    case let error as LibAVError: error.failure(of: path)
    case let error as LAMEError: error.failure(of: path)
    case let error as FramePacker.NoRoom: LAMEError.noRoom(frame: error.frame).failure(of: path)
    default: Failure(.reportBug, "\(self)", path: path)
    }
  }
}

extension LibAVError {
  fileprivate func failure(of path: FilePath) -> Failure {
    // Of a source whose packets are copied while the file is written.
    if let failure = cause as? Failure { return failure.about(path) }
    if operation == "write", let posix {
      return .writing(posix, "cannot write the file", path: path)
    }
    if isPhrase { return Failure(.mendJob, operation, path: path) }
    if posix == ENOMEM { return .writing(ENOMEM, operation, path: path) }
    return Failure(.reportBug, "\(operation) failed: \(message)", path: path)
  }
}

extension LAMEError {
  fileprivate func failure(of path: FilePath) -> Failure {
    switch self {
    case .unsupported(let words): Failure(.mendJob, words, path: path)
    case .status(-10, _), .status(-2, _): Failure(.tryAgain, message, path: path)
    case .tooLoud:
      Failure(.mendJob, "\(message); lower the gain or check the source", path: path)
    case .cancelled: .cancelled(at: .file(path))
    case .status, .notFinite, .damagedStream, .noRoom: Failure(.reportBug, message, path: path)
    }
  }
}
