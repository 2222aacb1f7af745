import Diagnosis
import Glibc
import LibAV
import SystemPackage

/// An entry of the cache, as `avjob cache list` shows it.
package struct CacheEntry: Sendable, Hashable {
  /// The name of the entry's folder in the cache's.
  package let key: String
  /// The address without secrets; nil where its server has not answered yet.
  package let address: String?
  /// The entity's bytes; nil where its server has not answered yet.
  package let size: Int64?
  /// Bytes on the disk.
  package let bytes: Int64
  /// When a process last used it, in Unix seconds.
  package let lastUse: Int64
  /// Whether a process uses it now.
  package let isInUse: Bool
}

/// What was removed from the cache.
package struct CacheRemoval: Sendable, Hashable {
  /// Entries that are gone.
  package var entries = 0
  /// Their bytes on the disk.
  package var bytes: Int64 = 0
}

/// What a check of the cache found.
package struct CacheVerification: Sendable, Hashable {
  /// An entry with blocks whose bytes are not those that were written; these will be fetched again.
  package struct Damage: Sendable, Hashable {
    /// The address without secrets.
    package let address: String
    /// How many blocks.
    package let blocks: Int
  }

  /// Entries looked at.
  package var entries = 0
  /// Bytes compared with their digests.
  package var bytes: Int64 = 0
  /// The entries that were damaged, in the order of their keys.
  package var damaged: [Damage] = []
}

extension MediaCache {
  /// All entries, the one used last first. Empty where the folder does not exist; it is not made.
  ///
  /// - Throws: `Failure`
  package func entries() throws(Failure) -> [CacheEntry] {
    guard let folder = try existingFolder() else { return [] }
    return try reporting {
      try folder.keys().compactMap { try folder.entry($0)?.shown() }
    }.sorted {
      ($0.lastUse, $1.key) > ($1.lastUse, $0.key)
    }
  }

  /// Removes entries that were not used for longest, until `limit` bytes are left on the disk.
  /// Entries that a process uses are left.
  ///
  /// - Throws: `Failure`
  package func prune(to limit: Int64) throws(Failure) -> CacheRemoval {
    guard let folder = try existingFolder() else { return CacheRemoval() }
    return try reporting { try folder.shrink(to: limit) }
  }

  /// Removes all entries that no process uses, also those whose map records nothing. What this process
  /// fetches is waited for, a second at most.
  ///
  /// - Throws: `Failure`
  package func clear() throws(Failure) -> CacheRemoval {
    awaitFetches(within: .seconds(1))
    guard let folder = try existingFolder() else { return CacheRemoval() }
    return try reporting { try folder.shrink(to: nil) }
  }

  /// Compares all blocks with their digests, and removes the records of blocks that differ.
  ///
  /// Processes may use the entries meanwhile; none is removed while it is compared.
  ///
  /// - Throws: `Failure`
  /// - Complexity: O(n) in the bytes
  package func verify() throws(Failure) -> CacheVerification {
    var result = CacheVerification()
    guard let folder = try existingFolder() else { return result }
    try reporting {
      for key in try folder.keys() {
        guard let checked = try folder.entry(key)?.check(boot: options.boot) else { continue }
        result.entries += 1
        result.bytes += checked.bytes
        guard checked.damaged > 0 else { continue }
        result.damaged.append(.init(address: checked.address, blocks: checked.damaged))
      }
    }
    return result
  }
}

extension CacheFolder {
  /// The folder of an entry; nil where there is none, or what is no folder of ours. All together might
  /// be more than a process may have open.
  ///
  /// - Throws: `Errno`
  fileprivate func entry(_ key: String) throws(Errno) -> EntryFolder? {
    do throws(Errno) {
      return try entry(key, create: false)
    } catch  where [.tooManySymbolicLinkLevels, .notDirectory, .permissionDenied].contains(error) {
      return nil
    }
  }

  /// Removes what was not used for longest, until no more than `limit` bytes are left, or all for nil,
  /// and nothing that a process uses.
  ///
  /// - Throws: `Errno`
  /// - Complexity: O(n log n) in the entries
  func shrink(to limit: Int64?) throws(Errno) -> CacheRemoval {
    var entries: [(key: String, usage: EntryFolder.Usage)] = []
    for key in try keys() {
      if let usage = try entry(key)?.usage() { entries.append((key, usage)) }
    }
    var rest = entries.reduce(0) { $0 + $1.usage.bytes }
    var removed = CacheRemoval()
    for (key, usage) in entries.sorted(by: { $0.usage.lastUse < $1.usage.lastUse }) {
      if let limit, rest <= limit { break }
      guard try entry(key)?.remove() == true else { continue }
      rest -= usage.bytes
      removed.entries += 1
      removed.bytes += usage.bytes
    }
    return removed
  }
}

extension EntryFolder {
  /// What a list shows of the entry.
  ///
  /// - Throws: `Errno`
  fileprivate func shown() throws -> CacheEntry {
    let (usage, facts) = (try usage(), try facts())
    return CacheEntry(
      key: key, address: facts?.address, size: facts?.size, bytes: usage.bytes,
      lastUse: usage.lastUse, isInUse: try isInUse())
  }

  /// Compares all bytes with their digests; nil where there is nothing to compare, or another process
  /// removes it.
  ///
  /// - Throws: `Errno`, `LibAVError`
  fileprivate func check(boot: String) throws -> (address: String, bytes: Int64, damaged: Int)? {
    guard try facts() != nil, let use = try patientUse() else { return nil }
    defer { try? use.close() }
    // Another process may have begun it anew before it was locked.
    guard let facts = try facts() else { return nil }
    let files = try EntryFiles(of: facts, in: self, boot: boot)
    let checked = try files.check()
    if !checked.damaged.isEmpty { try forgetDigest(of: facts.generation, use) }
    return (facts.address, checked.bytes, checked.damaged.count)
  }

  /// Forgets the digest of the whole, of which some bytes will be fetched anew.
  ///
  /// - Throws: `Errno`
  private func forgetDigest(of generation: String, _ use: FileDescriptor) throws {
    // A process that opens the entry for longer than this writes facts of its own.
    for _ in 0..<1000 {
      guard try Opening.tryBegin(use) else {
        usleep(1000)
        continue
      }
      defer { Opening.end(use) }
      return try changeFacts(of: generation) { $0?.digest = nil }
    }
  }

  /// As `use`, also while another process looks whether the entry is in use, which takes no time.
  ///
  /// - Throws: `Errno`
  private func patientUse() throws(Errno) -> FileDescriptor? {
    for _ in 0..<100 {
      if let use = try use() { return use }
      usleep(1000)
    }
    return nil
  }
}
