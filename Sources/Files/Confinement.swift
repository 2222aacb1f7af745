internal import CFiles
import Glibc
import Synchronization
import SystemPackage

/// Limits the paths of this process to one folder and what lies below it: `--root`.
///
/// It is a property of the process, as its current directory is: every call of `PathCalls` asks for
/// it, and it cannot be left again. The kernel resolves each path beneath the folder's descriptor
/// (openat2(2), `RESOLVE_BENEATH`), at the moment of the call: a folder that is swapped for a link
/// while avjob runs leads nowhere else.
package enum Confinement {
  private static let state = Mutex<ConfinedRoot?>(nil)

  static var current: ConfinedRoot? { state.withLock { $0 } }

  /// The folder as it was written; nil while the process is not confined.
  package static var root: FilePath? { current?.path }

  /// Confines this process for good. Files that are open stay open.
  ///
  /// - Parameter root: A folder; relative to the current directory.
  /// - Throws: `Errno`: the folder cannot be opened; ENOSYS or EPERM: the kernel (before 5.6) or a
  ///   sandbox has no openat2(2).
  package static func enter(_ root: FilePath) throws(Errno) {
    let entered = try ConfinedRoot(root)
    state.withLock { $0 = entered }
  }

  /// Whether it can be learned where open files lie, without which a confined process reads none: not
  /// without `/proc`.
  package static var knowsPlaces: Bool { current.map { $0.place != nil } ?? true }

  /// Whether an open file of a confined process lies below the root where a name begins with a dot, as
  /// `.git` does, where CI systems keep tokens. It is asked of the file, since a path may lead to
  /// another one at the next call.
  package static func hides(_ file: FileDescriptor) -> Bool {
    guard let current else { return false }
    guard let place = PathCalls.path(of: file.rawValue) else { return true }
    return current.hides(place)
  }

  /// Whether the file that a path leads to now, links followed, lies below a name that begins with
  /// a dot (`hides(_:)` of an open file).
  package static func hides(_ path: FilePath) -> Bool {
    guard let current, let place = PathCalls.realPath(path) else { return false }
    return current.hides(place)
  }

  /// Whether one of a path's own names begins with a dot, for a file that need not be there and is
  /// reached through no link.
  package static func hidesName(of path: FilePath) -> Bool {
    guard let names = current?.relative(path) else { return false }
    return names.components.contains { $0.kind == .regular && $0.beginsWithDot }
  }

  /// Why a call of `PathCalls` is not allowed that failed with `error`, to stand after a path, and
  /// what to do; nil where it failed for another reason. Where it `isWriting`, it passes no link.
  package static func refusal(
    _ error: Int32, writing isWriting: Bool = false
  ) -> (reason: String, help: String)? {
    guard let root else { return nil }
    return switch error {
    case EXDEV:
      ("lies outside '\(root)', and --root keeps to that folder", "choose a path below '\(root)'")
    case ELOOP where isWriting:
      ("is reached through a symbolic link, and with --root outputs pass none", "remove the link")
    default: nil
    }
  }
}

extension FilePath.Component {
  /// Whether the name's first byte is a dot, as a hidden file's, whatever joins it.
  package var beginsWithDot: Bool { string.utf8.first == UInt8(ascii: ".") }
}

/// For descriptors that stand for a place, and read nothing.
let openPath = Int32(avjob_o_path)

/// An open folder beneath which paths are resolved. Never closed: it lasts as long as the process.
struct ConfinedRoot: Sendable {
  let path: FilePath
  private let descriptor: Int32
  /// The current directory, and the names that lead to the root: as the kernel has it and as it was
  /// written.
  private let workingDirectory: FilePath
  private let names: [FilePath]

