import Files
import Glibc
import Synchronization
import SystemPackage
import Threads

/// Locks between processes that share a folder, on one machine or several: a file for each, made by
/// `link(2)`, which one process alone can do.
///
/// They save work, and outputs are whole without them: if two processes do one job, because a
/// machine slept for minutes or a clock jumped, both rename a whole file of the same bytes.
///
/// A lock of a process that died is taken over. On the same machine that is known at once, by its
/// number and start; of another machine, and of a process that is hidden from us, by the lock's age:
/// owners touch theirs every 15 seconds, and after two minutes without that a lock counts for nothing.
/// A lock without content, as a machine leaves it that loses its power, counts for five seconds.
/// Ages count by the clock of the disk, so the machines' own clocks may differ.
/// A process that lives and gets nowhere keeps its lock: the waiting process limits its wait.
final class LockBook: Sendable {
  private let folder: StateFolder
  /// Locks of this process.
  private let held = Mutex<(paths: Set<FilePath>, isBeating: Bool)>(([], false))
  private let timing: Timing

  /// How long things take.
  struct Timing: Sendable {
    /// Between touches.
    var beat: Duration = .seconds(15)
    /// Without a touch, after which a lock of another machine counts for nothing.
    var death = ProcessIdentity.patience
    /// After which the same holds for a lock without content.
    var writing: Duration = .seconds(5)
  }

  /// link(2), which tests replace: 0, or -1 with errno set.
  typealias Link = @Sendable (_ file: FilePath, _ name: FilePath) -> Int32
  private let link: Link

  init(
    in folder: StateFolder, timing: Timing = Timing(), link: @escaping Link = PathCalls.link
  ) {
    self.folder = folder
    self.timing = timing
    self.link = link
  }

  /// The result of a request for a lock.
  enum Answer {
    case held(Lock)
    /// Another process has one of them, and lives as far as this one can see.
    case busy(LockHolder)
  }

  /// Some names, held until `release()`.
  struct Lock: Sendable {
    fileprivate let book: LockBook
    fileprivate let paths: [FilePath]

    /// Gives the names back. To be called once.
    func release() { book.release(paths) }
  }

  /// Takes all of these names, or none.
  ///
  /// - Throws: `Errno` where there can be no locks: a folder that may not be written.
  func take(_ names: [String]) throws(Errno) -> Answer {
    var taken: [FilePath] = []
    // In one order for all, so that of two processes one gets on.
    for name in Set(names).sorted() {
      let path = folder.locks.appending(name + ".lock")
      do throws(Errno) {
        guard try take(path) else {
          release(taken)
          return .busy(LockHolder(ofLock: Self.text(of: path) ?? ""))
        }
      } catch {
        release(taken)
        throw error
      }
      taken.append(path)
    }
    held.withLock { $0.paths.formUnion(taken) }
    startBeating()
    return .held(Lock(book: self, paths: taken))
  }

  private func take(_ path: FilePath) throws(Errno) -> Bool {
    let temporary = try folder.temporaryFile(for: path) { (file: inout PieceWriter) throws(Errno) in
      try file.append(Self.ownText.utf8)
    }
    defer { PathCalls.unlink(temporary) }
    // Twice: the second time where a dead process's lock was found.
    for _ in 0..<2 {
      if link(temporary, path) == 0 { return true }
      switch errno {
      case EEXIST:
        // NFS repeats a request whose answer was lost, and then finds the name that it has made:
        // the file's links tell (open(2), at O_EXCL).
        if (try? FileStatus(at: temporary))?.linkCount == 2 { return true }
      case EPERM, ENOTSUP, ENOSYS, EMLINK:
        // No links on this file system. What is created thus is empty for a moment, and an owner
        // that cannot be read is judged by its age.
        if try create(path) { return true }
      default: throw Errno(rawValue: errno)
      }
      guard removeIfDead(path) else { return false }
    }
    return false
  }

  /// The holder of a lock, for processes in the first line, and for people in the second.
  private static var ownText: String {
    ProcessIdentity.current.text + "\n" + LockHolder.line(at: Int64(time(nil))) + "\n"
  }

