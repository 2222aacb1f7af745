import Diagnosis
import Files
import Glibc
import SystemPackage

/// The cache's folder: private to its owner, because what other people may write there avjob would
/// play, and what they may read may be behind a password.
///
/// Everything beneath is reached by name from the open folder and never through a symbolic link.
final class CacheFolder: Sendable {
  let path: FilePath
  private let descriptor: FileDescriptor

  /// Makes the folder, with those above it, where there is none; `init` reports what went wrong.
  static func make(_ path: FilePath) {
    for end in path.components.indices.dropLast() {
      var parent = path
      parent.components.removeSubrange(path.components.index(after: end)...)
      _ = parent.withPlatformString { mkdir($0, 0o777) }
    }
    _ = path.withPlatformString { mkdir($0, 0o700) }
  }

  /// Whether there is anything by that name, be it a link that leads nowhere.
  static func exists(_ path: FilePath) -> Bool {
    do throws(Errno) {
      _ = try FileStatus(of: path, in: AT_FDCWD)
      return true
    } catch {
      return error != .noSuchFileOrDirectory
    }
  }

  /// Opens the folder.
  ///
  /// - Throws: `Failure` where there is none or it cannot be opened; `mendMachine` where it is a link,
  ///   or lies open to others.
  init(_ path: FilePath) throws(Failure) {
    self.path = path
    let opened = path.withPlatformString {
      Glibc.open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard opened >= 0 else { throw Self.failure(Errno(rawValue: errno), toOpen: path) }
    descriptor = FileDescriptor(rawValue: opened)
    let status: FileStatus
    do throws(Errno) {
      status = try FileStatus(of: opened)
    } catch {
      throw Self.failure(error, toOpen: path)
    }
    guard status.owner == geteuid() else {
      throw Self.refusal(of: path, "the cache's folder belongs to somebody else")
    }
    guard status.permissions & 0o022 == 0 else {
      throw Self.refusal(of: path, "others may write into the cache's folder")
    }
    mark()
  }

  deinit { try? descriptor.close() }

  /// Whether somebody has removed the folder since it was opened.
  var isRemoved: Bool { (try? FileStatus(of: descriptor.rawValue))?.linkCount ?? 0 == 0 }

  private static func refusal(of path: FilePath, _ fault: String) -> Failure {
    Failure(
      .mendMachine, "\(fault); name a folder of your own in AVJOB_CACHE, or 'chmod 700' this one",
      path: path)
  }

  private static func failure(_ code: Errno, toOpen path: FilePath) -> Failure {
    if code == .noSuchFileOrDirectory {
      return Failure(
        .mendMachine, "the cache's folder cannot be made; name another folder in AVJOB_CACHE",
        path: path)
    }
    // Of a link, O_DIRECTORY together with O_NOFOLLOW reports either.
    if [.tooManySymbolicLinkLevels, .notDirectory].contains(code), isLink(path) {
      return Failure(
        .mendMachine,
        "the cache's folder is a symbolic link; name the folder that it leads to in AVJOB_CACHE",
        path: path)
    }
    return Failure(code, "the cache's folder cannot be opened", inCache: path)
  }

  private static func isLink(_ path: FilePath) -> Bool {
    (try? FileStatus(of: path, in: AT_FDCWD))?.kind == .link
  }

  /// Marks the folder for backup programs, which leave out caches (Cache Directory Tagging
  /// Specification).
  private func mark() {
    let signature = "Signature: 8a477f597d28d172789f06886806bc55\n# The media cache of avjob.\n"
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    let file = openat(descriptor.rawValue, "CACHEDIR.TAG", flags, 0o600)
    guard file >= 0 else { return }
    let tag = FileDescriptor(rawValue: file)
    defer { try? tag.close() }
    // A process that was killed before it wrote left an empty file.
    guard (try? FileStatus(of: file))?.size == 0 else { return }
    _ = try? tag.writeAll(toAbsoluteOffset: 0, signature.utf8)
  }

  /// The keys of all entries, in order.
  ///
  /// - Throws: `Errno`
  func keys() throws(Errno) -> [String] {
    try Self.names(in: descriptor).filter(EntryFolder.isKey).sorted()
  }

  /// An entry's folder; nil where there is none, also because another process removed it as soon as it
  /// was made.
  ///
  /// - Throws: `Errno`
  func entry(_ key: String, create: Bool) throws(Errno) -> EntryFolder? {
    if create, mkdirat(descriptor.rawValue, key, 0o700) != 0, errno != EEXIST {
      throw Errno(rawValue: errno)
    }
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let opened = openat(descriptor.rawValue, key, flags)
    guard opened >= 0 else {
      if errno == ENOENT { return nil }
      throw Errno(rawValue: errno)
    }
    return EntryFolder(key, FileDescriptor(rawValue: opened), in: self)
  }

  /// Removes the folder of an entry, which is empty, unless another process has begun the entry anew.
  ///
  /// - Returns: Whether nothing is left of the old entry.
  func removeFolder(_ key: String) -> Bool {
    unlinkat(descriptor.rawValue, key, AT_REMOVEDIR) == 0
      || [ENOENT, ENOTEMPTY, EEXIST].contains(errno)
  }

  /// The names in an open folder, without `.` and `..`.
  ///
  /// - Throws: `Errno`
  static func names(in folder: FileDescriptor) throws(Errno) -> [String] {
    guard let entries = PathCalls.entries(of: folder) else { throw Errno(rawValue: errno) }
    return entries.map(\.name.string)
  }
}
