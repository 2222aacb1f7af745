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

  /// The key of an address: 40 digits of its SHA-256, without user and password.
  ///
  /// - Throws: `LibAVError` where there is no memory.
  static func key(of url: MediaURL) throws(LibAVError) -> String {
    var text = url.withoutCredentials.absoluteText
    let digest = text.withUTF8 { bytes in
      Result { () throws(LibAVError) in try SHA256.digest(UnsafeRawBufferPointer(bytes)) }
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

  // MARK: Facts

  /// What is known of the address; nil where nothing is, or nothing that can be read.
  func facts() -> EntryFacts? {
    guard let file = try? open("facts", O_RDONLY) else { return nil }
    var bytes = [UInt8](repeating: 0, count: EntryFacts.greatestSize)
    let count = try? file.closeAfter {
      try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
    }
    return EntryFacts(bytes[..<(count ?? 0)])
  }

  /// Replaces the facts as one. After a power cut there are the old ones, the new, or none that can be
  /// read: then the entry begins anew.
  ///
  /// - Throws: `Errno`
  func write(_ facts: EntryFacts) throws {
    // Written by those alone who hold the lock of openings.
    let file = try open("facts.new", O_WRONLY | O_CREAT | O_TRUNC)
    _ = try file.closeAfter { try file.writeAll(facts.text.utf8) }
    let folder = descriptor.rawValue
    guard renameat(folder, "facts.new", folder, "facts") == 0 else { throw Errno(rawValue: errno) }
  }

  /// Forgets what the server said: whoever opens the address next begins anew.
  func removeFacts() { unlinkat(descriptor.rawValue, "facts", 0) }

  /// Removes the names of all but the lock: who has the files open still reads and writes them.
  func removeAll() {
    // The facts first: without them the rest promises nothing.
    removeFacts()
    for name in CacheFolder.names(in: descriptor) where name != "lock" {
      unlinkat(descriptor.rawValue, name, 0)
    }
  }

  /// Removes what no facts lead to: the generations of entities that are no more.
  func removeOthers(than generation: String?) {
    for name in CacheFolder.names(in: descriptor) {
      guard name.hasSuffix(".data") || name.hasSuffix(".map"),
        !name.hasPrefix((generation ?? "-") + ".")
      else { continue }
      unlinkat(descriptor.rawValue, name, 0)
    }
  }

  // MARK: Locks

  /// Says that this process uses the entry, until the descriptor is closed: nobody removes it so long.
  ///
  /// - Returns: nil where the entry was removed meanwhile, and must be opened anew.
  /// - Throws: `Errno`
  func use() throws(Errno) -> FileDescriptor? {
    let lock: FileDescriptor
    do throws(Errno) {
      lock = try open("lock", O_RDWR | O_CREAT)
    } catch .noSuchFileOrDirectory {
      return nil
    }
    guard flock(lock.rawValue, LOCK_SH | LOCK_NB) == 0 else {
      let code = Errno(rawValue: errno)
      try? lock.close()
      // Where there are no locks, nothing would keep others from removing it.
      guard code == .wouldBlock else { throw code }
      return nil
    }
    var facts = stat()
    guard fstat(lock.rawValue, &facts) == 0, facts.st_nlink > 0 else {
      try? lock.close()
      return nil
    }
    return lock
  }

  /// Removes the entry, if no process uses it.
  ///
  /// - Returns: Whether it is gone.
  func remove() -> Bool {
    guard let lock = try? open("lock", O_RDWR | O_CREAT) else { return false }
    defer { try? lock.close() }
    var facts = stat()
    // A lock that another process removed meanwhile is not the one that users of the entry have now.
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0, fstat(lock.rawValue, &facts) == 0,
      facts.st_nlink > 0
    else { return false }
    removeAll()
    unlinkat(descriptor.rawValue, "lock", 0)
    folder.removeFolder(key)
    return true
  }

  /// Whether some process uses the entry, this one included.
  var isInUse: Bool {
    guard let lock = try? open("lock", O_RDWR) else { return false }
    defer { try? lock.close() }
    return flock(lock.rawValue, LOCK_EX | LOCK_NB) != 0
  }

  /// Disk space of all generations, in bytes, and when the entry was last used, in Unix seconds.
  func usage() -> (bytes: Int64, lastUse: Int64) {
    var (bytes, lastUse): (Int64, Int64) = (0, 0)
    for name in CacheFolder.names(in: descriptor) {
      var facts = stat()
      guard fstatat(descriptor.rawValue, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      bytes += Int64(facts.st_blocks) * 512
      if name == "lock" { lastUse = Int64(facts.st_mtim.tv_sec) }
    }
    return (bytes, lastUse)
  }
}
