import Diagnosis
import Files
import Glibc
import LibAV
import SystemPackage

/// The folder of one address: `facts`, the bytes and the map of one generation, and two locks.
///
/// Owns its descriptor. Safe from any thread.
final class EntryFolder: Sendable {
  let key: String
  private let folder: CacheFolder
  private let descriptor: FileDescriptor

  init(_ key: String, _ descriptor: FileDescriptor, in folder: CacheFolder) {
    (self.key, self.descriptor, self.folder) = (key, descriptor, folder)
  }

  deinit { try? descriptor.close() }

  /// The key of an address: 40 digits of the SHA-256 of `MediaLocation.bytes`.
  ///
  /// - Throws: `LibAVError` where there is no memory.
  static func key(of url: MediaURL) throws(LibAVError) -> String {
    let digest = MediaLocation.remote(url).bytes.withUnsafeBytes { bytes in
      Result { () throws(LibAVError) in try SHA256.digest(bytes) }
    }
    return [UInt8](try digest.get().prefix(20)).hexadecimal
  }

  static func isKey(_ name: String) -> Bool {
    name.utf8.count == 40 && name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  /// Opens a file of the folder.
  ///
  /// - Throws: `Errno`
  func open(_ name: String, _ flags: Int32) throws(Errno) -> FileDescriptor {
    let file = openat(descriptor.rawValue, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: file)
  }

  /// Opens a file of the folder; nil where there is no such file, or no such folder any more.
  ///
  /// - Throws: `Errno`
  private func openExisting(_ name: String, _ flags: Int32) throws(Errno) -> FileDescriptor? {
    do throws(Errno) {
      return try open(name, flags)
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  // MARK: Facts

  /// What is known of the address; nil where nothing is, or nothing that makes sense.
  ///
  /// - Throws: `Errno` where it cannot be read.
  func facts() throws -> EntryFacts? {
    guard let file = try openExisting("facts", O_RDONLY) else { return nil }
    let source = FileBytes(file)
    var bytes = [UInt8](repeating: 0, count: EntryFacts.greatestSize)
    let count = try bytes.withUnsafeMutableBytes { try source.fill($0, from: 0) }
    return EntryFacts(bytes[..<count])
  }

  /// Replaces the facts as one. After a power cut there are the old ones, the new, or none that can be
  /// read: then the entry begins anew.
  ///
  /// - Throws: `Errno`
  func write(_ facts: EntryFacts) throws {
    // A name of its own: a process that stood still may go on in the midst of another's write.
    let name = Self.draft + EntryFacts.newGeneration()
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL)
    let folder = descriptor.rawValue
    do {
      _ = try file.closeAfter { try file.writeAll(facts.text.utf8) }
      guard renameat(folder, name, folder, "facts") == 0 else { throw Errno(rawValue: errno) }
    } catch {
      try? remove([name])
      throw error
    }
  }

  private static let draft = "facts."

  /// Changes the facts, if they are still those of a generation; without any left, the next opening
  /// of the address begins anew. Only for the holder of the lock of openings.
  ///
  /// - Throws: `Errno`
  func changeFacts(of generation: String, _ change: (inout EntryFacts?) -> Void) throws {
    let known = try facts()
    guard known?.generation == generation else { return }
    var facts = known
    change(&facts)
    if let facts, facts != known { try write(facts) }
    if facts == nil { try remove(["facts"]) }
  }

  /// Removes the names of all but the lock: who has the files open still reads and writes them.
  ///
  /// - Throws: `Errno`
  func removeAll() throws(Errno) {
    // The facts first: without them the rest is nothing.
    try remove(["facts"])
    try remove(CacheFolder.names(in: descriptor).filter { $0 != "lock" })
  }

  /// Removes what no facts lead to: the generations of entities that are no more, and facts that were
  /// not finished. Only for the holder of the lock of openings.
  ///
  /// - Throws: `Errno`
  func removeOthers(than generation: String?) throws(Errno) {
    try remove(
      CacheFolder.names(in: descriptor).filter { name in
        name.hasPrefix(Self.draft)
          || (name.hasSuffix(".data") || name.hasSuffix(".map"))
            && !name.hasPrefix((generation ?? "-") + ".")
      })
  }

  /// Removes files. Before data goes their map, which records what is in them, also one that was
  /// made since the names were read.
  ///
  /// - Throws: `Errno`
  func remove(_ names: [String]) throws(Errno) {
    let all = names.flatMap { name in
      name.hasSuffix(".data") ? ["\(name.dropLast(5)).map", name] : [name]
    }
    for name in all
    where unlinkat(descriptor.rawValue, name, 0) != 0 && errno != ENOENT {
      throw Errno(rawValue: errno)
    }
  }

  // MARK: Locks

  /// Says that this process uses the entry, until the descriptor is closed: nobody removes it so long.
  ///
  /// - Returns: nil where the entry was removed meanwhile, and must be opened anew.
  /// - Throws: `Errno`
  func use() throws(Errno) -> FileDescriptor? { try lock(LOCK_SH) }

  private func lock(_ kind: Int32) throws(Errno) -> FileDescriptor? {
    guard let lock = try openExisting("lock", O_RDWR | O_CREAT) else { return nil }
    var facts = stat()
    let code = flock(lock.rawValue, kind | LOCK_NB) == 0 ? nil : Errno(rawValue: errno)
    // A lock that another process removed meanwhile is not the one that users of the entry have now.
    if code == nil, fstat(lock.rawValue, &facts) == 0, facts.st_nlink > 0 { return lock }
    try? lock.close()
    // Where there are no locks, nothing would keep others from removing it.
    if let code, code != .wouldBlock { throw code }
    return nil
  }

  /// Removes the entry, if no process uses it.
  ///
  /// - Returns: Whether it is gone.
  func remove() -> Bool {
    guard let lock = try? lock(LOCK_EX) else { return false }
    defer { try? lock.close() }
    guard (try? removeAll()) != nil, unlinkat(descriptor.rawValue, "lock", 0) == 0 else {
      return false
    }
    return folder.removeFolder(key)
  }

  /// Whether some process uses the entry, this one included.
  ///
  /// - Throws: `Errno`
  func isInUse() throws(Errno) -> Bool {
    guard let lock = try openExisting("lock", O_RDWR) else { return false }
    defer { try? lock.close() }
    return flock(lock.rawValue, LOCK_EX | LOCK_NB) != 0
  }

  /// What the files of an entry take, and when they changed.
  struct Usage: Sendable, Hashable {
    /// Disk space of all generations, in bytes.
    var bytes: Int64 = 0
    /// When the entry was last used, in Unix seconds.
    var lastUse: Int64 = 0
    /// When something was last written, in nanoseconds since 1970.
    var lastChange: Int64 = 0
  }

  /// What the files take now.
  ///
  /// - Throws: `Errno`
  func usage() throws(Errno) -> Usage {
    var usage = Usage()
    for name in try CacheFolder.names(in: descriptor) {
      guard let status = try? FileStatus(of: FilePath(name), in: descriptor.rawValue) else {
        continue
      }
      usage.bytes += status.diskSize
      let (seconds, attoseconds) = status.modificationTime.components
      if name == "lock" {
        usage.lastUse = seconds
      } else {
        let time = seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
        usage.lastChange = max(usage.lastChange, time)
      }
    }
    return usage
  }
}
