import Diagnosis

/// What fetches need of their medium, and report to it.
extension CachedMedium {
  /// A fetch of the whole, or of the first bytes, whose answer is on its way already.
  func fetchUnderWay(_ range: Range<Int64>) -> Fetch {
    _ = try? files.claim(files.blocks(of: range))
    return state.withLock { state in
      state.nextFetch += 1
      state.rests[state.nextFetch] = range
      return Fetch(state.nextFetch, of: self, range)
    }
  }

  /// Looks into one page of the map for what other processes or earlier runs have brought. Of the
  /// bytes, blocks that were recorded before the machine's start are compared with their digests: 8
  /// MiB at most.
  ///
  /// - Parameter bytes: Some bytes.
  /// - Returns: Where the first gap begins; the end of the bytes, or of the page, if there is none.
  func refresh(_ bytes: Range<Int64>) -> Int64 {
    guard !bytes.isEmpty else { return bytes.upperBound }
    let blocks = files.blocks(of: bytes)
    // A page of the map costs no more than one record of it.
    let page = blocks.lowerBound..<min(blocks.lowerBound + Self.page, files.blockCount)
    look(into: page, comparing: blocks)
    let part = bytes.clamped(to: 0..<files.bytes(of: page).upperBound)
    return state.withLock { end(of: $0.present, in: part) }
  }

  /// Looks into the map for what is there of some blocks.
  ///
  /// - Parameters:
  ///   - blocks: Some blocks.
  ///   - compared: As `EntryFiles.present` has it.
  func look(into blocks: Range<Int>, comparing compared: Range<Int> = 0..<0) {
    let known = state.withLock { $0.present }
    let found = try? files.present(in: blocks, comparing: compared, except: known)
    guard let found, !found.isEmpty else { return }
    state.withLock { $0.present.formUnion(found) }
  }

  /// Reads the map once, to learn which blocks earlier runs have fetched: the records of its first 4
  /// Mi blocks, and only those that can be trusted without reading the block.
  package func readMapOnce() {
    let isFirst = state.withLock { state in
      defer { state.hasReadMap = true }
      return !state.hasReadMap
    }
    if isFirst { look(into: EntryFiles.blocksReadAtOnce) }
  }

  /// Records of the map that are looked at together: a page of memory.
  static let page = 512

  /// The first bytes that are missing, in whole blocks, after a look into the map, page by page.
  ///
  /// - Parameters:
  ///   - bytes: Some bytes, of which the first are missing.
  ///   - isCancelled: Asked between pages.
  /// - Returns: The bytes; none if `isCancelled`.
  func gap(atStartOf bytes: Range<Int64>, unless isCancelled: () -> Bool) -> Range<Int64> {
    let blocks = files.blocks(of: bytes)
    func end(_ limit: Int) -> Int {
      state.withLock { $0.present.first(from: blocks.lowerBound, limit: limit) }
    }
    // Behind the map's end is nothing.
    let recorded = min(blocks.upperBound, (try? files.mapEnd()) ?? 0)
    for start in stride(from: blocks.lowerBound, to: recorded, by: Self.page) {
      if isCancelled() { return files.bytes(of: blocks.lowerBound..<blocks.lowerBound) }
      let page = start..<min(start + Self.page, recorded)
      look(into: page, comparing: page)
      if end(page.upperBound) < page.upperBound { break }
    }
    return files.bytes(of: blocks.lowerBound..<end(blocks.upperBound))
  }

  /// Where the bytes of a range end that lie in some blocks, from its start on.
  func end(of blocks: RangeSet<Int>, in bytes: Range<Int64>) -> Int64 {
    let wanted = files.blocks(of: bytes)
    let end = blocks.end(from: wanted.lowerBound, limit: wanted.upperBound)
    guard end > wanted.lowerBound else { return bytes.lowerBound }
    return min(files.bytes(of: 0..<end).upperBound, bytes.upperBound)
  }

  /// Where a fetch ends: another one may have taken over the rest.
  func limit(of fetch: Fetch) -> Int64 {
    state.withLock { $0.rests[fetch.id]?.upperBound ?? 0 }
  }

  func note(_ cursor: Int64, of fetch: Fetch, received: Int = 0) {
    // A block that has begun to arrive is not there yet.
    let start = cursor - cursor % EntryFiles.blockSize
    state.withLock { state in
      if let rest = state.rests[fetch.id] {
        state.rests[fetch.id] = min(start, rest.upperBound)..<rest.upperBound
      }
      state.received += Int64(received)
    }
    cache.note(received)
  }

  /// Gives claims back, but those of blocks that other fetches bring: all have one claim together.
  func release(_ blocks: Range<Int>, of fetch: Fetch) {
    state.withLock { state in
      let others = state.rests.filter { $0.key != fetch.id && !$0.value.isEmpty }.values
      let own = RangeSet(blocks).subtracting(RangeSet(others.map(files.blocks)))
      own.ranges.forEach(files.release)
    }
  }

  func isThere(_ block: Int) {
    state.withLock { state in
      // Two fetches may bring the same one.
      if !state.present.contains(block) { state.brought += 1 }
      state.present.insert(block)
    }
  }

  /// Takes note of the end of a fetch of some bytes, and of how it broke off, if it did.
  func hasEnded(_ fetch: Fetch, of bytes: Range<Int64>, _ broken: BrokenFetch?) {
    // Others may have left it claims that it has not got to.
    release(files.blocks(of: bytes), of: fetch)
    state.withLock { state in
      state.rests[fetch.id] = nil
      state.awaited[fetch.id]?.broken = broken
      if state.prefetch == fetch.id {
        (state.prefetch, state.prefetchHasFailed) = (nil, broken != nil)
      }
    }
    cache.fetchHasEnded()
  }

  /// Whether nobody reads any more, and what is left is much.
  func isAbandoned(_ rest: Int64) -> Bool {
    // A whole that has no name cannot be continued.
    guard rest > Self.farthest, facts.hasRanges || !facts.validators.isEmpty else { return false }
    return state.withLock { state in
      guard state.readers == 0 else { return false }
      // To continue a whole means to receive again what is there: the next reader may be near.
      return facts.hasRanges
        || state.lastUse.map { .now - $0 >= cache.options.patience } ?? false
    }
  }
}
