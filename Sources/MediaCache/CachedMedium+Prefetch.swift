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
      let covered = covered(state)
      var isThere = true
      for range in ranges where end(of: state.present, in: range) < range.upperBound {
        isThere = false
        let next = end(of: covered, in: range)
        guard next < range.upperBound,
          isAwaited || isWorthwhile(next..<range.upperBound, of: range)
        else { continue }
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

  /// Begins to fetch what will soon be read, where enough of it is missing to be worth a request.
  ///
  /// - Parameters:
  ///   - start: Where what was read ends.
  ///   - goal: Up to where bytes are needed.
  ///   - others: How many fetches may be under way beside this one.
  func prefetch(from start: Int64, to goal: Int64, others: Int = 1) {
    /// Where the first bytes are that are neither there nor on their way.
    func missing() -> Int64? {
      state.withLock { state in
        let next = end(of: covered(state), in: start..<goal)
        let isDue = next < goal && state.rests.count <= others
        return isDue && isWorthwhile(next..<goal, of: start..<goal) ? next : nil
      }
    }
    guard goal > start, !cache.options.isOffline, let first = missing() else { return }
    // Other processes, or this one before, may have brought it.
    let next = refresh(first..<goal)
    guard next == first || missing() == next else { return }
    // A reader that needs the bytes begins again, and reports why that fails.
    _ = try? begin(next..<goal)
  }

  /// Begins to fetch the medium from `offset` to its end, and waits for the first of these bytes.
  ///
  /// - Returns: The end of the bytes that are there from `offset` on, at most 1 MiB further.
  /// - Throws: `Failure`
  package func prefetch(allFrom offset: Int64) throws(Failure) -> Int64 {
    guard offset < size else { return size }
    switch try wait(for: offset..<min(size, offset + 1 << 20), goal: size) {
    case .isThere(let end): return end
    case .isBroken(let broken): throw broken.failure
    }
  }

  /// The blocks that are there or on their way.
  private func covered(_ state: State) -> RangeSet<Int> {
    state.present.union(RangeSet(state.rests.values.filter { !$0.isEmpty }.map(files.blocks)))
  }

  /// Whether the missing end of a range is worth a request: it is half of it, or ends the medium.
  private func isWorthwhile(_ missing: Range<Int64>, of range: Range<Int64>) -> Bool {
    missing.count * 2 >= range.count || range.upperBound == size
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
}