  private func create(_ path: FilePath) throws(Errno) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = PathCalls.open(path, flags, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw Errno(rawValue: errno)
    }
    var text = Self.ownText
    _ = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return true
  }

  /// Takes a lock away whose owner is dead; false where it lives, or may.
  private func removeIfDead(_ path: FilePath) -> Bool {
    guard let owner = Self.owner(of: path) else { return true }
    guard !isAlive(owner, path) else { return false }
    // Another process may have come to the same conclusion, and have taken the lock: what is taken
    // away is read again, and put back if it was not the dead one's. A process that takes the lock in
    // between does the job, too.
    let aside = TemporaryFile.newPath(for: path, in: folder.locks)
    let status = PathCalls.rename(path, to: aside)
    guard status == 0 else { return errno == ENOENT }
    defer { PathCalls.unlink(aside) }
    if Self.owner(of: aside) == owner { return true }
    _ = link(aside, path)
    return false
  }

  /// The content of a lock; nil where there is none. `.some(nil)`: it names no owner.
  private static func owner(of path: FilePath) -> ProcessIdentity?? {
    guard let text = text(of: path) else {
      return path.exists ? .some(nil) : nil
    }
    return .some(text.split(separator: "\n").first.flatMap { ProcessIdentity($0) })
  }

  private static func text(of path: FilePath) -> String? {
    (try? PathCalls.contents(of: path, limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func isAlive(_ owner: ProcessIdentity?, _ path: FilePath) -> Bool {
    if let isAlive = owner?.isAlive { return isAlive }
    // Content is there with the name, or a moment later where there are no links: one without any
    // was lost with the machine's power.
    let isEmpty = owner == nil && Self.text(of: path)?.utf8.allSatisfy { $0 == 0 } ?? false
    return TemporaryFile.isFresh(path, within: isEmpty ? timing.writing : timing.death)
  }

  private func release(_ paths: [FilePath]) {
    held.withLock { $0.paths.subtract(paths) }
    for path in paths where Self.owner(of: path) == .some(ProcessIdentity.current) {
      PathCalls.unlink(path)
    }
  }

  // MARK: What processes leave behind

  /// Removes what dead processes left: locks and temporary files. Nothing where there is no folder.
  ///
  /// - Complexity: O(files in the folder), which are few
  func sweep() {
    // A link may lead to files of other people's, which are called as ours are.
    guard folder.isOwn else { return }
    for name in StateFolder.names(in: folder.locks) {
      let path = folder.locks.appending(name)
      if name.extension == "lock" {
        guard Self.isLabel(name.stem) else { continue }
        _ = removeIfDead(path)
      } else {
        TemporaryFile.removeLeftover(path, patience: timing.death)
      }
    }
  }

  /// Whether a text is a name that `Ledger` gives: it ends in a hyphen and 16 digits, as
  /// `episode.mp3-0123456789abcdef`.
  static func isLabel(_ text: String) -> Bool {
    let digits = text.utf8.suffix(16)
    return digits.count == 16 && text.utf8.dropLast(16).last == UInt8(ascii: "-")
      && digits.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }

  // MARK: Signs of life

  /// Starts the thread that touches this process's locks, if none does; it ends with this object.
  private func startBeating() {
    let isFirst = held.withLock { held in
      defer { held.isBeating = true }
      return !held.isBeating
    }
    guard isFirst else { return }
    let pause = timing.beat
    // Weak, so that the thread does not keep alive what ends it; it wakes once more and goes.
    let thread = try? Thread.spawn(name: "locks", stackSize: 1 << 18) { [weak self] in
      while true {
        var time = timespec(tv_sec: Int(pause.components.seconds), tv_nsec: 0)
        nanosleep(&time, nil)
        guard let self else { return }
        self.beat()
      }
    }
    if thread == nil { held.withLock { $0.isBeating = false } }
  }

  private func beat() {
    for path in held.withLock({ $0.paths }) {
      // Without a time, it is the disk's own now.
      PathCalls.touch(path)
    }
  }
}
