import Glibc
import SystemPackage

/// What the kernel says of a file (`stat(2)`), at one moment.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable {
    case file, folder, link, pipe, socket, device
  }

  package let kind: Kind
  /// Bytes.
  package let size: Int64
  /// Bytes on the disk, of which a file with holes has fewer.
  package let diskSize: Int64
  /// The file system.
  package let device: UInt64
  /// The file's number on it.
  package let inode: UInt64
  /// Names that lead to the file; 0 once it is removed.
  package let linkCount: Int
  /// Since 1970, by the clock of the disk: any time where somebody has set it.
  package let modificationTime: Duration
  package let owner: uid_t
  package let group: gid_t
  /// What `chmod(2)` sets.
  package let permissions: mode_t

  /// The status of the file at `path`, or of a link that is there itself.
  ///
  /// - Throws: As `stat(2)`; in a confined process (`Confinement`) EXDEV outside of the root.
  package init(at path: FilePath, followingLinks followsLinks: Bool = true) throws(Errno) {
    guard let root = Confinement.current else {
      try self.init(of: path, in: AT_FDCWD, followingLinks: followsLinks)
      return
    }
    let opened = root.open(path, openPath | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW))
    guard opened >= 0 else { throw Errno(rawValue: errno) }
    defer { close(opened) }
    try self.init(of: opened)
  }

  /// The status of an open file.
  ///
  /// - Throws: As `fstat(2)`.
  package init(of descriptor: Int32) throws(Errno) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw Errno(rawValue: errno) }
    self.init(facts)
  }

  /// The status of what has a name in an open folder; never confined.
  ///
  /// - Throws: As `fstatat(2)`.
  package init(
    of name: FilePath, in folder: Int32, followingLinks followsLinks: Bool = false
  ) throws(Errno) {
    var facts = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    let result = name.withPlatformString { fstatat(folder, $0, &facts, flags) }
    guard result == 0 else { throw Errno(rawValue: errno) }
    self.init(facts)
  }

  private init(_ facts: stat) {
    kind =
      switch facts.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
    size = Int64(facts.st_size)
    diskSize = Int64(facts.st_blocks) * 512
    device = UInt64(facts.st_dev)
    inode = UInt64(facts.st_ino)
    linkCount = Int(facts.st_nlink)
    modificationTime = .seconds(facts.st_mtim.tv_sec) + .nanoseconds(facts.st_mtim.tv_nsec)
    owner = facts.st_uid
    group = facts.st_gid
    permissions = facts.st_mode & 0o7777
  }

  /// Whether both are of one file, by whatever names.
  package func isSameFile(as other: FileStatus) -> Bool {
    (device, inode) == (other.device, other.inode)
  }

  /// Refuses what is no regular file.
  ///
  /// - Throws: `EISDIR` for a folder, `EINVAL` for anything else.
  package func requireFile() throws(Errno) {
    guard kind == .file else { throw kind == .folder ? .isDirectory : .invalidArgument }
  }
}
