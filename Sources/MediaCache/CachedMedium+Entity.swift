import Diagnosis
import Files
import HTTP
import LibAV
import Synchronization

/// What becomes of an entity while it is read.
extension CachedMedium {
  /// Changes the facts if they are still this entity's, and no process opens the entry: that one asks
  /// the server, and has newer facts.
  private func changeFacts(_ change: (inout EntryFacts?) -> Void) {
    guard isKept else { return }
    changing.withLock { _ in
      guard (try? Opening.tryBegin(use)) == true else { return }
      defer { Opening.end(use) }
      // Facts that cannot be changed are no harm: they are what the server said.
      try? folder.changeFacts(of: facts.generation, change)
    }
  }

  /// Gives the entity up, for a reason: the next opening of the address gets another medium.
  ///
  /// - Parameters:
  ///   - fault: The reason, and what to do.
  ///   - change: What is left of the facts for the next opening; nil where the entry begins anew.
  /// - Returns: The failure of those who read it.
  private func giveUp(_ fault: String, _ change: (inout EntryFacts?) -> Void) -> Failure {
    isOver.store(true, ordering: .releasing)
    changeFacts(change)
    return Failure(.tryAgain, fault, location: .remote(url))
  }

  /// Gives the entity up, because the server has another one now.
  func giveUpAsChanged() -> Failure {
    giveUp("the server's file was changed while it was read; run again") { $0 = nil }
  }

  /// Gives the entity up: the server sends only the whole, broke off, and its answers have no
  /// validators to compare.
  func giveUpAsNotResumable() -> Failure {
    giveUp(
      "the server broke off, sends no parts, and does not say which version its file is; "
        + "run again, or download the file and name the copy"
    ) { $0 = nil }
  }

  /// Notes that the server, which has sent parts before, sends the whole for a late one: the next
  /// opening asks for the whole.
  func giveUpAsWithoutParts() -> Failure {
    giveUp(
      "the server sent the whole file where a part was requested; "
        + "run again, or download the file and name the copy"
    ) { facts in
      facts?.hasRanges = false
      // Without a name the whole cannot continue what is there.
      if facts?.validators.isEmpty == true { facts?.beginAnew() }
    }
  }

  // MARK: Limits

  /// Whether as much of the medium is kept as the cache may hold.
  var isFull: Bool {
    let limit = cache.options.limit
    guard size > limit else { return false }
    // What other processes have brought is counted once for so many blocks of this one.
    let interval = max(1, Int(limit / 16 / EntryFiles.blockSize))
    let isDue = state.withLock { state in
      guard state.brought - state.broughtAtCount >= interval else { return false }
      state.broughtAtCount = state.brought
      return true
    }
    let count = isDue ? try? files.recordedCount() : nil
    let blocks = state.withLock { state in
      // Each fetch may have recorded a block that is not counted yet.
      if let count { state.broughtByOthers = max(0, count - state.brought - state.rests.count) }
      return state.broughtByOthers + state.brought
    }
    return Int64(blocks) * EntryFiles.blockSize >= limit
  }

  /// More of the entity is needed than the cache may hold. If others have brought a part of what it
  /// holds, and a reader waits for the fetch, the entity is given up, and the next opening begins it
  /// anew.
  func needsTooMuch(for fetch: Fetch) -> Failure {
    let (others, isAwaited) = state.withLock { state in
      let isAwaited = state.awaited[fetch.id] != nil
      // No reader waits for it from now on.
      if !isAwaited { state.rests[fetch.id] = nil }
      return (state.broughtByOthers, isAwaited)
    }
    guard others > 0 else { return isTooLong }
    let fault =
      "the cache is full of other parts of the server's file; run again, or set AVJOB_CACHE_SIZE"
    guard isAwaited else { return Failure(.tryAgain, fault, location: .remote(url)) }
    return giveUp(fault) { $0?.beginAnew() }
  }

  /// The whole, or what one process needs of it, is more than the cache may hold.
  var isTooLong: Failure {
    Failure(
      .mendMachine,
      "more of the server's file is needed than the cache may hold; "
        + "set AVJOB_CACHE_SIZE, or download the file and name the copy", location: .remote(url))
  }

  // MARK: Claims

  /// Whether the process that has claimed a block stands still, so that it need not be waited for:
  /// all processes write the same bytes of a block.
  func hasIdleHolder(_ block: Int) -> Bool {
    guard let claim = files.claim(of: block) else {
      // The next claim may be another process's.
      holders.withLock { $0 = $0.filter { !$0.key.contains(block) } }
      return false
    }
    return holders.withLock { holders in
      if holders.count > 100 { holders = [:] }
      var patience = holders[claim] ?? Patience(cache.options.patience)
      defer { holders[claim] = patience }
      // As long as it fetches, it records blocks.
      return patience.hasEnded { try? files.trace(of: claim) }
    }
  }

  // MARK: Contents

  /// Compares all blocks that are there with their digests, and gives up those that differ: they are
  /// fetched again when they are read.
  ///
  /// - Returns: Whether all were as they were written.
  /// - Throws: `Failure`
  /// - Complexity: O(n) in the bytes
  package func verify() throws(Failure) -> Bool {
    let damaged = try cache.reporting("cannot be read") { try files.check().damaged }
    guard !damaged.isEmpty else { return true }
    state.withLock { state in
      for block in damaged { state.present.remove(contentsOf: block..<block + 1) }
    }
    changeFacts { $0?.digest = nil }
    return false
  }

  /// The SHA-256 of the whole entity, which is fetched for that. The digest is kept with the entry.
  ///
  /// - Parameter isCancelled: Polled while bytes are awaited and read.
  /// - Returns: 32 bytes; nil where `isCancelled`.
  /// - Throws: `Failure`
  /// - Complexity: O(n) once for each entity
  package func digest(unless isCancelled: @escaping () -> Bool) throws(Failure) -> [UInt8]? {
    if let known = try? folder.facts(), known.generation == facts.generation,
      let digest = known.digest
    {
      return digest
    }
    let reader = CachedReader(self)
    reader.prefetch(whileReading: [PlannedRead(range: 0..<size, isExact: true)])
    do {
      let bytes = try ByteWaiting.watched(by: { !isCancelled() }) {
        try SHA256.digest(of: reader, unless: { isCancelled() || self.cache.isCancelled })
      }
      guard let bytes else { throw Failure(HTTPError.cancelled, of: url) }
      changeFacts { $0?.digest = bytes }
      return bytes
    } catch {
      if isCancelled() { return nil }
      throw Failure(caching: error, in: cache.options.folder)
    }
  }
}