  init(_ path: FilePath) throws(Errno) {
    self.path = path
    let flags = openPath | O_DIRECTORY | O_CLOEXEC
    descriptor = path.withPlatformString { Glibc.open($0, flags) }
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    guard let start = FilePath.realPath(of: "."), let real = FilePath.realPath(of: path) else {
      throw Errno(rawValue: errno)
    }
    workingDirectory = start
    names = [real, start.pushing(path).lexicallyNormalized()]
    let probe = open(real, flags)
    guard probe >= 0 else { throw Errno(rawValue: errno) }
    close(probe)
  }

  /// Where the root lies now; nil without `/proc`.
  var place: FilePath? { PathCalls.path(of: descriptor) }

  /// Whether on the way from the root to a file, whose path has no links, a name begins with a dot.
  func hides(_ place: FilePath) -> Bool {
    var place = place
    // The root may have been moved.
    guard let root = self.place, place.removePrefix(root) else { return true }
    return place.components.contains { $0.beginsWithDot }
  }

  /// `path` as it is called from the root; nil where its names lead elsewhere. What `..` and links
  /// within it mean is left to the kernel.
  func relative(_ path: FilePath) -> FilePath? {
    var absolute = workingDirectory.pushing(path)
    guard names.contains(where: { absolute.removePrefix($0) }) else { return nil }
    return absolute.isEmpty ? "." : absolute
  }

  /// openat2(2) beneath the root. Through links of paths only to read.
  func open(_ path: FilePath, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    let isWriting = flags & (O_WRONLY | O_RDWR | O_CREAT) != 0
    return open(path, flags, mode, throughLinks: !isWriting)
  }

  private func open(
    _ path: FilePath, _ flags: Int32, _ mode: mode_t, throughLinks followsLinks: Bool
  ) -> Int32 {
    guard let relative = relative(path) else {
      errno = EXDEV
      return -1
    }
    let resolve =
      avjob_resolve_beneath | avjob_resolve_no_magic_links
      | (followsLinks ? 0 : avjob_resolve_no_symlinks)
    var how = avjob_open_how(
      flags: UInt64(flags), mode: flags & O_CREAT != 0 ? UInt64(mode) : 0,
      resolve: UInt64(resolve))
    return relative.withPlatformString { name in
      var opened: Int32 = -1
      // A rename elsewhere on the disk makes the kernel lose the way of a `..`. It says the same of a
      // file that another program leases, for as long as it does.
      for _ in 0..<100 {
        opened = avjob_openat2(descriptor, name, &how)
        guard opened < 0, errno == EAGAIN else { break }
      }
      return opened
    }
  }

  /// Whether a folder is reached without a link; if not, errno says why.
  func reaches(_ folder: FilePath) -> Bool {
    let opened = open(folder, openPath | O_DIRECTORY | O_CLOEXEC, 0, throughLinks: false)
    guard opened >= 0 else { return false }
    close(opened)
    return true
  }

  /// Calls `body` with the open folder of `path` and its last name, which `body` does not follow.
  ///
  /// - Returns: What `body` gives, or -1 with errno set.
  func inFolder(
    of path: FilePath, throughLinks followsLinks: Bool,
    _ body: (_ folder: Int32, _ name: UnsafePointer<CChar>) -> Int32
  ) -> Int32 {
    guard let last = path.lastComponent, last.kind == .regular else {
      errno = path.lastComponent?.kind == .parentDirectory ? EXDEV : EISDIR
      return -1
    }
    let parent = path.removingLastComponent()
    let folder = open(
      parent.isEmpty ? "." : parent, openPath | O_DIRECTORY | O_CLOEXEC, 0,
      throughLinks: followsLinks)
    guard folder >= 0 else { return -1 }
    let result = FilePath(root: nil, [last]).withPlatformString { body(folder, $0) }
    let code = errno
    close(folder)
    errno = code
    return result
  }
}

extension FilePath {
  /// `realpath(3)`; nil with errno set.
  fileprivate static func realPath(of path: FilePath) -> FilePath? {
    guard let real = path.withPlatformString({ realpath($0, nil) }) else { return nil }
    defer { free(real) }
    return FilePath(platformString: real)
  }
}
