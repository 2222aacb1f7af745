internal import CFiles
import Glibc
import SystemPackage

/// The system calls that take a path. Results and errno are the kernel's; in a confined process
/// (`Confinement`) a path that leads out of the root fails with EXDEV, and what writes passes no
/// symbolic link (ELOOP).
///
/// Every path that a user, a job file or a medium can name is opened here. Paths that are fixed, such
/// as those of /proc, are not.
package enum PathCalls {
  /// `open(2)`
  package static func open(_ path: FilePath, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    guard let root = Confinement.current else {
      return path.withPlatformString { Glibc.open($0, flags, mode) }
    }
    return root.open(path, flags, mode)
  }

  /// `open(2)` for reading, without waiting for the writer of a FIFO.
  ///
  /// - Returns: A descriptor for the caller to close.
  package static func openToRead(_ path: FilePath) throws(Errno) -> FileDescriptor {
    try openFile(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  }

  /// `open(2)`; a new file may be read and written by all whom the umask lets.
  ///
  /// - Returns: A descriptor for the caller to close.
  package static func openFile(_ path: FilePath, _ flags: Int32) throws(Errno) -> FileDescriptor {
    let descriptor = open(path, flags, 0o666)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: descriptor)
  }

  /// Whether the kernel makes up what a file holds, as in /proc and /sys, whatever is mounted there.
  package static func isMadeByKernel(_ file: FileDescriptor) -> Bool {
    avjob_is_made_by_kernel(file.rawValue)
  }

  /// The same of a folder; false where it cannot be opened. The empty path is the current folder.
  package static func isMadeByKernel(folder: FilePath) -> Bool {
    let path = folder.isEmpty ? "." : folder
    guard let file = try? openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) else { return false }
    defer { try? file.close() }
    return isMadeByKernel(file)
  }

  /// Asks `ask` about an open file, and closes it.
  private static func fact(_ descriptor: Int32, _ ask: (Int32) -> Int32) -> Int32 {
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    return ask(descriptor)
  }

  /// `access(2)`, by the effective user.
  package static func access(_ path: FilePath, _ mode: Int32) -> Int32 {
    guard let root = Confinement.current else {
      return path.withPlatformString { faccessat(AT_FDCWD, $0, mode, AT_EACCESS) }
    }
    return fact(root.open(path, openPath | O_CLOEXEC)) {
      faccessat(AT_FDCWD, "/proc/self/fd/\($0)", mode, AT_EACCESS)
    }
  }

  /// `access(2)` of a folder for making files in it.
  package static func accessToWrite(_ folder: FilePath) -> Int32 {
    // Beneath a root also its own name passes no link.
    let isReached = Confinement.current?.reaches(folder) ?? true
    return isReached ? access(folder, W_OK | X_OK) : -1
  }

  /// The path behind all links (`realpath(3)`); nil with errno set.
  package static func realPath(_ path: FilePath) -> FilePath? {
    guard let root = Confinement.current else {
      guard let real = path.withPlatformString({ realpath($0, nil) }) else { return nil }
      defer { free(real) }
      return FilePath(platformString: real)
    }
    let descriptor = root.open(path, openPath | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return Self.path(of: descriptor)
  }

  /// The path of an open file, without links (proc_pid_fd(5)); nil without `/proc`.
  package static func path(of descriptor: Int32) -> FilePath? {
    target(ofProcessLink: "fd/\(descriptor)")
  }

  /// Where a link below `/proc/self` leads; nil without `/proc`.
  package static func target(ofProcessLink name: String) -> FilePath? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = Glibc.readlink("/proc/self/\(name)", &buffer, Int(PATH_MAX))
    return count > 0 ? FilePath(platformString: buffer) : nil
  }

  /// `readlink(2)`; nil with errno set.
  package static func readlink(_ path: FilePath) -> FilePath? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = inFolder(of: path, throughLinks: true) {
      Int32(readlinkat($0, $1, &buffer, Int(PATH_MAX)))
    }
    return count > 0 ? FilePath(platformString: buffer) : nil
  }

  /// `mkdir(2)`
  package static func mkdir(_ path: FilePath, _ mode: mode_t) -> Int32 {
    inFolder(of: path, throughLinks: false) { mkdirat($0, $1, mode) }
  }

  /// `rmdir(2)`
  @discardableResult
  package static func rmdir(_ path: FilePath) -> Int32 {
    inFolder(of: path, throughLinks: false) { unlinkat($0, $1, AT_REMOVEDIR) }
  }

  /// `unlink(2)`
  @discardableResult
  package static func unlink(_ path: FilePath) -> Int32 {
    inFolder(of: path, throughLinks: false) { unlinkat($0, $1, 0) }
  }

  /// `rename(2)`
  package static func rename(_ path: FilePath, to target: FilePath) -> Int32 {
    inFolders(of: path, target, renameat)
  }

  /// `renameat2(2)` with `RENAME_NOREPLACE`: EEXIST where `target` exists, EINVAL where the file
  /// system does not know the flag.
  package static func renameNew(_ path: FilePath, to target: FilePath) -> Int32 {
    inFolders(of: path, target) { avjob_renameat2($0, $1, $2, $3, UInt32(avjob_rename_noreplace)) }
  }

  /// `link(2)`
  package static func link(_ path: FilePath, at target: FilePath) -> Int32 {
    inFolders(of: path, target) { linkat($0, $1, $2, $3, 0) }
  }

  /// `statvfs(3)` of the file system on which `path` lies.
  package static func statvfs(_ path: FilePath, _ facts: inout Glibc.statvfs) -> Int32 {
    guard let root = Confinement.current else {
      return path.withPlatformString { systemStatvfs($0, &facts) }
    }
    return fact(root.open(path, openPath | O_CLOEXEC)) { fstatvfs($0, &facts) }
  }

  /// Sets the times of a file to the disk's now (`utimensat(2)`).
  package static func touch(_ path: FilePath) {
    _ = inFolder(of: path, throughLinks: false) { utimensat($0, $1, nil, AT_SYMLINK_NOFOLLOW) }
  }

  // MARK: Folders and names

  private static func inFolder(
    of path: FilePath, throughLinks followsLinks: Bool,
    _ body: (_ folder: Int32, _ name: UnsafePointer<CChar>) -> Int32
  ) -> Int32 {
    guard let root = Confinement.current else {
      return path.withPlatformString { body(AT_FDCWD, $0) }
    }
    return root.inFolder(of: path, throughLinks: followsLinks, body)
  }

  private static func inFolders(
    of path: FilePath, _ target: FilePath,
    _ body: (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>) -> Int32
  ) -> Int32 {
    inFolder(of: path, throughLinks: false) { folder, name in
      inFolder(of: target, throughLinks: false) { body(folder, name, $0, $1) }
    }
  }
}

// A type and a function of C share this name; at file scope the function is meant.

private func systemStatvfs(_ path: UnsafePointer<CChar>, _ facts: inout statvfs) -> Int32 {
  statvfs(path, &facts)
}

extension FilePath {
  /// Whether anything is there, by whatever link.
  package var exists: Bool { PathCalls.access(self, F_OK) == 0 }

  /// Whether nothing is there (ENOENT); false also where that cannot be learned.
  package var isMissing: Bool {
    do throws(Errno) {
      _ = try FileStatus(at: self)
      return false
    } catch {
      return error == .noSuchFileOrDirectory
    }
  }
}
