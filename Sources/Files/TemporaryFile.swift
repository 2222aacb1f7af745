import Diagnosis
import Glibc
import SystemPackage
import Threads

/// A file with a temporary name, until all of it is written: `.NAME.avjob-MARK-NUMBER.tmp`, for a
/// target called NAME.
///
/// No two processes choose one name, also where they share a disk that knows no locks between
/// machines: the mark stands for the process (`ProcessIdentity`), and the number is random. By the
/// mark, later processes see that its own is dead, and remove the file (`removeLeftover`).
/// (`O_TMPFILE` would leave nothing behind, but cannot be renamed over a file.)
package struct TemporaryFile: Sendable {
  package let path: FilePath
  package let descriptor: Int32

  private static let mark = Array(".avjob-".utf8)
  private static let suffix = Array(".tmp".utf8)
  /// Bytes of a name that every file system allows: eCryptfs has less room than others (`NAME_MAX`).
  package static let longestName = 143
  /// The most bytes after a target's name.
  private static let longestEnd = 7 + 45 + 1 + 16 + 4

  /// Creates a file in a folder for a target, to be read and written; the caller closes or removes it.
  ///
  /// - Throws: As `open(2)`.
  package static func create(
    for target: FilePath, in folder: FilePath
  ) throws(Errno) -> TemporaryFile {
    try create(at: newPath(for: target, in: folder))
  }

  private static func create(at path: FilePath) throws(Errno) -> TemporaryFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = try PathCalls.openFile(path, flags)
    return TemporaryFile(path: path, descriptor: file.rawValue)
  }

  /// A path in a folder that no file has, for a target.
  package static func newPath(for target: FilePath, in folder: FilePath) -> FilePath {
    newPath(stem(ofTarget: target), in: folder)
  }

  private static func newPath(_ stem: [UInt8], in folder: FilePath) -> FilePath {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    let own = "\(ProcessIdentity.current.mark)-\(number)".utf8
    return folder.appending(FilePath(bytes: stem + mark + own + suffix).components)
  }

  /// Whether the path of a target, and that of any temporary file beside it, is one that system calls
  /// take (`PATH_MAX`, path_resolution(7)).
  package static func hasRoom(for target: FilePath) -> Bool {
    let folder = target.removingLastComponent().length
    let name = name(of: target).count
    let longest = max(name, min(1 + name + longestEnd, longestName))
    // With a slash before the name, and the byte 0 at the end.
    return folder + 1 + longest + 1 <= Int(PATH_MAX)
  }

  /// Whether a name leads to the open file; nil where that cannot be learned.
  package func isAt(_ name: FilePath) -> Bool? {
    do throws(Errno) {
      let named = try FileStatus(at: name, followingLinks: false)
      return try FileStatus(of: descriptor).isSameFile(as: named)
    } catch {
      return error == .noSuchFileOrDirectory ? false : nil
    }
  }

  /// Takes over what stays the same when a file is replaced, as far as the file system allows:
  /// owner, access list, attributes of users, and the mode without what lets a program run as its
  /// owner.
  package func takeRights(of existing: FileStatus?, at target: FilePath) {
    guard let existing else { return }
    _ = fchown(descriptor, existing.owner, existing.group)
    if let old = try? PathCalls.openToRead(target) {
      ExtendedAttributes.copy(from: old.rawValue, to: descriptor)
      try? old.close()
    }
    // Last, since a new list gives another mode.
    _ = fchmod(descriptor, existing.permissions & 0o777)
  }

  package func close() { _ = Glibc.close(descriptor) }

  /// Removes the name, unless it is another file's by now, and closes the file.
  package func remove() {
    if isAt(path) == true { PathCalls.unlink(path) }
    close()
  }
}

// MARK: Leftovers

extension TemporaryFile {
  /// What the names of a target's temporary files begin with: a dot, and as much of the target's
  /// name as fits, cut before a whole character.
  package static func stem(ofTarget target: FilePath) -> [UInt8] {
    var bytes = name(of: target)
    let longest = longestName - longestEnd - 1
    if bytes.count > longest {
      let end: Int = (1...longest).last { bytes[$0] & 0xC0 != 0x80 } ?? longest
      bytes.removeSubrange(end...)
    }
    return [UInt8(ascii: ".")] + bytes
  }

  private static func name(of path: FilePath) -> [UInt8] {
    path.lastComponent.map { FilePath(root: nil, [$0]).bytes } ?? []
  }

  /// The stem and the process's mark in a temporary file's name; nil for any other name.
  private static func parts(of path: FilePath) -> (stem: [UInt8], process: String)? {
    let name = name(of: path)
    guard name.first == UInt8(ascii: "."), name.suffix(4).elementsEqual(suffix),
      let end = name.indices.dropFirst().last(where: { name[$0...].starts(with: mark) })
    else { return nil }
    let words = name[(end + mark.count)...].dropLast(4)
    guard let dash = words.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    return (Array(name[..<end]), String(decoding: words[..<dash], as: UTF8.self))
  }

  /// What `stem(ofTarget:)` was for a temporary file; nil for a file of any other name.
  package static func stem(ofTemporary path: FilePath) -> [UInt8]? { parts(of: path)?.stem }

  /// Whether a name is that of a temporary file of this process: one that it may read again.
  package static func isOwn(_ path: FilePath) -> Bool {
    parts(of: path)?.process == ProcessIdentity.current.mark
  }

  /// Removes a temporary file whose process is dead. Where that cannot be learned, as of another
  /// machine's or of a name of another version, a file that was not touched for `patience` goes.
  package static func removeLeftover(
    _ path: FilePath, patience: Duration = ProcessIdentity.patience
  ) {
    if isLeftover(path, patience: patience) { PathCalls.unlink(path) }
  }

  /// Whether the process of a temporary file or folder is dead, or where that cannot be learned, it was
  /// not touched for `patience`.
  static func isLeftover(_ path: FilePath, patience: Duration) -> Bool {
    let isAlive = parts(of: path).flatMap { ProcessIdentity.isAlive(mark: $0.process) }
    return !(isAlive ?? isFresh(path, within: patience))
  }

  /// Whether a file was touched of late, by the clock of its disk: machines' own clocks may differ.
  /// A time to come is that of a clock that was wrong.
  ///
  /// - Returns: False for a file that is gone; true where nothing can be created beside it.
  package static func isFresh(_ path: FilePath, within patience: Duration) -> Bool {
    guard let touched = try? FileStatus(at: path, followingLinks: false).modificationTime else {
      return false
    }
    // What is left of it, if the process is killed here, is found beside the same target.
    let stem = stem(ofTemporary: path) ?? stem(ofTarget: path)
    let own = newPath(stem, in: path.removingLastComponent())
    guard let file = try? create(at: own) else { return true }
    defer { file.remove() }
    guard let now = try? FileStatus(of: file.descriptor).modificationTime else { return true }
    return now - patience < touched && touched < now + patience
  }
}
