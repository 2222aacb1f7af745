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

  /// Looks into the map for what other processes have brought.
  ///
  /// - Parameters:
  ///   - bytes: Some bytes.
  ///   - isThorough: As `EntryFiles.present` has it.
  /// - Returns: Where the first gap begins; the end of `bytes` where there is none.
  @discardableResult
  func refresh(_ bytes: Range<Int64>, isThorough: Bool = true) -> Int64 {
    guard !bytes.isEmpty else { return bytes.upperBound }
    let blocks = files.blocks(of: bytes)
    // A page of the map costs no more than one entry of it. Behind the map's end is nothing.
    let end = max(blocks.upperBound, min(blocks.lowerBound + Self.page, files.blockCount))
    let limit = min(end, (try? files.promisedCount()) ?? 0)
    for start in stride(from: blocks.lowerBound, to: limit, by: Self.page) {
      let page = start..<min(start + Self.page, limit)
      // What is known needs no second look, and no second digest.
      let unknown = state.withLock { state in page.filter { !state.present.contains($0) } }
      let found = (try? files.present(unknown, isThorough: isThorough)) ?? []
      guard !found.isEmpty else { continue }
      state.withLock { state in
        for block in found { state.present.insert(block) }
      }
    }
    let gap = state.withLock { $0.present.end(from: blocks.lowerBound, limit: end) }
    return min(bytes.upperBound, files.bytes(of: gap..<files.blockCount).lowerBound)
  }

  /// Entries of the map that are looked at together: a page of memory.
  private static let page = 512

  /// The first bytes that are missing, in whole blocks, after a look into the map.
  func firstGap(in bytes: Range<Int64>) -> Range<Int64> {
    let start = refresh(bytes)
    guard start < bytes.upperBound else { return start..<start }
    let blocks = files.blocks(of: start..<bytes.upperBound)
    let end = state.withLock { state in
      state.present.first(from: blocks.lowerBound, limit: blocks.upperBound)
    }
    return files.bytes(of: blocks.lowerBound..<end)
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
      var start = blocks.lowerBound
      let others = state.rests.filter { $0.key != fetch.id && !$0.value.isEmpty }.values
      for other in others.map(files.blocks).sorted(by: { $0.lowerBound < $1.lowerBound }) {
        let kept = other.clamped(to: start..<max(start, blocks.upperBound))
        guard !kept.isEmpty else { continue }
        files.release(start..<kept.lowerBound)
        start = kept.upperBound
      }
      files.release(start..<max(start, blocks.upperBound))
    }
  }

  func isThere(_ block: Int) {
    state.withLock { state in
      state.present.insert(block)
      state.brought += 1
    }
  }

  /// Takes note of the end of a fetch of some bytes.
  func hasEnded(_ fetch: Fetch, of bytes: Range<Int64>, _ failure: Failure?) {
    // Others may have left it claims that it has not got to.
    release(files.blocks(of: bytes), of: fetch)
    state.withLock { state in
      state.rests[fetch.id] = nil
      state.failures[fetch.id] = failure
      if state.prefetch == fetch.id {
        (state.prefetch, state.prefetchHasFailed) = (nil, failure != nil)
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
