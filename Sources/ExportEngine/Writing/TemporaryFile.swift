import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage

/// A locked file with a temporary name beside a target: `.NAME.avjob-0.tmp`.
///
/// The number is the first one that no living process holds. The files of a dead process are not
/// locked any more, so the next process for the same target removes them: no folder is ever listed.
/// (`O_TMPFILE` would leave nothing behind, but cannot be renamed over a file.)
struct TemporaryFile {
  let path: FilePath
  let descriptor: Int32
  /// The names that were taken when this one was made.
  private var others: [FilePath] = []

  /// More processes than ever write to one target at once.
  private static let slots = 64

  static func create(beside target: FilePath, for path: FilePath) throws(Failure) -> TemporaryFile {
    for slot in 0..<slots {
      let candidate = name(beside: target, slot: slot)
      removeLeftover(candidate)
      guard var made = try createLocked(candidate, for: path) else { continue }
      made.others = (0..<slot).map { name(beside: target, slot: $0) }
      // After the own one: files of dead processes that ran beside one another.
      var next = slot + 1
      while next < slots, removeLeftover(name(beside: target, slot: next)) { next += 1 }
      return made
    }
    throw Failure(.tryAgain, "\(slots) other processes are writing it; try again", path: path)
  }

  /// As much of the target's name as fits, cut before a whole character.
  private static func name(beside target: FilePath, slot: Int) -> FilePath {
    let suffix = ".avjob-\(slot).tmp"
    let longest = Int(NAME_MAX) - suffix.utf8.count - 1
    var bytes = (target.lastComponent.map { FilePath(root: nil, [$0]) } ?? "")
      .withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
    if bytes.count > longest {
      let isContinuation = { (byte: CChar) in UInt8(bitPattern: byte) & 0xC0 == 0x80 }
      let end = (1...longest).last { !isContinuation(bytes[$0]) } ?? longest
      bytes.removeSubrange(end...)
    }
    let all = [CChar(bitPattern: UInt8(ascii: "."))] + bytes + Array(suffix.utf8CString)
    return target.folder.appending(FilePath(platformString: all).components)
  }

  /// The first bytes of a target's name, which distinguish its temporary files without building all
  /// of their names: no name is cut before these.
  static func label(ofTarget name: FilePath.Component) -> [UInt8] {
    FilePath(root: nil, [name]).withPlatformString { bytes in
      UnsafeBufferPointer(start: bytes, count: strlen(bytes)).prefix(labelLength)
        .map(UInt8.init(bitPattern:))
    }
  }

  /// The same of the target of a temporary file; nil for any other name.
  static func label(ofTemporary name: [UInt8]) -> [UInt8]? {
    let mark = Array(".avjob-".utf8)
    guard name.first == UInt8(ascii: "."), name.suffix(4) == Array(".tmp".utf8),
      let end = name.indices.dropFirst().last(where: { name[$0...].starts(with: mark) })
    else { return nil }
    return Array(name[1..<end].prefix(labelLength))
  }

  private static let labelLength = 32

  /// Creates a new file, and locks it; nil where the name is taken.
  private static func createLocked(
    _ candidate: FilePath, for path: FilePath
  ) throws(Failure) -> TemporaryFile? {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = PathCalls.open(candidate, flags, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw .writing(errno, "cannot create a file in its folder", path: path)
    }
    // A process that cleans up may hold the lock just now, and then remove the file.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
      isOpen(descriptor, at: candidate)
    else {
      Glibc.close(descriptor)
      return nil
    }
    return TemporaryFile(path: candidate, descriptor: descriptor)
  }

  /// Removes all files that dead processes left beside a target.
  static func removeLeftovers(beside target: FilePath) {
    for slot in 0..<slots { removeLeftover(name(beside: target, slot: slot)) }
  }

  /// Removes a file of a dead process; gives whether anything is or was at that name.
  @discardableResult
  private static func removeLeftover(_ candidate: FilePath) -> Bool {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let descriptor = PathCalls.open(candidate, flags)
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { Glibc.close(descriptor) }
    // A file system without locks fails here: its files are kept.
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isOpen(descriptor, at: candidate) {
      PathCalls.unlink(candidate)
    }
    return true
  }

  /// Whether the name still leads to the open file, which only the lock's holder may change.
  private static func isOpen(_ descriptor: Int32, at candidate: FilePath) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor, &held) == 0
      && PathCalls.lstat(candidate, &named) == 0
      && held.st_dev == named.st_dev && held.st_ino == named.st_ino
  }

  /// Sets the owner, where allowed, and the mode of the file to be replaced.
  func takeRights(of existing: stat?) {
    guard let existing else { return }
    _ = fchown(descriptor, existing.st_uid, existing.st_gid)
    _ = fchmod(descriptor, existing.st_mode & 0o7777)
  }

  /// Releases the lock. Processes with names before this one may have died meanwhile: their files
  /// are removed too.
  func close() {
    _ = Glibc.close(descriptor)
    for other in others { Self.removeLeftover(other) }
  }

  func remove() {
    PathCalls.unlink(path)
    close()
  }
}
