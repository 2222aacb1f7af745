import Diagnosis

/// Bytes for a player, which will be read in the order of their time.
extension CachedMedium {
  /// Whether bytes that will soon be read can be read at once.
  package enum Readiness: Sendable, Hashable {
    /// All of the bytes are in the cache.
    case isThere
    /// The first bytes that are missing are on their way.
    case isUnderWay
    /// The missing bytes cannot be fetched; a read of them throws the reason.
    case hasFailed
  }

  /// Begins to fetch what is missing of some ranges, without waiting, and ends fetches of earlier
  /// calls that none of these ranges needs. No more than two fetches of a medium run in this way.
  ///
  /// - Parameters:
  ///   - ranges: Bytes, in the order of their use; none: earlier fetches are ended, and none is
  ///     begun.
  ///   - isAwaited: Whether the caller waits for all of the ranges. If it does not, and less than
  ///     half of a range is missing, that is left to a later call and counts as under way, unless
  ///     the range ends with the medium: a range that moves on a little with each call would cost a
  ///     request each time.
  /// - Returns: The state of the first range that is not there.
  package func prefetch(_ ranges: [Range<Int64>], isAwaited: Bool = false) -> Readiness {
    let ranges = ranges.map { $0.clamped(to: 0..<size) }.filter { !$0.isEmpty }
    let (readiness, missing) = state.withLock { state -> (Readiness, Range<Int64>?) in
      endPrefetch(notOf: ranges, &state)
      var isThere = true
      for range in ranges {
        let start = end(ofBytesFrom: range.lowerBound, to: range.upperBound, [], state)
        guard start < range.upperBound else { continue }
        isThere = false
        let next = end(
          ofBytesFrom: start, to: range.upperBound, Array(state.rests.values), state)
        guard next < range.upperBound else { continue }
        let isLittle = (range.upperBound - next) * 2 < Int64(range.count)
        if isLittle, range.upperBound < size, !isAwaited { continue }
        if state.prefetchHasFailed { return (.hasFailed, nil) }
        return (.isUnderWay, state.rests.count < 2 ? next..<range.upperBound : nil)
      }
      return (isThere ? .isThere : .isUnderWay, nil)
    }
    guard let missing else { return readiness }
    guard !cache.options.isOffline else { return .hasFailed }
    do {
      if let id = try begin(missing) { state.withLock { $0.prefetch = id } }
      return .isUnderWay
    } catch {
      // A reader that needs the bytes begins again, and reports why that fails.
      return .hasFailed
    }
  }

  /// Where the bytes end that are there from `start` on, or that `rests` bring.
  private func end(
    ofBytesFrom start: Int64, to limit: Int64, _ rests: [Range<Int64>], _ state: State
  ) -> Int64 {
    var end = start
    while end < limit {
      let blocks = files.blocks(of: end..<limit)
      let present = state.present.end(from: blocks.lowerBound, limit: blocks.upperBound)
      var next = present > blocks.lowerBound ? files.bytes(of: 0..<present).upperBound : end
      for rest in rests where rest.contains(next) { next = rest.upperBound }
      if next == end { break }
      end = next
    }
    return min(end, limit)
  }

  private func endPrefetch(notOf ranges: [Range<Int64>], _ state: inout State) {
    // A server that sends only the whole would send it again from its start.
    guard facts.hasRanges, let id = state.prefetch, let rest = state.rests[id],
      !ranges.contains(where: { $0.overlaps(rest) })
    else { return }
    // A fetch without a rest ends by itself.
    state.rests[id] = rest.lowerBound..<rest.lowerBound
    state.prefetch = nil
  }

  /// Where the only reader has read last; nil if there are several, or none.
  package var readOffset: Int64? {
    state.withLock { $0.readers == 1 ? $0.readOffset : nil }
  }

  /// Begins to fetch the medium from `offset` to its end, and waits for the first of these bytes.
  ///
  /// - Returns: The end of the bytes that are there from `offset` on, at most 1 MiB further.
  /// - Throws: `Failure`
  package func load(from offset: Int64) throws(Failure) -> Int64 {
    guard offset < size else { return size }
    return try wait(for: offset..<min(size, offset + 1 << 20), goal: size)
  }

  /// Reads the map once, to learn which blocks earlier runs have fetched: the promises of its first
  /// 4 Mi blocks, and only those that can be trusted without reading the block.
  package func lookOnce() {
    let isFirst = state.withLock { state in
      defer { state.hasLooked = true }
      return !state.hasLooked
    }
    guard isFirst, let count = try? files.promisedCount(), count > 0 else { return }
    look(into: 0..<min(count, 1 << 22))
  }
}
