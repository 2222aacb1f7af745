internal import CFiles
import Glibc
import SystemPackage

/// Reports changes of files by their paths (inotify(7)). Watches the folders on the way to each file,
/// so that a file is also seen when another one is renamed to its path, when it is made anew, and when
/// a link on the way leads elsewhere. A file need not exist.
///
/// Not seen: changes by other machines on a network file system, and changes through another hard
/// link in another folder.
///
/// One thread at a time, but for `descriptor`.
package final class FileWatcher {
  /// For poll(2): readable when something has changed in a watched folder; valid while this object
  /// lives.
  package let descriptor: Int32

  /// What to look for in a folder.
  private struct Folder {
    /// By which it was found.
    var path: FilePath
    /// Names of files: writes to these are changes.
    var files: Set<FilePath.Component> = []
    /// Names of folders and links on the way.
    var steps: Set<FilePath.Component> = []
    /// Whether each new or removed entry is a change.
    var isListed = false
  }

  private var folders: [Int32: Folder] = [:]
  /// The watched paths, to follow changed folders and links.
  private var files: Set<FilePath> = []
  private var listed: Set<FilePath> = []
  /// Files that were written to, and not closed since.
  private var unclosed: Set<Name> = []

  private struct Name: Hashable {
    var folder: Int32
    var name: FilePath.Component
  }

  /// Links in a row on the way to a file (ELOOP).
  private static let mostLinks = 40

  /// Blocks of events that one call looks at: some 10,000 events.
  private static let mostReads = 4

  /// A watcher of nothing.
  ///
  /// - Throws: The error of inotify_init1(2): the user has no more instances
  ///   (`fs.inotify.max_user_instances`), or the process no descriptor.
  package init() throws(Errno) {
    descriptor = avjob_inotify_init(O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
  }

  deinit { close(descriptor) }

  /// A folder that is not watched.
  package struct Unwatched: Sendable, Hashable {
    /// Its path, with the links on the way followed.
    package let folder: FilePath
    /// Why.
    package let error: Errno
  }

  /// Watches these paths from now on, and no others. A folder on the way to others that may not be read
  /// is left out: what is in them is seen all the same.
  ///
  /// - Parameters:
  ///   - files: Files, also ones that do not exist; relative to the current directory.
  ///   - listed: Folders whose lists of entries count.
  /// - Returns: Folders that exist and are not watched, one for each error of open(2) and
  ///   inotify_add_watch(2): EMFILE, `noSpace` where the user has no more watches
  ///   (`fs.inotify.max_user_watches`), or EACCES, for example. In the order of the errors' numbers.
  /// - Complexity: O(components of all paths), with a system call for each
  @discardableResult
  package func watch(files: Set<FilePath>, folders listed: Set<FilePath> = []) -> [Unwatched] {
    (self.files, self.listed) = (files, listed)
    var unwatched: [Errno: Unwatched] = [:]
    let before = folders
    folders = [:]
    for file in files { follow(file, isListed: false, &unwatched) }
    for folder in listed { follow(folder, isListed: true, &unwatched) }
    for (watch, old) in before {
      guard let new = folders[watch] else {
        _ = avjob_inotify_rm_watch(descriptor, watch)
        continue
      }
      // Writes of other files in a busy folder wake nobody. If the path leads elsewhere by now, an
      // event says so, after which all are watched anew.
      if new.files.isEmpty, !old.files.isEmpty { _ = try? addWatch(new.path, Self.entries) }
    }
    unclosed = unclosed.filter { folders[$0.folder]?.files.contains($0.name) == true }
    return unwatched.values.sorted { $0.error.rawValue < $1.error.rawValue }
  }

  /// What was found by `changes`.
  package struct Changes: Sendable {
    /// Whether a watched path has changed, or may have.
    package var hasAny = false
    /// Whether a watched path has changed, or may have, that nobody was writing to then.
    package var hasSettled = false
    /// Whether a watched file was written to and is not closed yet: more may follow.
    package var isUnderWay = false
  }

  /// The changes since the last call. Does not wait.
  ///
  /// - Complexity: O(events), and that of `watch` after a change of a folder or a link
  package func changes() -> Changes {
    var (changes, isMoved) = (Changes(), false)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    // A folder in which much happens must not keep the caller.
    for _ in 0..<Self.mostReads {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        let headSize = MemoryLayout<avjob_inotify_event>.size
        while offset + headSize <= count {
          let event = bytes.loadUnaligned(fromByteOffset: offset, as: avjob_inotify_event.self)
          let text = bytes.baseAddress.map { $0 + offset + headSize }
          let name =
            event.length == 0
            ? nil
            : text.flatMap {
              FilePath.Component(platformString: $0.assumingMemoryBound(to: CChar.self))
            }
          offset += headSize + Int(event.length)
          note(event, name, &changes, &isMoved)
        }
      }
    }
    if isMoved { watch(files: files, folders: listed) }
    changes.isUnderWay = !unclosed.isEmpty
    return changes
  }

  private func note(
    _ event: avjob_inotify_event, _ name: FilePath.Component?, _ changes: inout Changes,
    _ isMoved: inout Bool
  ) {
    func has(_ masks: Int...) -> Bool { masks.contains { event.mask & UInt32($0) != 0 } }
    func noteSettled() { (changes.hasAny, changes.hasSettled) = (true, true) }
    if has(avjob_in_overflow) {
      // Files may have been closed among what is lost.
      unclosed = []
      isMoved = true
      return noteSettled()
    }
    guard let folder = folders[event.watch] else { return }
    if has(avjob_in_delete_self, avjob_in_move_self, avjob_in_ignored) {
      isMoved = true
      return noteSettled()
    }
    guard let name else { return }
    let isFile = folder.files.contains(name)
    let comesOrGoes = has(
      avjob_in_create, avjob_in_delete,
      avjob_in_moved_from, avjob_in_moved_to)
    let isOnTheWay = isFile || folder.steps.contains(name)
    if comesOrGoes, isOnTheWay { isMoved = true }
    if comesOrGoes, isOnTheWay || folder.isListed { noteSettled() }
    guard isFile else { return }
    changes.hasAny = true
    let place = Name(folder: event.watch, name: name)
    // What is created may be a link or a folder, which nobody closes.
    if has(avjob_in_modify) {
      unclosed.insert(place)
    } else if !has(avjob_in_attrib) {
      unclosed.remove(place)
    }
    if !unclosed.contains(place) { noteSettled() }
  }

  // MARK: Folders

  /// Watches the folders on the way to a path, through its links.
  private func follow(
    _ path: FilePath, isListed: Bool, _ unwatched: inout [Errno: Unwatched]
  ) {
    var folder: FilePath = path.isAbsolute ? "/" : "."
    var rest = Array(path.components)
    var links = 0
    while !rest.isEmpty {
      let name = rest.removeFirst()
      guard name.kind == .regular else {
        if name.kind == .parentDirectory { folder.append(name) }
        continue
      }
      let isLast = rest.isEmpty
      add(folder, &unwatched) { known in
        if isLast, !isListed { known.files.insert(name) } else { known.steps.insert(name) }
      }
      let next = folder.appending(name)
      if let target = PathCalls.readlink(next) {
        links += 1
        guard links <= Self.mostLinks else { break }
        if target.isAbsolute { folder = "/" }
        rest = Array(target.components) + rest
      } else {
        folder = next
      }
    }
    // Of a path that is not a folder there is no watch.
    if isListed { add(folder, &unwatched) { $0.isListed = true } }
  }

  /// Events of entries that come and go, and of a folder itself.
  private static let entries =
    avjob_in_create | avjob_in_delete | avjob_in_moved_from
    | avjob_in_moved_to | avjob_in_delete_self | avjob_in_move_self
  /// Events of files.
  private static let writes = avjob_in_modify | avjob_in_attrib | avjob_in_close_write

  /// Watches a folder for more.
  private func add(
    _ path: FilePath, _ unwatched: inout [Errno: Unwatched], _ change: (inout Folder) -> Void
  ) {
    var wanted = Folder(path: path)
    change(&wanted)
    // The folder may be watched for more already, by whatever path.
    let mask = Self.entries | (wanted.files.isEmpty ? 0 : Self.writes) | avjob_in_mask_add
    do throws(Errno) {
      let watch = try addWatch(path, mask)
      change(&folders[watch, default: Folder(path: path)])
    } catch {
      let isOnTheWay = wanted.files.isEmpty && !wanted.isListed
      let isAbsent = [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels]
        .contains(error)
      let isLeftOut = isAbsent || error == .permissionDenied && isOnTheWay
      if !isLeftOut { unwatched[error] = Unwatched(folder: path, error: error) }
    }
  }

  /// Watches a folder, or changes what it is watched for.
  ///
  /// - Returns: The number of the watch, which a folder has of its own.
  private func addWatch(_ folder: FilePath, _ mask: Int) throws(Errno) -> Int32 {
    // By an open descriptor: a path of a confined process does not pass its root.
    let opened = PathCalls.open(folder, openPath | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw Errno(rawValue: errno) }
    defer { close(opened) }
    let watch = avjob_inotify_add_watch(
      descriptor, "/proc/self/fd/\(opened)", UInt32(mask | avjob_in_onlydir))
    guard watch >= 0 else { throw Errno(rawValue: errno) }
    return watch
  }
}
