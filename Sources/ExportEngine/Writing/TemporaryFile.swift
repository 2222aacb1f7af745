import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage
import Threads

/// A file with a temporary name beside a target: `.NAME.avjob-MARK-NUMBER.tmp`.
///
/// No two processes choose one name, also where they share a disk that knows no locks between
/// machines: the mark stands for the process (`ProcessIdentity`), and the number is random. By the
/// mark, later processes see that its own is dead, and remove the file (`LeftoverCache`).
/// (`O_TMPFILE` would leave nothing behind, but cannot be renamed over a file.)
struct TemporaryFile {
  let path: FilePath
  let descriptor: Int32

  private static let mark = Array(".avjob-".utf8)
  private static let suffix = Array(".tmp".utf8)
  /// What every file system allows: eCryptfs has less room than others (`NAME_MAX`).
  private static let longestName = 143
  /// The most bytes after a target's name.
  private static let longestEnd = 7 + 45 + 1 + 16 + 4

  static func create(beside target: FilePath, for path: FilePath) throws(Failure) -> TemporaryFile {
    guard let file = create(stem(ofTarget: target), in: target.folder) else {
      throw .writing(errno, "cannot create a file in its folder", path: path)
    }
    return file
  }

  /// A file whose name begins with `stem`; nil with errno set.
  private static func create(_ stem: [UInt8], in folder: FilePath) -> TemporaryFile? {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    let own = "\(ProcessIdentity.current.mark)-\(number)".utf8
    let path = folder.appending(FilePath(bytes: stem + mark + own + suffix).components)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = PathCalls.open(path, flags, 0o666)
    return descriptor < 0 ? nil : TemporaryFile(path: path, descriptor: descriptor)
  }

  /// Whether a name leads to the open file: 0, or an errno; EEXIST if it leads to another one.
  func status(at name: FilePath) -> Int32 {
    var (held, named) = (stat(), stat())
    guard fstat(descriptor, &held) == 0, PathCalls.lstat(name, &named) == 0 else { return errno }
    return held.st_dev == named.st_dev && held.st_ino == named.st_ino ? 0 : EEXIST
  }

  /// Takes over what stays the same when a file is replaced, as far as the file system allows:
  /// owner, access list, attributes of users, and the mode without what lets a program run as its
  /// owner.
  func takeRights(of existing: stat?, at target: FilePath) {
    guard let existing else { return }
    _ = fchown(descriptor, existing.st_uid, existing.st_gid)
    let old = PathCalls.open(target, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if old >= 0 {
      ExtendedAttributes.copy(from: old, to: descriptor)
      _ = Glibc.close(old)
    }
    // Last, since a new list gives another mode.
    _ = fchmod(descriptor, existing.st_mode & 0o777)
  }

  func close() { _ = Glibc.close(descriptor) }

  func remove() {
    if status(at: path) == 0 { PathCalls.unlink(path) }
    close()
  }
}

// MARK: Leftovers

extension TemporaryFile {
  /// What the names of a target's temporary files begin with: a dot, and as much of the target's
  /// name as fits, cut before a whole character.
  static func stem(ofTarget target: FilePath) -> [UInt8] {
    var bytes = target.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? []
    let longest = longestName - longestEnd - 1
    if bytes.count > longest {
      let end = (1...longest).last { bytes[$0] & 0xC0 != 0x80 } ?? longest
      bytes.removeSubrange(end...)
    }
    return [UInt8(ascii: ".")] + bytes
  }

  /// The stem and the process of a temporary file's name; nil for any other name.
  static func parts(ofTemporary name: [UInt8]) -> (stem: [UInt8], process: String)? {
    guard name.first == UInt8(ascii: "."), name.suffix(4).elementsEqual(suffix),
      let end = name.indices.dropFirst().last(where: { name[$0...].starts(with: mark) })
    else { return nil }
    let words = name[(end + mark.count)...].dropLast(4)
    guard let dash = words.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    return (Array(name[..<end]), String(decoding: words[..<dash], as: UTF8.self))
  }

  /// Whether a name is that of a temporary file of this process: one that it may read again.
  static func isOwn(_ path: FilePath) -> Bool {
    let name = path.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? []
    return parts(ofTemporary: name)?.process == ProcessIdentity.current.mark
  }

  /// Now, by the clock of the disk that a temporary file is on, from 1970 on; nil where nothing can
  /// be created beside it.
  private static func now(beside path: FilePath) -> Int? {
    let name = path.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? []
    // It is left itself where the process is killed here, beside the same target.
    guard let stem = parts(ofTemporary: name)?.stem, let file = create(stem, in: path.folder) else {
      return nil
    }
    defer { file.remove() }
    var facts = stat()
    return fstat(file.descriptor, &facts) == 0 ? Int(facts.st_mtim.tv_sec) : nil
  }

  /// Removes a file whose process, of this mark, is dead.
  static func removeLeftover(_ path: FilePath, of process: String) {
    var isDead = ProcessIdentity.isAlive(mark: process).map { !$0 }
    if isDead == nil {
      var facts = stat()
      guard PathCalls.lstat(path, &facts) == 0 else { return }
      guard let now = now(beside: path) else { return }
      let patience = Int(ProcessIdentity.patience.components.seconds)
      // A time to come is that of a clock that was wrong.
      isDead = !(now - patience...now + patience).contains(facts.st_mtim.tv_sec)
    }
    if isDead == true { PathCalls.unlink(path) }
  }
}
