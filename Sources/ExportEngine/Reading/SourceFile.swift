import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage

/// Checks of an input before any library opens it.
package enum SourceFile {
  /// The identity of a medium that can be read.
  static func identify(_ location: MediaLocation) throws(Failure) -> FileIdentity {
    switch location {
    case .file(let path): try identify(path)
    case .remote(let url): try MediaNetwork.identity(of: url)
    case .source(let source): try MediaNetwork.identity(of: source)
    }
  }

  /// The identity of a regular, readable, non-empty file. FFmpeg would hang on a FIFO, and report a
  /// folder or an empty file poorly.
  private static func identify(_ path: FilePath) throws(Failure) -> FileIdentity {
    let status: FileStatus
    do throws(Errno) {
      status = try FileStatus(at: path)
    } catch {
      throw refusal(of: path, errno: error.rawValue)
    }
    // Some decoders take any bytes for sound, from which these can be learned.
    if Confinement.hides(path), !TemporaryFile.isOwn(path) { throw .hidden(path) }
    switch status.kind {
    case .file: break
    case .folder:
      throw Failure(.mendInput, "is a folder; name a file, or for_each: FOLDER/*", path: path)
    case .pipe, .socket:
      throw Failure(
        .mendInput, "is a pipe; write the sound to a file first: a timeline needs to seek",
        path: path)
    case .link, .device:
      throw Failure(.mendInput, "is a device, not a file", path: path)
    }
    guard PathCalls.access(path, R_OK) == 0 else {
      throw refusal(of: path, errno: errno)
    }
    guard status.size > 0 else {
      throw Failure(.mendInput, "is empty (0 bytes)", path: path, code: .mediaEmpty)
    }
    return FileIdentity(status)
  }

  /// The bytes of a medium.
  ///
  /// - Throws: Why it is none.
  package static func size(of location: MediaLocation) throws(Failure) -> Int64 {
    try identify(location).size
  }

  /// `identify`, for a file that has not changed for so long that any further change gives it another
  /// time: its facts then hold as long as its identity is the same. A file that is written to
  /// without end is taken as it is after some attempts.
  static func settle(_ location: MediaLocation) throws(Failure) -> FileIdentity {
    guard case .file(let path) = location else { return try identify(location) }
    var identity = try identify(path)
    for _ in 0..<3 {
      let rest = identity.timeToRest(at: .now)
      guard rest > .zero else { break }
      var time = timespec(rest)
      nanosleep(&time, nil)
      identity = try identify(path)
    }
    return identity
  }

  /// Checks that a medium is still the one that was probed. It is asked when the file is opened, and
  /// again when all is read: decoders take a file that is cut short meanwhile for one with damage,
  /// and one that is overwritten for sound.
  ///
  /// - Throws: `tryAgain` where it is another one or gone; otherwise as `identify`.
  static func requireUnchanged(
    _ location: MediaLocation, _ identity: FileIdentity
  ) throws(Failure) {
    do throws(Failure) {
      if try identify(location) == identity { return }
    } catch {
      guard error.remedy == .mendInput else { throw error }
    }
    throw changedMeanwhile(location)
  }

  /// The failure of a medium that is another one, or gone.
  static func changedMeanwhile(_ location: MediaLocation) -> Failure {
    Failure(
      .tryAgain,
      "was changed, moved or removed while avjob was working; run the job again once it stays as "
        + "it is", location: location, code: .mediaChanged)
  }

  /// The file at the end of a path's links, nil where there is none.
  package static func inode(of path: FilePath) -> FileIdentity.Inode? {
    (try? FileStatus(at: path)).map { FileIdentity($0).file }
  }

  private static func refusal(of path: FilePath, errno code: Int32) -> Failure {
    if let refusal = Failure.confined(code, path: path) { return refusal }
    return switch code {
    case ENOENT, ENOTDIR:
      Failure(.mendInput, "does not exist", path: path, code: .mediaNotFound)
    case EACCES, EPERM:
      Failure(
        .mendMachine, "may not be read; check its permissions", path: path, code: .mediaNotReadable)
    case ELOOP:
      Failure(.mendInput, "is a link that leads to itself", path: path)
    default:
      .reading(code, "cannot be opened", location: .file(path))
        ?? Failure(.mendMachine, "cannot be opened: \(Errno(rawValue: code))", path: path)
    }
  }
}

extension FileIdentity {
  /// How long a further change may still leave a file's time as it is.
  ///
  /// Times are at best as fine as the system's clock tick (10 ms at most); file systems with whole
  /// seconds, two of them in FAT, show in a time without a fraction. Another machine's clock may be
  /// off: the wait for a time in the future is no longer than for one that is now.
  func timeToRest(at now: FileTime) -> Duration {
    let isCoarse = modificationTime % 1_000_000_000 == 0
    let tick: Int64 = isCoarse ? 2_000_000_000 : 20_000_000
    let age = now.nanoseconds.subtractingReportingOverflow(modificationTime)
    guard !age.overflow, (-tick...tick).contains(age.partialValue) else { return .zero }
    return .nanoseconds(min(tick, tick - age.partialValue))
  }
}

/// A moment of the system's clock, in nanoseconds since 1970, as in files' times.
struct FileTime {
  var nanoseconds: Int64

  static var now: FileTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return FileTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

extension timespec {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}
