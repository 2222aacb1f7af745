import Diagnosis
import Files
import Glibc
import HTTP
import LibAV
import SystemPackage
import Threads

/// Opens an entry: asks the server, where that is due, whether its file is still the one in the cache,
/// and takes the first bytes of a new one with the same request.
///
/// One process at a time: another one waits, and then need not ask any more.
final class Opening: Sendable {
  private let url: MediaURL
  private let key: String
  private let cache: MediaCache
  private let outcome = Monitor<Result<CachedMedium, Failure>?>(nil)

  init(_ url: MediaURL, _ key: String, in cache: MediaCache) {
    (self.url, self.key, self.cache) = (url, key, cache)
  }

  /// The medium, as soon as its size is known; the rest of the first answer arrives later.
  ///
  /// - Throws: `Failure`
  func open() throws(Failure) -> CachedMedium {
    let (folder, use) = try entry()
    do {
      while try !Self.tryBegin(use) {
        guard cache.sleep(.milliseconds(5)), ByteWaiting.current?.keepsWaiting() != false else {
          throw Failure(HTTPError.cancelled, of: url)
        }
      }
    } catch {
      try? use.close()
      throw error as? Failure ?? Failure(storing: error, in: cache.options.folder)
    }
    let facts = folder.facts()
    folder.removeOthers(than: facts?.generation)
    if let facts, isFresh(facts) {
      let medium = try medium(facts, in: folder, use: use)
      Self.end(use)
      return medium
    }
    if cache.options.isOffline {
      Self.abandon(folder, use)
      throw Failure(
        .mendJob, "it is not in the cache, and --offline refuses to fetch it; run once without it",
        location: .remote(url))
    }
    try ask(facts, in: folder, use: use)
    return try ByteWaiting.wait(for: outcome, of: url) { $0 }.get()
  }

  /// The byte of the lock's file that whoever opens the entry holds.
  private static let openingLock: Range<Int64> = 0..<1

  /// The entry's folder, with the lock that keeps it.
  private func entry() throws(Failure) -> (EntryFolder, FileDescriptor) {
    let cacheFolder = try cache.openFolder()
    do {
      while true {
        guard let folder = try cacheFolder.entry(key, create: true) else { continue }
        // Another process may be removing it.
        guard let use = try folder.use() else {
          if cache.sleep(.milliseconds(1)) { continue }
          throw Failure(HTTPError.cancelled, of: url)
        }
        futimens(use.rawValue, nil)
        return (folder, use)
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(storing: error, in: cache.options.folder)
    }
  }

  /// Whether the server need not be asked.
  private func isFresh(_ facts: EntryFacts) -> Bool {
    if cache.options.isOffline || facts.checked >= cache.options.freshSince { return true }
    let age = MediaCache.now - facts.checked
    return cache.options.trustsMaxAge && age >= 0 && age < 1000 * Int64(facts.secondsFresh)
  }

  private func medium(
    _ facts: EntryFacts, in folder: EntryFolder, use: FileDescriptor
  ) throws(Failure) -> CachedMedium {
    do {
      let files = try EntryFiles(
        of: facts.generation, size: facts.size, in: folder,
        isDoubtful: facts.boot != ProcessIdentity.current.boot)
      return CachedMedium(url, facts: facts, files: files, in: folder, use: use, cache: cache)
    } catch {
      try? use.close()
      throw Failure(storing: error, in: cache.options.folder)
    }
  }

  /// Asks the server, on a thread that stays until the answer has ended.
  private func ask(
    _ facts: EntryFacts?, in folder: EntryFolder, use: FileDescriptor
  ) throws(Failure) {
    // Without validators nothing tells whether the server's file is still this one.
    let known = facts.flatMap { $0.validators.isEmpty ? nil : $0 }
    do {
      _ = try Thread.spawn(name: "avjob-open", stackSize: 1 << 20) { [self] in
        let first = FirstAnswer(url, known, in: folder, use: use, cache: cache) { result in
          self.outcome.withLock { $0 = $0 ?? result }
        }
        first.run()
      }
    } catch {
      try? use.close()
      throw Failure(.tryAgain, "\(error)", location: .remote(url))
    }
  }

  /// Gives an entry up that could not be opened, and removes it where no server has answered for it
  /// and no other process uses it.
  static func abandon(_ folder: EntryFolder, _ use: FileDescriptor) {
    try? use.close()
    if folder.facts() == nil { _ = folder.remove() }
  }

  /// Tries to be the one who opens the entry, or changes its facts.
  static func tryBegin(_ use: FileDescriptor) throws(Errno) -> Bool {
    try RangeLock.tryLock(openingLock, of: use)
  }

  /// Ends the opening for other processes.
  static func end(_ use: FileDescriptor) { RangeLock.unlock(openingLock, of: use) }
}
