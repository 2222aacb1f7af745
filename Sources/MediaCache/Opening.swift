import Diagnosis
import Files
import Glibc
import HTTP
import LibAV
import Synchronization
import SystemPackage
import Threads

/// Opens an entry: asks the server, where that is due, whether its file is still the one in the cache,
/// and takes the first bytes of a new one with the same request.
///
/// One process at a time: another one waits, and then need not ask any more.
final class Opening: Sendable {
  private let url: MediaURL
  private let key: String
  private let limit: Int64
  private let cache: MediaCache
  private let outcome = Monitor<Result<CachedMedium?, Failure>?>(nil)
  /// Whether nobody waits for the outcome any more.
  private let isOver = Atomic<Bool>(false)

  /// An opening of an address, which fetches no entity that is longer than the limit.
  init(_ url: MediaURL, _ key: String, limit: Int64, in cache: MediaCache) {
    (self.url, self.key, self.limit, self.cache) = (url, key, limit, cache)
  }

  /// The medium, as soon as its size is known; the rest of the first answer arrives later. Nil if the
  /// server has a new entity that is longer than the limit.
  ///
  /// - Throws: `Failure`
  func open() throws(Failure) -> CachedMedium? {
    let (folder, use) = try entry()
    var facts: EntryFacts?
    let isRefused = cache.options.isOffline && !cache.options.trustsMaxAge
    do {
      let isAlone = try begin(folder, use)
      facts = try folder.facts()
      if isAlone { try emptyIfFull(&facts, in: folder) }
      // The next opening removes leftovers.
      if isAlone { try? folder.removeOthers(than: facts?.generation) }
      if let facts, !isRefused, cache.options.isOffline || isFresh(facts) {
        let files = try EntryFiles(of: facts, in: folder, boot: cache.options.boot)
        defer { Self.end(use) }
        return CachedMedium(url, facts: facts, files: files, in: folder, use: use, cache: cache)
      }
    } catch {
      try? use.close()
      throw Failure(caching: error, in: cache.options.folder)
    }
    if cache.options.isOffline {
      Self.abandon(folder, use)
      throw Failure(
        .mendJob,
        isRefused
          ? "below --root its server must confirm it first, and --offline refuses to ask; "
            + "run without one of the two"
          : "it is not in the cache, and --offline refuses to fetch it; run once without it",
        location: .remote(url), code: .networkOffline)
    }
    try ask(facts, in: folder, use: use)
    defer { isOver.store(true, ordering: .releasing) }
    return try ByteWaiting.wait(for: outcome, of: url, in: cache) { $0 }.get()
  }

  /// Waits until no other process opens the entry.
  ///
  /// - Returns: Whether none does; false where one does that stands still. Each then writes an
  ///   entry that is consistent in itself.
  /// - Throws: `Errno`, or `Failure` where the wait was ended.
  private func begin(_ folder: EntryFolder, _ use: FileDescriptor) throws -> Bool {
    var patience = Patience<EntryFolder.Usage>(cache.options.patience)
    while try !Self.tryBegin(use) {
      try pause()
      // An entity of unknown size comes while its entry is opened.
      if try patience.hasEnded(folder.usage) { return false }
    }
    return true
  }

  /// The byte of the lock's file that is locked while the entry is opened.
  private static let openingLock: Range<Int64> = 0..<1

  /// Waits a little for another process.
  ///
  /// - Throws: `Failure` if the wait was ended.
  private func pause() throws(Failure) {
    guard cache.sleep(.milliseconds(5)), ByteWaiting.goesOn(in: cache) else {
      throw Failure(HTTPError.cancelled, of: url)
    }
  }

  /// The entry's folder, with the lock that keeps it.
  private func entry() throws(Failure) -> (EntryFolder, FileDescriptor) {
    let cacheFolder = try cache.openFolder()
    return try cache.reporting {
      var patience = Patience<EntryFolder.Usage?>(cache.options.patience)
      while true {
        let folder = try cacheFolder.entry(key, create: true)
        if let folder, let use = try folder.use() {
          futimens(use.rawValue, nil)
          return (folder, use)
        }
        // Another process is removing it.
        try pause()
        if try patience.hasEnded({ try folder?.usage() }) { throw isHeld }
      }
    }
  }

  private var isHeld: Failure {
    Failure(
      .tryAgain,
      "another process began to remove it from the cache, and does not go on; "
        + "continue or end that process, and try again", location: .remote(url))
  }

  /// Begins the entry of a file anew that is longer than the cache may be, if it has as much as that:
  /// otherwise no other part of the file could ever be fetched.
  ///
  /// - Throws: `Errno`
  private func emptyIfFull(_ facts: inout EntryFacts?, in folder: EntryFolder) throws {
    let options = cache.options
    guard var known = facts, known.size > options.limit, !options.isOffline else { return }
    let files = try EntryFiles(of: known, in: folder, boot: options.boot)
    guard try Int64(files.recordedCount()) * EntryFiles.blockSize >= options.limit else { return }
    known.beginAnew()
    try folder.write(known)
    facts = known
  }

  /// Whether the server need not be asked.
  private func isFresh(_ facts: EntryFacts) -> Bool {
    let (options, age) = (cache.options, MediaCache.now - facts.checked)
    // A confirmation from the future says only that the clock was set.
    guard age >= 0 else { return false }
    // Another run may have other passwords.
    let isTrusted = options.trustsMaxAge || facts.run == options.runID
    if isTrusted, facts.checked >= options.freshSince { return true }
    return options.trustsMaxAge && age < 1000 * Int64(facts.secondsFresh)
  }

  /// Asks the server, on a thread that stays until the answer has ended.
  private func ask(
    _ facts: EntryFacts?, in folder: EntryFolder, use: FileDescriptor
  ) throws(Failure) {
    // Without validators no answer can confirm that the server's file is still this one.
    let known = facts.flatMap { $0.validators.isEmpty ? nil : $0 }
    do {
      try cache.fetch(name: "avjob-open") { [self] in
        let first = FirstAnswer(
          url, known, limit: limit, in: folder, use: use, cache: cache
        ) {
          self.isOver.load(ordering: .acquiring)
        } hasOpened: { result in
          self.outcome.withLock { $0 = $0 ?? result }
        }
        first.run()
      }
    } catch {
      try? use.close()
      throw .outOfThreads(error, at: .remote(url))
    }
  }

  /// Gives an entry up that could not be opened, and removes it where no server has answered for it
  /// and no other process uses it.
  static func abandon(_ folder: EntryFolder, _ use: FileDescriptor) {
    try? use.close()
    do {
      if try folder.facts() == nil { _ = folder.remove() }
    } catch {
      // Facts that cannot be read now may be good.
    }
  }

  /// Tries to be the one who opens the entry, or changes its facts.
  static func tryBegin(_ use: FileDescriptor) throws(Errno) -> Bool {
    try RangeLock.tryLock(openingLock, of: use)
  }

  /// Ends the opening for other processes.
  static func end(_ use: FileDescriptor) { RangeLock.unlock(openingLock, of: use) }
}
